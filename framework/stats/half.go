package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// The float16 of IEEE 754 that are farthest from and nearest to 0.
const (
	largestHalf = 65504
	leastHalf   = 0x1p-24
)

// Half returns what arrives of a mixture that is sent as float16: every number is rounded to
// the nearest, to the even one of two. A number beyond ±65504 becomes that, and a variance below
// 2⁻²⁴ that, in place of infinity and 0; clamped says how many. Covariances stay symmetric, but
// rounding may take a small eigenvalue of them below 0.
func (m Mixture) Half() (arrived Mixture, clamped int) {
	arrived = newMixture(m.Spread, len(m.Weights), m.Means.Cols)
	copyMixture(arrived, m)
	for _, v := range [...]tensor.Vector{arrived.Weights, arrived.Means.Data, arrived.Cov.Data} {
		for i, x := range v {
			v[i] = half(x)
			if math.Abs(v[i]) > largestHalf {
				v[i] = math.Copysign(largestHalf, x)
				clamped++
			}
		}
	}
	for i := range arrived.Cov.Rows {
		row, sent := arrived.Cov.Row(i), m.Cov.Row(i)
		for j := range row {
			variance := !m.Spread.dense() || j == i%len(row)
			if variance && sent[j] < leastHalf {
				row[j] = leastHalf
				clamped++
			}
		}
	}
	return arrived, clamped
}

// half returns the nearest float16 to x, the even one of two, or what it would be if its
// exponents had no end above.
func half(x float64) float64 {
	_, exponent := math.Frexp(x)
	step := math.Ldexp(1, max(exponent-11, -24))
	return math.RoundToEven(x/step) * step
}
