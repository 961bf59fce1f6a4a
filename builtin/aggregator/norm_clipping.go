// Norm clipping — a plain mean in which no update is longer than a threshold.
//
//	Z. Sun, P. Kairouz, A. T. Suresh, H. B. McMahan. Can You Really Backdoor Federated
//	Learning? arXiv:1911.07963, 2019, Section 4: norm thresholding of updates.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, M the threshold of its norm, n clients:
//
//	θᵗ = θᵗ⁻¹ + 1/n·Σ Δₖ/max(1, ‖Δₖ‖/M).
//
// One client moves the model by at most M/n. With M = +∞ it would be the plain mean.
//
// Departures: the noise that the paper adds on top in its second defence is left out.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// NormClipping describes the aggregator to the registry.
var NormClipping = fl.AggregatorEntry{
	Name:       "norm-clipping",
	Summary:    "plain mean of updates whose norms are clipped",
	Paper:      "sun2019",
	Deviations: "without the noise of the paper's second defence",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &normClipping{
			p.Float("threshold", 1, fl.Above(0), "M, largest norm of an update"),
		}, nil
	},
}

// normClipping keeps nothing in State.
type normClipping struct {
	threshold float64 // M
}

var _ fl.Aggregator = (*normClipping)(nil)

// Aggregate implements fl.Aggregator. What is clipped is a weight: models need not be copied.
func (a *normClipping) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w := r.Scratch(n)
	for k := range r.Updates {
		w[k] = clipped(r.Updates[k].Params.Distance(r.Global), a.threshold) / float64(n)
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// clipped returns the factor that makes a norm at most a radius.
func clipped(norm, radius float64) float64 {
	if norm <= radius {
		return 1
	}
	return radius / norm
}
