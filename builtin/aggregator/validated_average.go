// Validated average — a weighted mean of models at the learning rate that validation chooses.
//
//	B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas. Communication-
//	Efficient Learning of Deep Networks from Decentralized Data. AISTATS 2017, Alg. 1.
//
// Notation: for every rate r a client sends its model θᵢʳ and its loss Lᵢʳ, summed over the
// training samples that it held out; see the local rule validated-sgd.
//
// The rate is argmin_r Σᵢ Lᵢʳ, the smallest of equal ones; the result is Σ wᵢθᵢʳ at that rate. The
// losses are those of the clients' own models, not of their mean, which would take another round.

package aggregator

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ValidatedAverage describes the aggregator to the registry.
var ValidatedAverage = fl.AggregatorEntry{
	Name:       "validated-average",
	Summary:    "weighted mean of models at the learning rate with the least validation loss",
	Paper:      "mcmahan2017",
	Deviations: "clients send a model for every learning rate",
	New:        newValidatedAverage,
	Traits:     fl.AggregatorTraits{Statistics: "models by learning rate"},
}

// validatedAverage keeps nothing in State.
type validatedAverage struct{ weights string }

var _ fl.Aggregator = (*validatedAverage)(nil)

func newValidatedAverage(p *fl.Params) (fl.Aggregator, error) {
	return &validatedAverage{p.Choice("weights", "samples",
		"wᵢ = nᵢ/Σₛn | pᵢ/Σₛp | 1/K", "samples", "importance", "uniform")}, nil
}

// Aggregate returns Σ wᵢθᵢʳ.
func (a *validatedAverage) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	best, rate, err := a.choose(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		switch a.weights {
		case "samples":
			w[k] = float64(r.Updates[k].Samples)
		case "importance":
			w[k] = r.Roster.Importance[r.Updates[k].Client]
		case "uniform":
			w[k] = 1
		}
	}
	if total := w.Sum(); total > 0 {
		w.Scale(1 / total)
	} else {
		w.Fill(1 / float64(len(w)))
	}
	next := r.Scratch(len(r.Global))
	for k := range r.Updates {
		next.AddScaled(w[k], r.Updates[k].Payload["models"].Row(best))
	}
	r.Notes.Add(fmt.Sprintf("learning rate by validation: %v", rate))
	return fl.Outcome{Params: next}, nil
}

// choose returns the index of the rate with the least loss, and the rate.
func (a *validatedAverage) choose(r *fl.Round) (best int, rate float64, err error) {
	var total, rates fl.Vector
	for _, k := range byClient(r) {
		u := &r.Updates[k]
		own, losses := fl.Vector(u.Payload["rates"].Data), fl.Vector(u.Payload["losses"].Data)
		if rates == nil {
			rates, total = own, make(fl.Vector, len(own))
		}
		models := u.Payload["models"]
		if len(own) == 0 || !slices.Equal(own, rates) || len(losses) != len(rates) ||
			models.Rows != len(rates) || models.Cols != len(r.Global) {
			return 0, math.NaN(), fmt.Errorf("client %d: models, losses and learning rates do not "+
				"match those of the others", u.Client)
		}
		total.Add(losses)
	}
	best = slices.Index(total, slices.Min(total))
	return best, rates[best], nil
}
