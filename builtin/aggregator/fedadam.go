// FedAdam — a server that divides by the root of a running mean of squared updates.
//
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Algorithm 2.
//
// Notation: Δ the weighted mean of the cohort's deltas, m its running mean, v that of its square:
//
//	m ← β₁m + (1 − β₁)Δ,    v ← β₂v + (1 − β₂)Δ²,    θᵗ = θᵗ⁻¹ + η_g m/(√v + τ).
//
// v is τ² at first, and neither mean is corrected for its bias, as published: so it is not the
// optimizer adam at a server, which fedopt is, and τ is not its ε.
// With an inner aggregator Δ is its step θ − θᵗ⁻¹. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAdam describes the aggregator to the registry.
var FedAdam = fl.AggregatorEntry{
	Name:    "fedadam",
	Summary: "weighted mean of deltas, over the root of the running mean of their squares",
	Paper:   "reddi2021",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := newAdaptive(p, 0.9)
		beta2 := newBeta2(p)
		a.second = func(v, square float64) float64 { return beta2*v + (1-beta2)*square }
		return stepAlong(p, newMean(p), a), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}
