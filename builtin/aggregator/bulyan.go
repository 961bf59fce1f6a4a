// Bulyan — models that Krum chooses one after another, and around their median a mean.
//
//	E. M. El Mhamdi, R. Guerraoui, S. Rouault. The Hidden Vulnerability of Distributed Learning
//	in Byzantium. ICML 2018, Algorithm of Section 4 with Krum.
//
// Notation: n clients in the cohort, f of them faulty, n ≥ 4f + 3; θ = n − 2f models are chosen,
// each by Krum among those that are left, of whose number the count of neighbours follows; every
// coordinate is the mean of its β = θ − 2f numbers that are nearest to their median. With f = 0
// it is the plain mean. Two updates that are each other's nearest tie where one neighbour counts:
// then the one with the smaller sum of distances to all that are left is chosen, and then by
// client.
//
// Distances are computed once, O(n²·d) for d parameters; with them all choices together take O(n²),
// as krumAgain says. Scores are sums of these distances without any rounding: so two of them tie
// where they are equal, in whatever order they are added.
//
// Departures: the paper chooses among gradients, of one step; here they are models. A cohort of
// fewer than 4f + 3 clients leaves the model as it is.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Bulyan describes the aggregator to the registry.
var Bulyan = fl.AggregatorEntry{
	Name:       "bulyan",
	Summary:    "mean around the median of models that Krum chooses one after another",
	Paper:      "elmhamdi2018",
	Deviations: krumDeviations,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &bulyan{faulty: newFaulty(p, func(f int) int { return 4*f + 3 })}, nil
	},
}

// bulyan keeps nothing in State.
type bulyan struct {
	faulty
	choice krumAgain   // room
	chosen [][]float64 // room
}

var _ fl.Aggregator = (*bulyan)(nil)

// Aggregate implements fl.Aggregator.
func (a *bulyan) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n, models := len(r.Updates), r.Models()
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, models)
	a.choice.start(distance, a.f, byClient(r))
	chosen := a.chosen[:0]
	for len(chosen) < n-2*a.f {
		chosen = append(chosen, models[a.choice.next()])
	}
	a.chosen = chosen
	next := r.Scratch(len(r.Global))
	tensor.MeanAroundMedian(next, chosen, len(chosen)-2*a.f)
	return fl.Outcome{Params: next}, nil
}
