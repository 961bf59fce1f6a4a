// FedOpt — any optimizer at the server, for which the mean update is the gradient.
//
//	S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. Kumar, H. B. McMahan.
//	Adaptive Federated Optimization. ICLR 2021, Algorithm 1.
//
// Notation: Δ the weighted mean of the cohort's deltas. θᵗ is what a step of the optimizer makes of
// θᵗ⁻¹ along −Δ at the rate η_g. With sgd and η_g = 1 that is FedAvg. With an inner aggregator Δ is
// its step θ − θᵗ⁻¹, and sgd gives it a rate of the server.
//
// Departures: optimizers are those of local training, as they are there: adam corrects the bias of
// its means, which fedadam, as published, does not.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedOpt describes the aggregator to the registry.
var FedOpt = fl.AggregatorEntry{
	Name:       "fedopt",
	Summary:    "an optimizer of the menu at the server, along the weighted mean of deltas",
	Paper:      "reddi2021",
	Deviations: "adam corrects the bias of its means, as in local training",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return stepAlong(p, newMean(p), &fedOpt{
			optimizer: p.Optimizer("optimizer", "sgd", "how the server steps along −Δ"),
			rate:      newServerRate(p),
		}), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}

// fedOpt keeps in State what the optimizer keeps, and how many steps it has made.
type fedOpt struct {
	optimizer fl.Optimizer
	rate      *serverRate // η_g
	step      fl.Step
}

var _ fl.ServerOptimizer = (*fedOpt)(nil)

// slots are the names of what an optimizer keeps.
var slots = [...]string{"slot 1", "slot 2", "slot 3", "slot 4"}

// Step implements fl.ServerOptimizer.
func (a *fedOpt) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	made := r.State.Vector("steps", 1)
	s := &a.step
	s.T, s.Rate, s.Grad, s.Slots = int(made[0]), a.rate.of(r), r.Scratch(len(next)), s.Slots[:0]
	for k := range a.optimizer.Slots() {
		s.Slots = append(s.Slots, r.State.Vector(slots[k], len(next)))
	}
	copy(s.Grad, r.Global)
	s.Grad.Sub(next)
	copy(next, r.Global)
	s.Params = next
	a.optimizer.Step(s)
	made[0]++
	return fl.Outcome{Params: next}, nil
}
