// Naive — the mean of what comes, whoever that is.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Eq. (10).
//
// Notation: Sᵗ the cohort, Δᵢ = θᵢ − θᵗ⁻¹, η_g the server's rate. Its limit has weights in
// proportion to how often a client comes, eᵢsᵢ, and not to p.
// Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Naive describes the aggregator to the registry.
var Naive = fl.AggregatorEntry{
	Name:    "naive",
	Summary: "plain mean of the cohort's deltas, whichever clients participate",
	Paper:   "fedipw",
	Weighs:  true,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &naive{serverRate(p)}, nil
	},
}

type naive struct{ rate float64 } // η_g

var _ fl.Aggregator = (*naive)(nil)

// Aggregate returns θᵗ⁻¹ + η_g |Sᵗ|⁻¹ Σ Δᵢ.
func (a *naive) Aggregate(r *fl.Round) (fl.Vector, error) {
	if len(r.Updates) == 0 {
		return nil, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return step(r, w, a.rate), nil
}
