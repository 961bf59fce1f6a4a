// FedAvgM — federated averaging with momentum at the server.
//
//	T.-M. H. Hsu, H. Qi, M. Brown. Measuring the Effects of Non-Identical Data Distribution
//	for Federated Visual Classification. arXiv:1909.06335, 2019: FedAvgM.
//	S. J. Reddi et al. Adaptive Federated Optimization. ICLR 2021, Algorithm 1, which adds the
//	rate η.
//
// Notation: Δ = Σ (nₖ/n)(θₖ − θᵗ⁻¹) the step of FedAvg, v the velocity, β the momentum.

// Package servermomentum is a strategy: an aggregator of two parts, of which the second remembers.
package servermomentum

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ServerMomentum describes the aggregator. It weighs models without a look at them: then they are
// summed as clients finish, and no round needs memory for all of them.
var ServerMomentum = fl.AggregatorEntry{
	Name:    "server-momentum",
	Summary: "federated averaging with momentum at the server",
	Paper:   "T.-M. H. Hsu, H. Qi, M. Brown, arXiv:1909.06335, 2019: FedAvgM",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &serverMomentum{
			beta: p.Float("beta", 0.9, fl.RightOpen(0, 1), "β, share of the velocity that stays"),
			rate: p.Float("server_lr", 1, fl.Above(0), "η, rate of the server"),
		}
		return fl.WeighThen(a, a), nil
	},
}

// serverMomentum keeps in State: velocity, v, as long as the model.
type serverMomentum struct {
	beta float64 // β, [0, 1)
	rate float64 // η
}

// Weights returns nₖ/n.
func (a *serverMomentum) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errors.New("the cohort is empty")
	}
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	return fl.Weights{By: w}, nil
}

// Step makes v ← βv + Δ and returns θᵗ⁻¹ + ηv; next is θᵗ⁻¹ + Δ.
func (a *serverMomentum) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	v := r.State.Vector("velocity", len(r.Global)) // zeros in the first round
	v.Scale(a.beta)
	v.Add(next)
	v.Sub(r.Global)
	copy(next, r.Global)
	next.AddScaled(a.rate, v)
	return fl.Outcome{Params: next}, nil
}
