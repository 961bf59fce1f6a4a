// The Gaussian mechanism, exactly.
//
// Balle, Wang (2018) "Improving the Gaussian Mechanism for Differential Privacy: Analytical
// Calibration and Optimal Denoising", ICML, Theorem 8. For composition: Dong, Roth, Su (2022)
// "Gaussian Differential Privacy", JRSS-B 84(1), Corollary 3.3.
//
// Notation: Δ is how far neighbouring sums lie apart, σ the standard deviation of the noise,
// μ = Δ/σ.
//
//	δ(ε) = Φ(μ/2 − ε/μ) − e^ε · Φ(−μ/2 − ε/μ)
//
// Releases with μ₁, …, μ_T, chosen adaptively, are as private as one with μ = √Σ μₜ².
package privacy

import (
	"fmt"
	"math"
)

// A Gaussian is the privacy of Gaussian mechanisms without sampling: the closed form. The zero
// value has released nothing.
type Gaussian struct{ squared float64 } // Σ μₜ²

// Add composes count releases whose noise has a standard deviation of sigma sensitivities.
func (g *Gaussian) Add(sigma float64, count int) error {
	if err := checkNoise(sigma, count); err != nil {
		return err
	}
	if count > 0 {
		g.squared += float64(count) / (sigma * sigma)
	}
	return nil
}

// Mu returns μ: the distance of neighbouring sums in standard deviations of the noise.
func (g *Gaussian) Mu() float64 { return math.Sqrt(g.squared) }

// Delta returns the least δ with which the releases are (ε, δ)-private.
func (g *Gaussian) Delta(epsilon float64) float64 { return gaussianDelta(g.Mu(), epsilon) }

// Epsilon returns the least ε ≥ 0 with which the releases are (ε, δ)-private: +Inf for δ = 0,
// unless nothing was released.
func (g *Gaussian) Epsilon(delta float64) float64 {
	mu := g.Mu()
	if gaussianDelta(mu, 0) <= delta {
		return 0
	}
	if !(delta > 0) || math.IsInf(mu, 1) {
		return math.Inf(1)
	}
	high := 1.0
	for gaussianDelta(mu, high) > delta {
		high *= 2
	}
	enough := func(epsilon float64) bool { return gaussianDelta(mu, epsilon) <= delta }
	return bisect(0, high, enough)
}

// GaussianSigma returns the least noise, in sensitivities, with which count releases of the
// Gaussian mechanism are (ε, δ)-private.
func GaussianSigma(epsilon, delta float64, count int) (float64, error) {
	switch {
	case !(epsilon >= 0) || math.IsInf(epsilon, 1):
		return 0, fmt.Errorf("epsilon is %v: it must be at least 0 and finite", epsilon)
	case !(delta > 0 && delta < 1):
		return 0, fmt.Errorf("delta is %v: it must lie between 0 and 1", delta)
	case count < 1:
		return 0, fmt.Errorf("%d releases: there must be at least 1", count)
	}
	low, high := 0.0, 1.0 // of 1/μ: δ falls in it
	enough := func(sigma float64) bool { return gaussianDelta(1/sigma, epsilon) <= delta }
	for !enough(high) {
		low, high = high, 2*high
	}
	return math.Sqrt(float64(count)) * bisect(low, high, enough), nil
}

// bisect returns the least number in (low, high] for which ok holds, to the last bit, when it
// holds from some number on and holds at high. What it returns is always one for which ok holds.
func bisect(low, high float64, ok func(float64) bool) float64 {
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if ok(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}

// gaussianDelta is the closed form, with the two terms compared by their logarithms: the second is
// often as large as the first.
func gaussianDelta(mu, epsilon float64) float64 {
	switch {
	case mu == 0:
		return max(0, -math.Expm1(epsilon))
	case math.IsInf(mu, 1):
		return 1
	}
	first := logNormal(mu/2 - epsilon/mu)
	second := epsilon + logNormal(-mu/2-epsilon/mu)
	return max(0, -math.Exp(first)*math.Expm1(min(0, second-first)))
}

// logNormal returns log Φ(x) with small relative error, wherever x lies.
func logNormal(x float64) float64 {
	if x > -30 {
		return math.Log(normal(x))
	}
	// Abramowitz, Stegun 26.2.12. Ten terms: the last is of the order of 1e-20.
	sum, term := 1.0, 1.0
	for k := 1; k < 10; k++ {
		term *= -float64(2*k-1) / (x * x)
		sum += term
	}
	return -x*x/2 - math.Log(-x) - math.Log(2*math.Pi)/2 + math.Log(sum)
}

// normal returns Φ(x), with small relative error in the left tail.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// checkNoise refuses what is no release.
func checkNoise(sigma float64, count int) error {
	switch {
	case math.IsNaN(sigma) || sigma < 0 || math.IsInf(sigma, 1):
		return fmt.Errorf("the noise is %v: it must be a number of at least 0", sigma)
	case count < 0:
		return fmt.Errorf("%d releases: there must be at least 0", count)
	}
	return nil
}

// checkEpsilon refuses a target that no accountant can reach.
func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("epsilon is %v: it must be at least 0 and finite", epsilon)
	}
	return nil
}

// checkDelta refuses a target that no accountant can reach.
func checkDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta is %v: it must lie between 0 and 1", delta)
	}
	return nil
}
