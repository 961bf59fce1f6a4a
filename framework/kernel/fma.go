package kernel

import "math"

// fma32 returns x·y + z, rounded once, as the machine's instruction does.
//
// The product of two float32 is exact in float64. The sum is rounded to 53 bits, and
// rounding it again to 24 goes wrong only where it then lies half-way between two float32
// while the true sum does not. Such numbers, and few others, end in 28 zero bits.
func fma32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z)
	if math.Float64bits(s)<<36 == 0 {
		s = fmaOdd(x, y, z)
	}
	return float32(s)
}

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
