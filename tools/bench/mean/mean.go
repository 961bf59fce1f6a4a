// Package mean is a strategy: it is measured interpreted and compiled.
package mean

import "github.com/hansa-fl/hansa/framework/fl"

// Entry describes the aggregator.
var Entry = fl.AggregatorEntry{
	Name:    "mean",
	Summary: "mean of the cohort's models by samples",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &mean{p.Float("rate", 1, fl.LeftOpen(0, 1), "share of the step that is taken")}, nil
	},
}

type mean struct{ rate float64 }

// Aggregate returns θᵗ⁻¹ + rate · Σ nₖ (θₖ − θᵗ⁻¹) / Σ nₖ.
func (a *mean) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = float64(r.Updates[k].Samples)
	}
	w.Scale(a.rate / w.Sum())
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
