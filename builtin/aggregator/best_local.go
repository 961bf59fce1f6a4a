// Best-local — the model of the client that does best on the server's samples.
//
//	The baseline that one-shot fusion has to beat, and which the CODE paper leaves out.
//
// Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// BestLocal describes the aggregator to the registry.
var BestLocal = fl.AggregatorEntry{
	Name:    "best-local",
	Summary: "the model of the client that does best on samples of the server's",
	Paper:   "code",
	New:     func(*fl.Params) (fl.Aggregator, error) { return bestLocal{}, nil },
	Fits:    needsHeld,
	Traits:  fl.AggregatorTraits{Mixes: true},
}

// bestLocal keeps nothing in State.
type bestLocal struct{}

var _ fl.Aggregator = bestLocal{}

// Aggregate returns θ_k of the best client k.
func (bestLocal) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	order, err := ranked(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	best := r.Updates[order[len(order)-1]]
	return fl.Outcome{Params: best.Params.Clone(), Adopted: []int{best.Client}}, nil
}
