// Robust learning rate — where too few updates agree in sign, the server steps back.
//
//	M. S. Ozdayi, M. Kantarcioglu, Y. R. Gel. Defending against Backdoors in Federated Learning
//	with Robust Learning Rate. AAAI 2021, Section 4, Equation (1).
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the n updates, θ the threshold of votes, η the rate, for each
// coordinate:
//
//	θᵗ = θᵗ⁻¹ + (η if |Σ sign(Δₖ)| ≥ θ, else −η)·1/n·Σ Δₖ.
//
// With θ = 0 and η = 1 it is the plain mean.
//
// Departures: the threshold is a share of the cohort, as cohorts differ in size; the paper has 10
// clients of which 1 is faulty and θ = 4, and 3,383 of which 33 take part in a round and θ = 8.

package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// RLR describes the aggregator to the registry.
var RLR = fl.AggregatorEntry{
	Name:       "rlr",
	Summary:    "plain mean of updates, backwards where too few agree in sign",
	Paper:      "ozdayi2021",
	Deviations: "the threshold is a share of the cohort",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &rlr{
			votes: p.Float("votes", 0.4, fl.Closed(0, 1), "θ/n: a coordinate goes forwards where "+
				"its signs add up to at least so large a share of the cohort"),
			rate: p.Float("rate", 1, fl.Above(0), "η, server's learning rate"),
		}, nil
	},
}

// rlr keeps nothing in State.
type rlr struct {
	votes float64     // θ/n, [0, 1]
	rate  float64     // η
	parts [][]float64 // room
}

var _ fl.Aggregator = (*rlr)(nil)

// Aggregate implements fl.Aggregator.
func (a *rlr) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, ones := r.Scratch(n), r.Scratch(n)
	w.Fill(1 / float64(n))
	ones.Fill(1)
	next, signs := r.Scratch(len(r.Global)), r.Scratch(len(r.Global))
	const stretch = 512 // coordinates at a time, of which models stay in the cache
	for from := 0; from < len(next); from += stretch {
		to := min(from+stretch, len(next))
		a.parts = a.parts[:0]
		for k := range r.Updates {
			a.parts = append(a.parts, r.Updates[k].Params[from:to])
		}
		next[from:to].AddWeighted(w, a.parts)
		signs[from:to].AddSigns(ones, a.parts, r.Global[from:to])
	}
	next.AddScaled(1-w.Sum(), r.Global)
	// Products of shares and sizes such as 0.29·100 are a little too large or too small.
	threshold, back := math.Ceil(a.votes*float64(n)-1e-9), 0.0
	for i, s := range signs[:r.Layout.Trained(len(signs))] { // statistics are the plain mean
		rate := a.rate
		if math.Abs(s) < threshold {
			rate = -rate
			back++
		}
		next[i] += (rate - 1) * (next[i] - r.Global[i])
	}
	r.Notes.Observe("share of coordinates that step back", back/float64(len(signs)))
	return fl.Outcome{Params: next}, nil
}
