// Package mine is FedAvg with momentum at the server.
package mine

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the aggregator. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.AggregatorEntry{
	Name:    "mine",
	Summary: "weighted mean of the clients' updates, with momentum at the server",
	Paper:   "T.-M. H. Hsu, H. Qi, M. Brown, 2019: FedAvgM",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &mine{p.Float("beta", 0.9, fl.RightOpen(0, 1), "momentum β")}, nil
	},
}

// mine keeps in State: step, as long as the model. State lasts from one round to the next and is
// part of checkpoints; fields are not, so that a run that was stopped can go on.
type mine struct{ beta float64 }

// Aggregate returns θᵗ = θᵗ⁻¹ + Σ wₖ(θₖ − θᵗ⁻¹) + β(θᵗ⁻¹ − θᵗ⁻²), with wₖ = nₖ/Σn. The Round
// holds all that a server may know: r.Global is θᵗ⁻¹; each of r.Updates has its Client, its
// Samples n and its Params θ; r.Roster lists the clients, and r.Law is the cohort distribution
// with its inclusion probabilities. Only State and Notes may be written to. A rule that needs
// no θ can be an fl.Weigher instead: then memory does not grow with the cohort.
func (m *mine) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	w := r.Scratch(len(r.Updates)) // zeros, valid until Aggregate returns
	for k, u := range r.Updates {
		w[k] = float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	step := r.State.Vector("step", len(r.Global)) // zeros in the first round
	next := r.CombineDeltas(w)
	next.AddScaled(m.beta, step)
	copy(step, next)
	step.AddScaled(-1, r.Global)
	return fl.Outcome{Params: next}, nil
}
