// The Skellam mechanism.
//
// Agarwal, Kairouz, Liu (2021) "The Skellam Mechanism for Differentially Private Federated
// Learning", NeurIPS, Corollary 3.6. Checked against copies of its accounting code.
//
// Notation: X − Y for independent X, Y ~ Poisson(λ/2), with variance λ; Δ₁, Δ₂ bound by how much
// the sum of integer vectors moves in the 1-norm and the 2-norm. For integer orders α > 1
//
//	D_α ≤ αΔ₂²/2λ + min{((2α − 1)Δ₂² + 6Δ₁)/4λ², 3Δ₁/2λ}
//
// The sum of the Skellam noise of n clients with variance λ/n is Skellam noise with variance λ,
// which the discrete Gaussian's is not.
package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// mostMean bounds the mean of one Poisson draw, whose exp(−mean) must not underflow.
const mostMean = 500

// Skellam draws the difference of two Poisson variables with variance lambda in all. Means are
// split into pieces of 500 at most, each drawn by multiplying uniform numbers (Knuth): exact but
// for the rounding of the products, in a time that grows with lambda.
func Skellam(lambda float64, rng *rand.Rand) (int64, error) {
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return 0, fmt.Errorf("the variance is %v: it must be at least 0 and finite", lambda)
	}
	return poisson(lambda/2, rng) - poisson(lambda/2, rng), nil
}

func poisson(mean float64, rng *rand.Rand) int64 {
	total := int64(0)
	for mean > 0 {
		piece := min(mean, mostMean)
		mean -= piece
		limit, product := math.Exp(-piece), 1.0
		for {
			// The uniform number lies in (0, 1]: a product of 0 would end early.
			if product *= 1 - rng.Float64(); product <= limit {
				break
			}
			total++
		}
	}
	return total
}

// AddSkellam composes count releases of integer sums with Skellam noise of variance lambda, without
// sampling, when the sum moves by at most one in the 1-norm and two in the 2-norm. Other than
// integer orders lie on the chord, because (α − 1) D_α is convex.
func (r *RDP) AddSkellam(lambda, one, two float64, count int) error {
	if err := checkNoise(lambda, count); err != nil {
		return err
	}
	if !(one >= two && two >= 0) || math.IsInf(one, 1) {
		return fmt.Errorf("the sum moves by %v in the 1-norm and %v in the 2-norm: "+
			"both must be finite and at least 0, and the first not less than the second", one, two)
	}
	if count == 0 || one == 0 {
		return nil
	}
	cumulant := func(order float64) float64 {
		if order <= 1 {
			return 0
		}
		d := order * two * two / (2 * lambda)
		return (order - 1) * (d + min(((2*order-1)*two*two+6*one)/(4*lambda*lambda),
			3*one/(2*lambda)))
	}
	for k, order := range r.orders {
		d := math.Inf(1)
		if lambda > 0 {
			below, above := math.Floor(order), math.Ceil(order)
			t := order - below
			d = ((1-t)*cumulant(below) + t*cumulant(above)) / (order - 1)
		}
		r.divergence[k] += float64(count) * d
	}
	return nil
}
