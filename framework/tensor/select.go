package tensor

import (
	"math"
	"slices"
)

// Quantile returns the q-quantile of the elements of v, of which there must be one at least, by the
// definition of the function Quantile: 0 ≤ q ≤ 1, and NaN counts as +Inf. v.Quantile(0.5) is the
// median. It takes about six passes over v.
func (v Vector) Quantile(q float64) float64 {
	rank, rest := quantile(len(v), q)
	low := v.ranked(rank, false)
	if rest == 0 {
		return low
	}
	return between(low, v.ranked(rank+1, false), rest)
}

// TopK sets to 0 all but the k elements of v of largest magnitude; 0 ≤ k ≤ len(v). Of equal
// magnitudes it keeps the first, and NaN counts as infinite. It takes about five passes
// over v.
func (v Vector) TopK(k int) {
	if k < 0 || k > len(v) {
		panic("tensor: there are not so many elements")
	}
	if k == 0 {
		clear(v)
		return
	}
	least, ties := v.ranked(len(v)-k, true), k
	for _, x := range v {
		ties -= bit(magnitude(x) > least)
	}
	for i, x := range v {
		m := magnitude(x)
		kept := bit(m >= least)
		if m == least {
			kept = min(ties, 1)
			ties -= kept
		}
		// A mask instead of a jump: which elements are large is hard to foresee.
		v[i] = math.Float64frombits(math.Float64bits(x) & -uint64(kept))
	}
}

const (
	digit = 13  // bits of a number that one pass sorts by
	handy = 512 // numbers that are sorted when so few are left
)

// ranked returns the number of a rank among the elements of v, or among their magnitudes. A pass
// counts how often the next bits occur among the numbers that begin as the one sought does.
func (v Vector) ranked(rank int, magnitudes bool) float64 {
	found, shift := uint64(0), 64
	for left := len(v); left > handy; {
		if shift == 0 { // all that are left are equal
			return number(found)
		}
		var counts [1 << digit]int
		width := min(digit, shift)
		for _, x := range v {
			// Of bits shifted by 64 nothing is left, as of found in the first pass.
			if k := key(x, magnitudes); k>>shift == found {
				counts[k>>(shift-width)&(1<<width-1)]++
			}
		}
		next := 0
		for ; rank >= counts[next]; next++ {
			rank -= counts[next]
		}
		found, shift, left = found<<width|uint64(next), shift-width, counts[next]
	}
	var few [handy]uint64
	n := 0
	for _, x := range v {
		if k := key(x, magnitudes); k>>shift == found {
			few[n] = k
			n++
		}
	}
	slices.Sort(few[:n])
	return number(few[rank])
}

// key returns bits that ascend with a number, or with its magnitude. −0 is +0, and NaN is +Inf.
func key(x float64, magnitudes bool) uint64 {
	if magnitudes {
		x = math.Abs(x)
	}
	if x != x {
		x = math.Inf(1)
	}
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// number returns the number that has a key.
func number(key uint64) float64 {
	if key>>63 == 0 {
		return math.Float64frombits(^key)
	}
	return math.Float64frombits(key &^ (1 << 63))
}

// magnitude returns |x|, and +Inf for NaN.
func magnitude(x float64) float64 {
	if x != x {
		return math.Inf(1)
	}
	return math.Abs(x)
}
