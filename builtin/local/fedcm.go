// FedCM, the client's half — local steps along a gradient and the move of all clients before.
//
//	J. Xu, S. Wang, L. Wang, A. C.-C. Yao. FedCM: Federated Learning with Client-level Momentum.
//	arXiv:2106.10874, 2021, Algorithm 2.
//
// Notation: x the received model, η_l the local rate, K steps, g a gradient, Δ what the clients of
// the round before did on average in a step, which is broadcast, α ∈ (0, 1]. A step is
//
//	x ← x − η_l v,    v = αg + (1 − α)Δ.
//
// It is made as one of rate αη_l along g + (1 − α)/α·Δ, which is the same. Where all clients train
// and x settles, Δ is 0, so that x is where FedAvg of local rate αη_l settles. Beside x the client
// sends η_l K, by which the server divides. With α = 1 it is sgd, bit for bit.
//
// Departures: none. Δ is 0 in the first round, as published, and is sent from the second one on.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedCM describes the local rule to the registry.
var FedCM = fl.LocalRuleEntry{
	Name:    "fedcm",
	Summary: "gradient descent with the mean step of the round before as momentum",
	Paper:   "xu2021",
	New:     newFedCM,
	Traits: fl.LocalTraits{Packed: true, Method: "FedCM", Drift: fl.Drift{Handling: fl.DriftBounded,
		Theory: "where θ settles, it is that of FedAvg with α times the rate"}},
}

// fedCM keeps nothing in State.
type fedCM struct {
	work
	alpha float64 // α
}

var _ fl.LocalRule = (*fedCM)(nil)

func newFedCM(p *fl.Params) (fl.LocalRule, error) {
	return &fedCM{
		alpha: p.Float("alpha", 0.1, fl.LeftOpen(0, 1), "α, the weight of a gradient beside the "+
			"mean step of the round before"),
		work: newWork(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *fedCM) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	length := t.Payload(1, 1)
	length.Data[0] = d.Rate * float64(d.Steps)
	blend(t, d, t.Broadcast["step"].Data, s.alpha)
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"length": length}}, nil
}

// blend makes steps of a descent go along share·g + (1 − share)·step. Without a step, which stands
// for zeros, or with a share of 1 that is a share of g alone.
func blend(t *fl.Task, d *fl.Descent, step fl.Vector, share float64) {
	d.Rate *= share
	if step != nil && share < 1 {
		d.Shift = t.Scratch(len(step))
		d.Shift.AddScaled((1-share)/share, step)
	}
}
