// Geometric median — the point whose distances to the cohort's models add up to least (RFA).
//
//	K. Pillutla, S. M. Kakade, Z. Harchaoui. Robust Aggregation for Federated Learning. IEEE
//	Transactions on Signal Processing 70, 2022, Equation (5) and Algorithm 1.
//
// Notation: αₖ weights, g(z) = Σ αₖ‖z − θₖ‖ what is minimised, ε the residual ‖∇g‖ at which that
// stops. Less than half of the weight cannot take the minimum beyond any bound.
//
// Departures: the paper smooths g by ν and makes few steps of Weiszfeld's iteration, each one a
// secure average over clients. Here the server sees the models, so that the median itself is
// found, which needs no smoothing. By default clients count the same, as a faulty one may report
// any number of samples; the paper's αₖ = nₖ/Σn is weights = "samples".

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// GeometricMedian describes the aggregator to the registry.
var GeometricMedian = fl.AggregatorEntry{
	Name:    "geometric-median",
	Summary: "point of the least mean distance to the cohort's models (RFA)",
	Paper:   "pillutla2022rfa",
	Deviations: "the minimum itself is found, without smoothing; clients count the same unless " +
		"weights say otherwise",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &geometricMedian{
			samples: p.Choice("weights", "uniform", "αₖ: the same for all, or by samples as "+
				"clients report them", "uniform", "samples") == "samples",
			epsilon: p.Float("epsilon", 1e-10, fl.Open(0, 1), "ε, residual at which it stops"),
			steps:   p.Int("max_steps", 1000, fl.AtLeast(1), "steps of Weiszfeld's iteration"),
		}, nil
	},
}

// geometricMedian keeps nothing in State.
type geometricMedian struct {
	samples bool
	epsilon float64 // ε, (0, 1)
	steps   int
}

var _ fl.Aggregator = (*geometricMedian)(nil)

// Aggregate implements fl.Aggregator. The minimum is a mean of the models: their distances from
// each other say with which weights.
func (a *geometricMedian) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	alpha, w := r.Scratch(n), r.Scratch(n)
	for k := range r.Updates {
		alpha[k] = 1
		if a.samples {
			alpha[k] = float64(r.Updates[k].Samples)
		}
	}
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, r.Models())
	center := a.find(r, w, alpha, distance)
	if !w.Finite() {
		return fl.Outcome{}, errApart
	}
	r.Notes.Observe("residual of the geometric median", center.Residual)
	if !center.Converged {
		r.Notes.Add(fmt.Sprintf("a geometric median was found to a residual of %.0e only",
			center.Residual))
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// find sets w to the weights of the median. A model whose distances to most others are not numbers
// is left out: as far away as it can be, it would only say in which direction.
func (a *geometricMedian) find(r *fl.Round, w, alpha fl.Vector, d fl.Matrix) stats.Center {
	n := len(w)
	kept := make([]int, 0, n)
	for k := range n {
		finite := 0
		for _, x := range d.Row(k) {
			if !math.IsInf(x, 0) && x == x {
				finite++
			}
		}
		if 2*finite > n {
			kept = append(kept, k)
		}
	}
	m := len(kept)
	near := fl.Matrix{Rows: m, Cols: m, Data: r.Scratch(m * m)}
	of, by := r.Scratch(m), r.Scratch(m)
	for i, k := range kept {
		of[i] = alpha[k]
		for j, l := range kept {
			near.Row(i)[j] = d.Row(k)[l]
		}
	}
	center := stats.GeometricMedian(by, of, near, a.epsilon, a.steps)
	for i, k := range kept {
		w[k] = by[i]
	}
	if m == 0 {
		w.Fill(math.NaN())
	}
	return center
}
