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
// Departures: the paper chooses among gradients, of one step; here they are models. A cohort of
// fewer than 4f + 3 clients leaves the model as it is. Distances are computed once; with them all
// choices take O(n³·log n).

package aggregator

import (
	"slices"

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
		return &bulyan{newFaulty(p, func(f int) int { return 4*f + 3 })}, nil
	},
}

// bulyan keeps nothing in State.
type bulyan struct{ faulty }

var _ fl.Aggregator = (*bulyan)(nil)

// Aggregate implements fl.Aggregator.
func (a *bulyan) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n, models := len(r.Updates), r.Models()
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, models)
	left, room := byClient(r), r.Scratch(n)
	chosen := make([][]float64, 0, n)
	for len(chosen) < n-2*a.f {
		best := a.nearest(distance, left, room)
		chosen = append(chosen, models[left[best]])
		left = slices.Delete(left, best, best+1)
	}
	next := r.Scratch(len(r.Global))
	tensor.MeanAroundMedian(next, chosen, len(chosen)-2*a.f)
	return fl.Outcome{Params: next}, nil
}

// nearest returns the place of the model that Krum chooses among those that are left. Towards the
// end there are fewer than f + 3 of them: one neighbour is what is left to ask then.
func (a *bulyan) nearest(distance fl.Matrix, left []int, room fl.Vector) (best int) {
	near := min(max(len(left)-a.f-2, 1), len(left)-1)
	var least, leastTotal float64
	for at, k := range left {
		for i, j := range left {
			room[i] = distance.Row(k)[j]
		}
		total := room[:len(left)].Sum()
		score := krumScore(room[:len(left)], at, near)
		if at == 0 || score < least || score == least && total < leastTotal {
			best, least, leastTotal = at, score, total
		}
	}
	return best
}
