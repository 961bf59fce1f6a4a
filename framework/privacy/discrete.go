// Noise on integers.
//
// Canonne, Kamath, Steinke (2020) "The Discrete Gaussian for Differential Privacy", NeurIPS,
// Algorithms 1–3. Checked against cdp2adp.py of IBM/discrete-gaussian-differential-privacy and
// copies of its sampler.
//
// Notation: P(x) ∝ exp(−x²/2σ²) on the integers. Added to a sum that moves by at most Δ it is as
// private as Gaussian noise in the sense of Rényi divergences: ρ = Δ²/2σ² (their Theorem 4).
//
// A draw uses nothing but comparisons of integers: its law is exact if the generator's 64-bit
// words are uniform. Sums of discrete Gaussians are close to one, not equal (Kairouz, Liu, Steinke
// 2021); Skellam variables are closed under sums.
//
// Departures: where the paper's Bernoulli(γ/k) has a fraction with the denominator k·b, two draws
// are made, Bernoulli(γ) and Bernoulli(1/k): the same law in 64-bit words.
package privacy

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// A DiscreteGaussian draws from the discrete Gaussian whose σ² is a fraction.
type DiscreteGaussian struct {
	over, under uint64 // σ² = over/under
	scale       uint64 // t = ⌊σ⌋ + 1, of the discrete Laplace variable that is drawn first
}

// mostParts bounds 2·over·under·scale², which must fit in 63 bits.
const mostParts = 1 << 62

// NewDiscreteGaussian returns a sampler for σ² = over/under. It refuses fractions with so many
// digits, or so large, that integers of 64 bits do not hold the comparisons: with a denominator of
// 1 σ may be 38,000.
func NewDiscreteGaussian(over, under uint64) (*DiscreteGaussian, error) {
	if over == 0 || under == 0 {
		return nil, fmt.Errorf("the variance is %d/%d: both parts must be positive", over, under)
	}
	tooLarge := fmt.Errorf("the variance %d/%d is too large, or has too many digits, "+
		"to be drawn exactly", over, under)
	if over/under > 1<<40 {
		return nil, tooLarge
	}
	scale := uint64(math.Sqrt(float64(over) / float64(under)))
	for scale > 0 && scale*scale > over/under {
		scale--
	}
	for (scale+1)*(scale+1) <= over/under {
		scale++
	}
	scale++
	if 2*float64(over)*float64(under)*float64(scale)*float64(scale) > mostParts {
		return nil, tooLarge
	}
	return &DiscreteGaussian{over: over, under: under, scale: scale}, nil
}

// Draw draws an integer.
func (d *DiscreteGaussian) Draw(rng *rand.Rand) int64 {
	whole := 2 * d.over * d.under * d.scale * d.scale
	for {
		y := discreteLaplace(d.scale, rng)
		// γ = (|y| − σ²/t)²/2σ² = (|y|·t·under − over)²/(2·over·under·t²)
		off := int64(uint64(max(y, -y))*d.scale*d.under) - int64(d.over)
		hi, lo := bits.Mul64(uint64(max(off, -off)), uint64(max(off, -off)))
		if hi >= whole {
			continue // exp(−2⁶⁴) is never accepted
		}
		times, rest := bits.Div64(hi, lo, whole)
		if bernoulliExp(times, rest, whole, rng) {
			return y
		}
	}
}

// Variance returns the variance of the discrete Gaussian, which is at most σ².
func (d *DiscreteGaussian) Variance() float64 {
	s := float64(d.over) / float64(d.under)
	total, squares := 1.0, 0.0
	for x := 1.0; x*x/(2*s) < 750; x++ {
		p := 2 * math.Exp(-x*x/(2*s))
		total += p
		squares += p * x * x
	}
	return squares / total
}

// discreteLaplace draws an integer with P(x) ∝ exp(−|x|/scale): Algorithm 2.
func discreteLaplace(scale uint64, rng *rand.Rand) int64 {
	for {
		u := rng.Uint64N(scale)
		if !bernoulliExp(0, u, scale, rng) {
			continue
		}
		v := uint64(0)
		for bernoulliExp(1, 0, 1, rng) {
			v++
		}
		x := int64(u + scale*v)
		negative := rng.Uint64()&1 == 1
		switch {
		case !negative:
			return x
		case x != 0:
			return -x
		}
	}
}

// bernoulliExp is true with probability exp(−times − a/b), for a < b: Algorithm 1.
func bernoulliExp(times, a, b uint64, rng *rand.Rand) bool {
	for ; times > 0; times-- {
		if !bernoulliExp01(1, 1, rng) {
			return false
		}
	}
	return a == 0 || bernoulliExp01(a, b, rng)
}

// bernoulliExp01 is true with probability exp(−a/b), for a ≤ b.
func bernoulliExp01(a, b uint64, rng *rand.Rand) bool {
	for k := uint64(1); ; k++ {
		if !(rng.Uint64N(b) < a && rng.Uint64N(k) == 0) {
			return k%2 == 1
		}
	}
}
