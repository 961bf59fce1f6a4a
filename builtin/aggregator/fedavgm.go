// FedAvgM — federated averaging with momentum at the server.
//
//	T.-M. H. Hsu, H. Qi, M. Brown. Measuring the Effects of Non-Identical Data Distribution for
//	Federated Visual Classification. arXiv:1909.06335, 2019, §4.3.
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Algorithm 1, which adds the rate η_g.
//
// Notation: Δ the weighted mean of the cohort's deltas, v the velocity, 0 at first, β momentum:
//
//	v ← βv + Δ,    θᵗ = θᵗ⁻¹ + η_g v.
//
// β = 0 and η_g = 1 is FedAvg, to the bit. With an inner aggregator Δ is its step
// θ − θᵗ⁻¹, and β = 0 and η_g = 1 is that one, to the bit. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAvgM describes the aggregator to the registry.
var FedAvgM = fl.AggregatorEntry{
	Name:    "fedavgm",
	Summary: "weighted mean of deltas, with momentum at the server",
	Paper:   "hsu2019",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return stepAlong(p, newMean(p), &fedAvgM{
			beta: p.Float("momentum", 0.9, fl.RightOpen(0, 1), "β, what stays of the velocity"),
			rate: newServerRate(p),
		}), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}

// fedAvgM keeps v in State.
type fedAvgM struct {
	beta float64     // β, [0, 1)
	rate *serverRate // η_g
}

var _ fl.ServerOptimizer = (*fedAvgM)(nil)

// Step implements fl.ServerOptimizer. It makes θᵗ⁻¹ + Δ what the formula says by adding the rest,
// which is 0 for FedAvg.
func (a *fedAvgM) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	v := r.State.Vector("velocity", len(next))
	beta, rate := a.beta, a.rate.of(r)
	for i, before := range r.Global {
		delta := next[i] - before
		next[i] += rate*beta*v[i] + (rate-1)*delta
		v[i] = beta*v[i] + delta
	}
	return fl.Outcome{Params: next}, nil
}
