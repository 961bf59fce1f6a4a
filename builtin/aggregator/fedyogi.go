// FedYogi — FedAdam whose mean square forgets no faster than updates are large.
//
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Algorithm 2.
//
// Notation: Δ the weighted mean of the cohort's deltas, m its running mean, v follows its square:
//
//	m ← β₁m + (1 − β₁)Δ,    v ← v − (1 − β₂)Δ² sign(v − Δ²),    θᵗ = θᵗ⁻¹ + η_g m/(√v + τ).
//
// v is τ² at first, and changes by (1 − β₂)Δ² at most. Where v = Δ² it stays.
// With an inner aggregator Δ is its step θ − θᵗ⁻¹. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedYogi describes the aggregator to the registry.
var FedYogi = fl.AggregatorEntry{
	Name:    "fedyogi",
	Summary: "weighted mean of deltas, over a root that follows their squares slowly",
	Paper:   "reddi2021",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := newAdaptive(p, 0.9)
		beta2 := newBeta2(p)
		a.second = func(v, square float64) float64 {
			switch step := (1 - beta2) * square; {
			case v > square:
				return v - step
			case v < square:
				return v + step
			}
			return v
		}
		return stepAlong(p, newMean(p), a), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}
