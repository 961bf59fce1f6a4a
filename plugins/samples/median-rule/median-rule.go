// Coordinate-wise median — every coordinate is the median of the cohort's.
//
//	D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed Learning:
//	Towards Optimal Statistical Rates. ICML 2018, Definition 1 and Algorithm 1, Option I.
//
// Departures: the paper takes the median of gradients, of one step; here it is that of models,
// after any number of local steps. Of an even number it is the mean of the two in the middle.

// Package medianrule is a strategy: a middle that less than half cannot move far.
package medianrule

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CoordinateMedian describes the aggregator.
var CoordinateMedian = fl.AggregatorEntry{
	Name:    "median-rule",
	Summary: "median of the cohort's models, coordinate by coordinate",
	Paper:   "D. Yin, Y. Chen, K. Ramchandran, P. Bartlett, ICML 2018, Definition 1",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return &coordinateMedian{}, nil },
}

// coordinateMedian keeps nothing in State.
type coordinateMedian struct{}

// Aggregate returns the median of θₖ.
func (*coordinateMedian) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	next := r.Scratch(len(r.Global))
	tensor.Median(next, r.Models())
	return fl.Outcome{Params: next}, nil
}
