// Naive — the plain mean over the participants.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Eq. (10).
//
// Notation: Sᵗ the cohort, Δᵢ = θᵢ − θᵗ⁻¹, η_g the server's rate. Its limit has weights in
// proportion to how often a client participates, eᵢsᵢ, and not to p. Clients that were
// selected several times count as often. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Naive describes the aggregator to the registry.
var Naive = fl.AggregatorEntry{
	Name:    "naive",
	Summary: "plain mean of the cohort's deltas, whichever clients participate",
	Paper:   "fedipw",
	Traits:  fl.AggregatorTraits{Repeats: true},
	New: func(p *fl.Params) (fl.Aggregator, error) {
		rate := newMeanRate(p)
		if rate.extrapolates() {
			return &fedExP{epsilon: rate.epsilon, mean: naive{}}, nil
		}
		return fl.WeighThen(naive{}, rate), nil
	},
}

// naive keeps nothing in State.
type naive struct{}

var _ fl.Weigher = naive{}

// Weights returns |Sᵗ|⁻¹ of deltas.
func (naive) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = r.Count(k) / r.Counted()
	}
	return fl.Weights{By: w, Deltas: true}, nil
}
