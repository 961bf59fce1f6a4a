package aggregator

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// exactSums are sums of numbers that are not negative, none of them rounded: so that what is added
// can be subtracted again, however much larger it is than what is left, and equal sums are equal in
// whatever order they were formed. A sum is an integer in units of 2^(64·base − 1074), in as many
// words as the numbers need (Kulisch's long accumulator). Numbers that are infinite, or NaN, are
// counted.
type exactSums struct {
	base, size int // the first word that a number has a bit in, and words of a sum
	words      []uint64
	infinite   []int
}

// place returns the mantissa of a number that is finite and the position of its lowest bit.
func place(x float64) (mantissa uint64, at int) {
	b := math.Float64bits(x)
	mantissa, at = b&(1<<52-1), int(b>>52)
	if at == 0 {
		return mantissa, 0
	}
	return mantissa | 1<<52, at - 1
}

// endless reports whether a number is infinite or NaN.
func endless(x float64) bool { return !(x <= math.MaxFloat64) }

// reset makes n sums of 0, of numbers among those that are given.
func (s *exactSums) reset(n int, of []float64) {
	least, most := math.Inf(1), 0.0
	for _, x := range of {
		if x > 0 && !endless(x) {
			least, most = min(least, x), max(most, x)
		}
	}
	s.base, s.size = 0, 0
	if most > 0 {
		_, low := place(least)
		_, high := place(most)
		s.base, s.size = low/64, high/64-low/64+3 // a number has two words, a carry one more
	}
	s.words = slices.Grow(s.words[:0], n*s.size)[:n*s.size]
	s.infinite = slices.Grow(s.infinite[:0], n)[:n]
	clear(s.words)
	clear(s.infinite)
}

// split returns the words of a sum from where a number begins on, and its two words.
func (s *exactSums) split(k int, x float64) (words []uint64, low, high uint64) {
	mantissa, at := place(x)
	words = s.words[k*s.size : (k+1)*s.size][at/64-s.base:]
	return words, mantissa << (at % 64), mantissa >> (64 - at%64)
}

// add adds a number to a sum.
func (s *exactSums) add(k int, x float64) {
	if x == 0 {
		return
	} else if endless(x) {
		s.infinite[k]++
		return
	}
	words, low, high := s.split(k, x)
	var carry uint64
	words[0], carry = bits.Add64(words[0], low, 0)
	words[1], carry = bits.Add64(words[1], high, carry)
	for i := 2; carry > 0; i++ {
		words[i], carry = bits.Add64(words[i], 0, carry)
	}
}

// sub subtracts a number that was added to a sum.
func (s *exactSums) sub(k int, x float64) {
	if x == 0 {
		return
	} else if endless(x) {
		s.infinite[k]--
		return
	}
	words, low, high := s.split(k, x)
	var carry uint64
	words[0], carry = bits.Sub64(words[0], low, 0)
	words[1], carry = bits.Sub64(words[1], high, carry)
	for i := 2; carry > 0; i++ {
		words[i], carry = bits.Sub64(words[i], 0, carry)
	}
}

// compare compares two sums. Those with something infinite in them are equal, and the largest.
func (s *exactSums) compare(i, j int) int {
	if a, b := s.infinite[i] > 0, s.infinite[j] > 0; a || b {
		switch {
		case !a:
			return -1
		case !b:
			return 1
		}
		return 0
	}
	a, b := s.words[i*s.size:(i+1)*s.size], s.words[j*s.size:(j+1)*s.size]
	for k := s.size - 1; k >= 0; k-- {
		if a[k] != b[k] {
			return cmp.Compare(a[k], b[k])
		}
	}
	return 0
}
