// Package masks is the strategy of package agree without its loops over parameters: it is measured
// interpreted.
package masks

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// Entry describes the aggregator.
var Entry = fl.AggregatorEntry{
	Name:    "masks",
	Summary: "mean of the cohort's models, damped where their steps disagree in sign",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &masks{p.Float("least", 0.2, fl.Closed(0, 1), "least agreement that moves")}, nil
	},
}

type masks struct{ least float64 }

// Aggregate returns θᵗ⁻¹ + a · mean step, where a is the share by which steps of one sign outnumber
// those of the other, and 0 where that is too small.
func (a *masks) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n, w := float64(len(r.Updates)), r.Scratch(len(r.Updates))
	d := len(r.Global)
	share, enough, next := r.Scratch(d), r.Scratch(d), r.Scratch(d)
	w.Fill(1)
	share.AddSigns(w, r.Models(), r.Global)
	share.Abs()
	share.Scale(1 / n)
	copy(enough, share)
	enough.AtLeast(a.least)
	share.Mul(enough)
	w.Fill(1 / n)
	step := r.CombineDeltas(w)
	step.Sub(r.Global)
	copy(next, r.Global)
	next.AddProduct(1, share, step)
	return fl.Outcome{Params: next}, nil
}
