// FedAdagrad — a server that divides by the root of all squared updates so far.
//
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Algorithm 2.
//
// Notation: Δ the weighted mean of the cohort's deltas, m its running mean, v their sum of squares:
//
//	m ← β₁m + (1 − β₁)Δ,    v ← v + Δ²,    θᵗ = θᵗ⁻¹ + η_g m/(√v + τ).
//
// v is τ² at first. As the paper does in its experiments, β₁ is 0 unless it is given.
// With an inner aggregator Δ is its step θ − θᵗ⁻¹. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAdagrad describes the aggregator to the registry.
var FedAdagrad = fl.AggregatorEntry{
	Name:    "fedadagrad",
	Summary: "weighted mean of deltas, over the root of the sum of their squares",
	Paper:   "reddi2021",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := newAdaptive(p, 0)
		a.second = func(v, square float64) float64 { return v + square }
		return stepAlong(p, newMean(p), a), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}
