// Package agree is a strategy with a loop over parameters: it is measured compiled and built in.
package agree

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Entry describes the aggregator.
var Entry = fl.AggregatorEntry{
	Name:    "agree",
	Summary: "mean of the cohort's models, damped where their steps disagree in sign",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &agree{p.Float("least", 0.2, fl.Closed(0, 1), "least agreement that moves")}, nil
	},
}

type agree struct{ least float64 }

// Aggregate returns θᵗ⁻¹ + a · mean step, coordinate by coordinate, where a is the share by which
// steps of one sign outnumber those of the other.
func (a *agree) Aggregate(r *fl.Round) (fl.Outcome, error) {
	next := r.Scratch(len(r.Global))
	n := float64(len(r.Updates))
	for k := range next {
		sum, signs := 0.0, 0.0
		for i := range r.Updates {
			d := r.Updates[i].Params[k] - r.Global[k]
			sum += d
			if d > 0 {
				signs++
			} else if d < 0 {
				signs--
			}
		}
		next[k] = r.Global[k]
		if share := math.Abs(signs) / n; share >= a.least {
			next[k] += share * sum / n
		}
	}
	return fl.Outcome{Params: next}, nil
}
