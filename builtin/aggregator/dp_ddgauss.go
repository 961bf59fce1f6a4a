// Distributed discrete Gaussian — clients round clipped updates to integers and add their share of
// the noise; the server gets their sum modulo 2ᵇ, and nothing else.
//
//	P. Kairouz, Z. Liu, T. Steinke. The Distributed Discrete Gaussian Mechanism for Federated
//	Learning with Secure Aggregation. ICML 2021, Algorithms 1 and 2, Theorem 1.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, C the clipping radius, z the noise multiplier, m a fixed number, by
// default the expected size of a cohort, n the largest cohort, d the parameters of the model,
// padded to a power of 2; H·D a Walsh–Hadamard matrix with random signs, the same for all clients
// of a round; s integers to a radius, which follow from n, d, z, b and a range of k standard
// deviations (privacy.Distributed):
//
//	client   x = H·D·clip(Δₖ, C)·s/C, rounded to x̃ with mean x, again until ‖x̃‖ ≤ Δ₂ of β;
//	         yₖ = x̃ + discrete Gaussian noise of variance (sz)²/|Sᵗ| on each coordinate, mod 2ᵇ
//	server   y = Σ_S yₖ mod 2ᵇ, as integers in (−2ᵇ⁻¹, 2ᵇ⁻¹],    θᵗ = θᵗ⁻¹ + η_g/m·Dᵀ·Hᵀ·y·C/s.
//
// Of the sum a server learns nothing but y: no cryptography is here, but its arithmetic. An update
// is counted as d·b bits. Sums that leave the range wrap around; what share of coordinates did is
// observed, which a simulation sees and a server does not.
//
// With z = 0 it is secure aggregation alone: the mean of rounded updates, which differs from the
// plain one by less than |Sᵗ|·√d·C/(sm) as long as nothing wraps around.
//
// The privacy is that of Proposition 14, for cohorts of a known size, of clients that all add their
// share. An empty cohort has no noise.
//
// Running statistics of batch norms are clipped and get noise with all else, and no rate of the
// server moves them. A variance that would be zero or less stays as it was.
//
// Departures: clients have weight 1. Shares are of the variance of the whole cohort, so that noise
// is the same for cohorts of any size up to n. σ² is a fraction, rounded up. The signs are those of
// a round, and part of what is released.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// DPDDGauss describes the aggregator to the registry.
var DPDDGauss = fl.AggregatorEntry{
	Name:    "dp-ddgauss",
	Summary: "secure sum of integers, to which clients add shares of discrete Gaussian noise",
	Paper:   "kairouz2021ddg",
	Deviations: "clients have weight 1; shares depend on the size of the cohort, which is known; " +
		"variances are fractions, rounded up",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return newSecureSum(p, fl.DiscreteGaussian), nil
	},
	Traits: secureTraits(fl.DiscreteGaussian),
	Waives: secureWaives,
}
