// Coordinate-wise median — every coordinate is the median of the cohort's.
//
//	D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed Learning:
//	Towards Optimal Statistical Rates. ICML 2018, Definition 1 and Algorithm 1, Option I.
//
// Notation: θₖ the n models of a cohort; of an even number the median is the mean of the two in the
// middle. Less than half of the clients cannot take a coordinate out of the range of the others.
//
// Departures: the paper takes the median of gradients, of one step; here it is that of models,
// which is θᵗ⁻¹ and the median of θₖ − θᵗ⁻¹.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CoordinateMedian describes the aggregator to the registry.
var CoordinateMedian = fl.AggregatorEntry{
	Name:       "coordinate-median",
	Summary:    "median of the cohort's models, coordinate by coordinate",
	Paper:      "yin2018",
	Deviations: "the median is of models after any number of local steps",
	New:        func(*fl.Params) (fl.Aggregator, error) { return coordinateMedian{}, nil },
}

// coordinateMedian keeps nothing in State.
type coordinateMedian struct{}

// Aggregate implements fl.Aggregator.
func (coordinateMedian) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	next := r.Scratch(len(r.Global))
	tensor.Median(next, r.Models())
	return fl.Outcome{Params: next}, nil
}
