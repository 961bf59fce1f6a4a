// Rényi divergence of the Gaussian mechanism under independent (Poisson) sampling.
//
// Mironov, Talwar, Zhang (2019) "Rényi Differential Privacy of the Sampled Gaussian Mechanism",
// arXiv:1908.10530, Section 3.3. Checked against rdp_privacy_accountant.py of
// google/differential-privacy.
//
// Notation: P₀ = N(0, σ²), P₁ = N(1, σ²), P = (1 − q)P₀ + qP₁; A_α = E_{P₀} (dP/dP₀)^α. The other
// direction, E_P (dP₀/dP)^α, is never larger (Theorem 5).
//
//	integer α:  A_α = Σₖ C(α, k) (1 − q)^(α−k) qᵏ exp((k² − k)/2σ²)
//	any α:      both factors of the binomial series, each on the side of z₀ = σ² log(1/q − 1) + ½
//	            where it converges; j = α − k:
//	            A_α = Σₖ C(α, k) [qᵏ (1 − q)ʲ exp((k² − k)/2σ²) Φ((z₀ − k)/σ)
//	                            + qʲ (1 − q)ᵏ exp((j² − j)/2σ²) Φ((j − z₀)/σ)]
//
// Departures: the terms k = 0, 1 of integer orders sum to 1 with the 1 taken from the others, so
// that log A_α keeps its relative precision near 0. The series of other orders alternates beyond
// k = α with terms that shrink; what follows the last term is less than that term, which is added:
// the sum is an upper bound wherever it stops, where the official code gives up after 1000 terms.
package privacy

import "math"

// mostTerms is where the series stops at the latest.
const mostTerms = 1000

// logMoment returns log A_α for a rate strictly between 0 and 1.
func logMoment(rate, sigma, order float64) float64 {
	if order == math.Trunc(order) {
		return logMomentInteger(rate, sigma, int(order))
	}
	return logMomentReal(rate, sigma, order)
}

func logMomentInteger(rate, sigma float64, order int) float64 {
	rest := math.Inf(-1)
	for k := 2; k <= order; k++ {
		choose, _ := logBinomial(float64(order), k)
		weight := choose + float64(k)*math.Log(rate) + float64(order-k)*math.Log1p(-rate)
		rest = logAdd(rest, weight+logExpm1(float64(k)*float64(k-1)/(2*sigma*sigma)))
	}
	return logAdd(0, rest)
}

func logMomentReal(rate, sigma, order float64) float64 {
	turn := sigma*sigma*(math.Log1p(-rate)-math.Log(rate)) + 0.5
	in, out := math.Log(rate), math.Log1p(-rate)
	sum := [2]float64{math.Inf(-1), math.Inf(-1)} // of the positive terms, of the negative ones
	last := math.Inf(-1)
	for i := 0; i < mostTerms; i++ {
		choose, sign := logBinomial(order, i)
		k, j := float64(i), order-float64(i)
		left := k*in + j*out + (k*k-k)/(2*sigma*sigma) + logNormal((turn-k)/sigma)
		right := j*in + k*out + (j*j-j)/(2*sigma*sigma) + logNormal((j-turn)/sigma)
		last = choose + logAdd(left, right)
		side := 0
		if sign < 0 {
			side = 1
		}
		sum[side] = logAdd(sum[side], last)
		if k > order && last < sum[0]-38 {
			break
		}
	}
	positive := logAdd(sum[0], last)
	// A_α is at least 1, which rounding may hide.
	return max(0, positive+math.Log1p(-math.Exp(sum[1]-positive)))
}
