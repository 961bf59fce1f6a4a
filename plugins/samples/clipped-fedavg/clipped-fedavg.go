// Norm clipping — FedAvg in which no client goes further than a threshold.
//
//	Z. Sun, P. Kairouz, A. T. Suresh, H. B. McMahan. Can You Really Backdoor Federated
//	Learning? arXiv:1911.07963, 2019: norm thresholding of updates.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, M the threshold of its norm, nₖ samples.
//
// Departures: none; the noise that the paper adds on top in its second defence is left out.

// Package clippedfedavg is a strategy: an aggregator that looks at models, and then weighs them.
package clippedfedavg

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// NormClipping describes the aggregator.
var NormClipping = fl.AggregatorEntry{
	Name:    "clipped-fedavg",
	Summary: "federated averaging of updates whose norms are clipped",
	Paper:   "Z. Sun, P. Kairouz, A. T. Suresh, H. B. McMahan, arXiv:1911.07963, 2019",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &normClipping{
			threshold: p.Float("threshold", 1, fl.Above(0), "M, largest norm of an update"),
		}, nil
	},
}

// normClipping keeps nothing in State.
type normClipping struct {
	threshold float64 // M
}

// Aggregate returns θᵗ⁻¹ + Σ (nₖ/n) Δₖ / max(1, ‖Δₖ‖/M). What is clipped is a weight: the
// models need not be copied.
func (a *normClipping) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	for k, u := range r.Updates {
		w[k] /= max(1, u.Params.Distance(r.Global)/a.threshold)
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
