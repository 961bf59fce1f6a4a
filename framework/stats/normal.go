package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// farthest is how many standard deviations a normal rule reaches: beyond lies 1e-18.
const farthest = 8.75

// NormalRule returns points and weights with E f(Z) ≈ Σₖ weight[k]·f(z[k]) for a standard normal
// Z: the trapezoidal rule of a step on the density. For f that is analytic and bounded by M in
// the strip |Im z| < d its error is at most about 2M·exp(d²/2 − 2πd/step), so that it falls
// geometrically with the number of points, of which there are 17.5/step (Trefethen, Weideman,
// SIAM Review 56, 2014, Theorem 5.1).
func NormalRule(step float64) (z, weight tensor.Vector) {
	half := int(math.Ceil(farthest / step))
	for k := -half; k <= half; k++ {
		x := float64(k) * step
		z = append(z, x)
		weight = append(weight, step/math.Sqrt(2*math.Pi)*math.Exp(-x*x/2))
	}
	return z, weight
}

// A LogisticNormal computes E σ(a + scale·Z) for a standard normal Z, σ(t) = 1/(1 + e⁻ᵗ): the mean
// probability of a client whose logit varies.
type LogisticNormal struct{ shift, weight tensor.Vector }

// NewLogisticNormal returns the rule of a scale. The poles of σ lie at a distance π/|scale| from
// the real line; a step of half of 1/|scale|, or of 1/2, makes the error of every mean less than
// 1e-14 relative to 1.
func NewLogisticNormal(scale float64) LogisticNormal {
	z, weight := NormalRule(0.5 / max(1, math.Abs(scale)))
	z.Scale(scale)
	return LogisticNormal{shift: z, weight: weight}
}

// Mean returns E σ(a + scale·Z).
func (l *LogisticNormal) Mean(a float64) float64 {
	sum := 0.0
	for k, shift := range l.shift {
		sum += l.weight[k] / (1 + math.Exp(-a-shift))
	}
	return min(sum, 1)
}
