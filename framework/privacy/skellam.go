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

// leastMean is the mean from which on a Poisson variable is drawn by rejection.
const leastMean = 10

// Skellam draws the difference of two Poisson variables with variance lambda in all, each by
// multiplying uniform numbers (Knuth) or, from a mean of 10 on, by the transformed rejection of
// Hörmann (1993): exact but for the rounding of float64.
func Skellam(lambda float64, rng *rand.Rand) (int64, error) {
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return 0, fmt.Errorf("the variance is %v: it must be at least 0 and finite", lambda)
	}
	return poisson(lambda/2, rng) - poisson(lambda/2, rng), nil
}

func poisson(mean float64, rng *rand.Rand) (total int64) {
	if mean >= leastMean {
		return poissonByRejection(mean, rng)
	}
	limit, product := math.Exp(-mean), 1.0
	for {
		// The uniform number lies in (0, 1]: a product of 0 would end early.
		if product *= 1 - rng.Float64(); product <= limit {
			return total
		}
		total++
	}
}

// poissonByRejection is algorithm PTRS of W. Hörmann, The transformed rejection method for
// generating Poisson random variables, Insurance: Mathematics and Economics 12, 1993.
func poissonByRejection(mean float64, rng *rand.Rand) int64 {
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	inverse, sure := 1.1239+1.1328/(b-3.4), 0.9277-3.6224/(b-2)
	logMean := math.Log(mean)
	for {
		u, v := rng.Float64()-0.5, 1-rng.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+b)*u + mean + 0.43)
		if us >= 0.07 && v <= sure {
			return int64(k)
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		factorial, _ := math.Lgamma(k + 1)
		if math.Log(v*inverse/(a/(us*us)+b)) <= k*logMean-mean-factorial {
			return int64(k)
		}
	}
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
	for k, order := range r.orders {
		r.divergence[k] += float64(count) * skellamDivergence(lambda, one, two, order)
	}
	return nil
}

// skellamDivergence returns the bound of D_α.
func skellamDivergence(lambda, one, two, order float64) float64 {
	if lambda == 0 {
		return math.Inf(1)
	}
	cumulant := func(order float64) float64 {
		if order <= 1 {
			return 0
		}
		d := order * two * two / (2 * lambda)
		return (order - 1) * (d + min(((2*order-1)*two*two+6*one)/(4*lambda*lambda),
			3*one/(2*lambda)))
	}
	return chord(cumulant, order)
}
