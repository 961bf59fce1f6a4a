// Package half takes half a step.
package half

import "github.com/hansa-fl/hansa/framework/fl"

// Half describes the aggregator.
var Half = fl.AggregatorEntry{
	Name:    "half",
	Summary: "a share of the way to the mean",
	Weighs:  true,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &half{share: p.Float("share", 0.5, fl.Closed(0, 1), "of the way to the mean")}, nil
	},
}

type half struct{ share float64 }

// Aggregate returns θ + share²·(mean − θ).
func (a *half) Aggregate(r *fl.Round) (fl.Vector, error) {
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = a.share * a.share / float64(len(w))
	}
	return r.CombineDeltas(w), nil
}
