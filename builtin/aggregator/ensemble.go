// Ensemble — all clients' models at once: what fusing them into one could reach.
//
//	The upper reference of one-shot learning: the mean of the clients' predictions, at the price
//	of keeping and evaluating every model.
//
// Notation: pₖ(c | x) the class probabilities of the model of client k; the ensemble's are Σₖ pₖ/K.
//
// Departures: none.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Ensemble describes the aggregator to the registry.
var Ensemble = fl.AggregatorEntry{
	Name:     "ensemble",
	Summary:  "keeps all models and averages their predictions; one round",
	OneLabel: true,
	New:      func(*fl.Params) (fl.Aggregator, error) { return ensemble{}, nil },
	Traits:   fl.AggregatorTraits{Mixes: true},
	Fits: func(s fl.Setting) error {
		if s.Rounds > 1 {
			return errors.New("keeps every model, which cannot be trained further: rounds = 1")
		}
		return nil
	},
	Waives: map[string]string{"length": "it returns the parameters of all models"},
}

// ensemble keeps nothing in State.
type ensemble struct{}

var _ fl.Aggregator = ensemble{}

// Aggregate returns all θₖ, one after another.
func (ensemble) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	var all fl.Vector
	for k := range r.Updates {
		all = append(all, r.Updates[k].Params...)
	}
	return fl.Outcome{Params: all, Adopted: r.Cohort()}, nil
}
