// Package mine is the mean of the updates that all clients sent last: the server remembers them.
package mine

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the aggregator. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.AggregatorEntry{
	Name:    "mine",
	Summary: "mean of the updates that all clients sent last, those that are absent included",
	Paper:   "X. Gu, K. Huang, J. Zhang, L. Huang, NeurIPS 2021: MIFA",
	Deviations: "a client that has never participated counts as an update of 0, and clients " +
		"count by their importance",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &mine{p.Float("lr", 1, fl.AtLeast(0), "learning rate of the server η")}, nil
	},
}

// mine keeps in State: latest, a row for each client, and mean, as long as the model. State is
// zeros when it is first asked for, lasts from one round to the next and is part of checkpoints.
// Fields are not part of checkpoints: they hold parameters and nothing that a round changes.
type mine struct{ rate float64 }

// Aggregate returns θᵗ = θᵗ⁻¹ + η·Σ pᵢGᵢ over all clients, where Gᵢ = θᵢ − θᵗ⁻¹ is renewed when
// client i participates. The Round holds all that a server may know: r.Global is θᵗ⁻¹; each of
// r.Updates has its Client, its Samples and its Params θ; r.Roster lists the clients. Only State
// and Notes may be written to. What clients are to read in the next round goes into
// Outcome.Broadcast, for all, or Outcome.Mail, for one: both are counted when they are sent.
func (m *mine) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	latest := r.State.Matrix("latest", r.Roster.N, len(r.Global))
	mean := r.State.Vector("mean", len(r.Global))
	for _, u := range r.Updates {
		own, share := latest.Row(u.Client), r.Roster.Importance[u.Client]
		mean.AddScaled(-share, own)
		copy(own, u.Params)
		own.AddScaled(-1, r.Global)
		mean.AddScaled(share, own)
	}
	next := r.Scratch(len(r.Global)) // zeros, valid until Aggregate returns
	copy(next, r.Global)
	next.AddScaled(m.rate, mean)
	return fl.Outcome{Params: next}, nil
}
