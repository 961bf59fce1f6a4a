package kernel

import "math"

// fmaOdd returns x·y + z rounded to 53 bits, and to odd: where the sum s, rounded to nearest
// and even, is not exact, it is the neighbour of s on the side of the true sum, which is
// never half-way between two float32 (Boldo, Melquiond. Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd. IEEE Transactions on Computers,
// 2008).
//
//go:noinline
func fmaOdd(x, y, z float32) float64 {
	p, q := float64(x)*float64(y), float64(z)
	s := p + q
	b := s - p
	lost := (p - (s - b)) + (q - b) // exact (Knuth's TwoSum), or NaN
	if lost == 0 || lost != lost {
		return s
	}
	if (lost > 0) == (s > 0) {
		return math.Float64frombits(math.Float64bits(s) + 1)
	}
	return math.Float64frombits(math.Float64bits(s) - 1)
}
