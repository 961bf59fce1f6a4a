// Rényi divergence of the Gaussian mechanism under sampling without replacement.
//
// Wang, Balle, Kasiviswanathan (2019) "Subsampled Rényi Differential Privacy and Analytical Moments
// Accountant", AISTATS, Theorem 27 (the Gaussian case; arXiv:1808.00087) and Corollary 10. Checked
// against rdp_privacy_accountant.py of google/differential-privacy.
//
// Notation: γ = m/n, the rate; ε(j) = j/2σ², the divergence without sampling, where one sensitivity
// is the distance of the sums when one client is replaced by another; B(ℓ) = E_Q (dP/dQ − 1)^ℓ for
// P = N(1, σ²), Q = N(0, σ²).
//
//	(α − 1) ε'(α) ≤ log(1 + γ² C(α, 2) min{4(e^ε(2) − 1), 2e^ε(2)}
//	              + Σ_{j=3}^α γʲ C(α, j) min{4 √(B(2⌊j/2⌋) B(2⌈j/2⌉)), 2e^((j−1)ε(j))})
//
// for integer α; other orders lie on the chord, because (α − 1) ε'(α) is convex.
//
// Departures: B(ℓ) is an alternating sum of ℓ + 1 terms in the paper. Here it is integrated by the
// trapezoidal rule, which converges faster than geometrically on an entire integrand, and has no
// negative term for even ℓ. Like the official code, orders above 256 take the second member of
// every minimum.
package privacy

import "math"

// mostDifferences is the largest order whose bound takes B(ℓ).
const mostDifferences = 256

// A replacement is the bound of one rate and noise.
type replacement struct {
	rate, sigma float64
	even        []float64 // log B(2k), by k
}

func newReplacement(rate, sigma float64, orders []float64) replacement {
	most := 2.0
	for _, a := range orders {
		if up := math.Ceil(a); up <= mostDifferences {
			most = max(most, up)
		}
	}
	return replacement{rate: rate, sigma: sigma, even: logEvenMoments(sigma, int(most+1)/2)}
}

// divergence returns ε'(α).
func (r *replacement) divergence(order float64) float64 {
	below, above := math.Floor(order), math.Ceil(order)
	t := order - below
	return ((1-t)*r.cumulant(int(below)) + t*r.cumulant(int(above))) / (order - 1)
}

// cumulant returns the bound of (α − 1) ε'(α) for an integer.
func (r *replacement) cumulant(order int) float64 {
	if order <= 1 {
		return 0
	}
	noise := 1 / (r.sigma * r.sigma)
	sum := 0.0 // in logarithms
	for j := 2; j <= order; j++ {
		choose, _ := logBinomial(float64(order), j)
		term := math.Ln2 + float64(j)*float64(j-1)/2*noise
		switch {
		case j == 2:
			term = min(term, 2*math.Ln2+logExpm1(noise))
		case order <= mostDifferences:
			term = min(term, 2*math.Ln2+(r.even[j/2]+r.even[(j+1)/2])/2)
		}
		sum = logAdd(sum, choose+float64(j)*math.Log(r.rate)+term)
	}
	return sum
}

// logEvenMoments returns log B(2k) for k = 0 … most.
func logEvenMoments(sigma float64, most int) []float64 {
	const step = 0.15 // of the trapezoidal rule: its error is of the order of exp(−2π²/step²)
	degree := float64(2 * most)
	low, high := -2*math.Sqrt(degree)-12, 2*math.Sqrt(degree)+degree/sigma+12
	var density, base []float64 // logarithms
	for u := low; u <= high; u += step {
		y := u/sigma - 1/(2*sigma*sigma)
		ratio := math.Log(-math.Expm1(-math.Abs(y))) + max(y, 0) // log |eʸ − 1|
		density = append(density, -u*u/2+math.Log(step/math.Sqrt(2*math.Pi)))
		base = append(base, ratio)
	}
	even := make([]float64, most+1)
	for k := 1; k <= most; k++ {
		peak, sum := math.Inf(-1), 0.0
		for i, d := range density {
			peak = max(peak, d+float64(2*k)*base[i])
		}
		for i, d := range density {
			sum += math.Exp(d + float64(2*k)*base[i] - peak)
		}
		even[k] = peak + math.Log(sum)
	}
	return even
}
