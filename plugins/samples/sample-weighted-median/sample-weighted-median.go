// Geometric median — the point whose distances to the cohort's models add up to least (RFA).
//
//	K. Pillutla, S. M. Kakade, Z. Harchaoui. Robust Aggregation for Federated Learning. IEEE
//	Transactions on Signal Processing 70, 2022, Algorithm 1 (RFA).
//
// Notation: αₖ = nₖ/Σn the weights, g(z) = Σ αₖ‖z − θₖ‖ what is minimised, ε the residual
// ‖∇g‖ at which that stops.
//
// Departures: the paper smooths g by ν and makes few steps of Weiszfeld's iteration, each one a
// secure average over clients. Here the server sees the models, so that the median itself is
// found: stats.GeometricMedian begins at the best of them, which needs no smoothing.

// Package sampleweightedmedian is a strategy: a median for points instead of numbers.
package sampleweightedmedian

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// GeometricMedian describes the aggregator.
var GeometricMedian = fl.AggregatorEntry{
	Name:    "sample-weighted-median",
	Summary: "point of the least mean distance to the cohort's models (RFA)",
	Paper:   "K. Pillutla, S. M. Kakade, Z. Harchaoui, IEEE Trans. Signal Processing 70, 2022",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &geometricMedian{
			epsilon: p.Float("epsilon", 1e-10, fl.Open(0, 1), "ε, residual at which it stops"),
			steps:   p.Int("max_steps", 1000, fl.AtLeast(1), "steps of Weiszfeld's iteration"),
		}, nil
	},
}

// geometricMedian keeps nothing in State.
type geometricMedian struct {
	epsilon float64 // ε, (0, 1)
	steps   int
}

// Aggregate returns argmin g, which is a weighted mean of the models: their distances from
// each other say with which weights.
func (a *geometricMedian) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	alpha, w := r.Scratch(n), r.Scratch(n)
	for k, u := range r.Updates {
		alpha[k] = float64(u.Samples)
	}
	distance := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(distance, r.Models())
	center := stats.GeometricMedian(w, alpha, distance, a.epsilon, a.steps)
	if !w.Finite() {
		return fl.Outcome{}, errors.New("the models are too far apart for their distances to be " +
			"numbers")
	}
	if !center.Converged {
		r.Notes.Add(fmt.Sprintf("a geometric median was found to a residual of %.0e only",
			center.Residual))
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}
