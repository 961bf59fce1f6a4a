package tensor

import "math"

// Quantile returns the q-quantile of the elements of v, of which there must be one at least, by the
// definition of the function Quantile: 0 ≤ q ≤ 1, and NaN counts as +Inf. v.Quantile(0.5) is the
// median. It sorts nothing, and takes at most twelve passes over v.
func (v Vector) Quantile(q float64) float64 {
	rank, rest := quantile(len(v), q)
	low := v.ranked(rank, false)
	if rest == 0 {
		return low
	}
	return between(low, v.ranked(rank+1, false), rest)
}

// TopK sets to 0 all but the k elements of v of largest magnitude; 0 ≤ k ≤ len(v). Of equal
// magnitudes it keeps the first, and NaN counts as infinite. It sorts nothing, and takes eight
// passes over v.
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
		if magnitude(x) > least {
			ties--
		}
	}
	for i, x := range v {
		switch m := magnitude(x); {
		case m > least:
		case m == least && ties > 0:
			ties--
		default:
			v[i] = 0
		}
	}
}

// digit is how many bits of a number are told apart in one pass.
const digit = 11

// ranked returns the number of a rank among the elements of v, or among their magnitudes. A pass
// counts how often the next bits occur among the numbers that begin as the one sought does.
func (v Vector) ranked(rank int, magnitudes bool) float64 {
	found := uint64(0)
	for shift := 64; shift > 0; {
		width := min(digit, shift)
		var counts [1 << digit]int
		for _, x := range v {
			if magnitudes {
				x = magnitude(x)
			}
			// Of a number shifted by 64 nothing is left, as of found in the first pass.
			if k := key(x); k>>shift == found {
				counts[k>>(shift-width)&(1<<width-1)]++
			}
		}
		next := 0
		for ; rank >= counts[next]; next++ {
			rank -= counts[next]
		}
		found, shift = found<<width|uint64(next), shift-width
	}
	if found>>63 == 0 {
		return math.Float64frombits(^found)
	}
	return math.Float64frombits(found &^ (1 << 63))
}

// key returns bits that ascend with the number. −0 is +0, and NaN is +Inf.
func key(x float64) uint64 {
	if x != x {
		x = math.Inf(1)
	}
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// magnitude returns |x|, and +Inf for NaN.
func magnitude(x float64) float64 {
	if x != x {
		return math.Inf(1)
	}
	return math.Abs(x)
}
