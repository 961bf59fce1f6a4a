// Naive — the plain mean over the participants: agnostic FedAvg.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Eq. (10).
//	S. A. Rahimi, D. Kalogerias. Convergence of Agnostic Federated Averaging. CAMSAP 2025
//	(arXiv:2507.10325): the same rule, where nothing is known of participation.
//
// Notation: Sᵗ the cohort, Δᵢ = θᵢ − θᵗ⁻¹, η_g the server's rate. Its limit has weights in
// proportion to how often a client participates, eᵢsᵢ, and not to p: where cohorts differ in size,
// to ρᵢ, the mean of 1/|S| over cohorts with client i. It converges to the minimum of Σ ρᵢFᵢ.
// Clients that were selected several times count as often. weights = "uniform" of fedavg is the
// same. Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Naive describes the aggregator to the registry.
var Naive = fl.AggregatorEntry{
	Name:    "naive",
	Summary: "plain mean of the cohort's deltas, whichever participate: agnostic FedAvg",
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
