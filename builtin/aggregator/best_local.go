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
func (bestLocal) Aggregate(r *fl.Round) (fl.Vector, error) {
	if len(r.Updates) == 0 {
		return nil, errNoUpdates
	}
	order, err := ranked(r)
	if err != nil {
		return nil, err
	}
	best := order[len(order)-1]
	r.Adopt(r.Updates[best].Client)
	next := r.Scratch(len(r.Updates[best].Params))
	copy(next, r.Updates[best].Params)
	return next, nil
}
