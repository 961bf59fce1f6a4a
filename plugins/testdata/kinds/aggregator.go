// Package kinds describes one component of every kind that a strategy can be. It is
// interpreted, and compiled into the test that compares both; so is each file alone.
package kinds

import (
	"errors"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Median is the coordinate-wise median, in plain loops, with momentum.
var Median = fl.AggregatorEntry{
	Name:    "loop-median",
	Summary: "coordinate-wise median with server momentum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &median{
			beta: p.Float("beta", 0.5, fl.RightOpen(0, 1), "momentum of the server"),
			trim: p.Int("trim", 0, fl.AtLeast(0), "values dropped at either end"),
		}, nil
	},
}

// median keeps in State: velocity, length d.
type median struct {
	beta float64
	trim int
}

// Aggregate moves θ by the momentum of the median step.
func (m *median) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	velocity := r.State.Vector("velocity", len(r.Global))
	next := make(fl.Vector, len(r.Global))
	column := make([]float64, len(r.Updates))
	for j := range r.Global {
		for k := range r.Updates {
			column[k] = r.Updates[k].Params[j]
		}
		slices.Sort(column)
		step := middle(column, m.trim) - r.Global[j]
		velocity[j] = m.beta*velocity[j] + (1-m.beta)*step
		next[j] = r.Global[j] + velocity[j]
	}
	if len(r.Updates) < 3 {
		r.Notes.Add("a median of fewer than three")
	}
	return fl.Outcome{Params: next}, nil
}

func middle(sorted []float64, trim int) float64 {
	n := len(sorted)
	trim = min(trim, (n-1)/2)
	sum, count := 0.0, 0
	for _, x := range sorted[trim : n-trim] {
		sum += x
		count++
	}
	if n%2 == 1 && trim == 0 {
		return sorted[n/2]
	}
	return sum / float64(count)
}
