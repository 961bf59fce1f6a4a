// Skellam mechanism — clients round clipped updates to integers and add their share of Skellam
// noise; the server gets their sum modulo 2ᵇ, and nothing else.
//
//	N. Agarwal, P. Kairouz, Z. Liu. The Skellam Mechanism for Differentially Private Federated
//	Learning. NeurIPS 2021, Algorithm 1 with Corollary 3.6.
//
// Notation: as for dp-ddgauss, whose algorithm it is but for the noise: shares are differences of
// two Poisson variables, each of mean (sz)²/2|Sᵗ|. Their sum is a Skellam variable of variance
// (sz)² for any number of clients.
//
// With z = 0 it is dp-ddgauss without noise, to the bit.
//
// Departures: those of dp-ddgauss; no variance is rounded.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// DPSkellam describes the aggregator to the registry.
var DPSkellam = fl.AggregatorEntry{
	Name:       "dp-skellam",
	Summary:    "secure sum of integers, to which clients add shares of Skellam noise",
	Paper:      "agarwal2021",
	Deviations: "clients have weight 1; shares depend on the size of the cohort, which is known",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return newSecureSum(p, fl.Skellam), nil
	},
	Traits: secureTraits(fl.Skellam),
	Waives: secureWaives,
}
