// Package half takes half a step.
package half

import "github.com/hansa-fl/hansa/framework/fl"

// Half describes the aggregator.
var Half = fl.AggregatorEntry{
	Name:    "half",
	Summary: "a share of the way to the mean",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &half{share: p.Float("share", 0.5, fl.Closed(0, 1), "of the way to the mean")}
		return fl.Weigh(a), nil
	},
}

type half struct{ share float64 }

// Weights are those of θ + share·(mean − θ).
func (a *half) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = a.share / float64(len(w))
	}
	return fl.Weights{By: w, Deltas: true}, nil
}
