// Trimmed mean — the mean of every coordinate without its extremes.
//
//	D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed Learning:
//	Towards Optimal Statistical Rates. ICML 2018, Definition 2 and Algorithm 1, Option II.
//
// Notation: n clients in the cohort, β the share of values dropped at either end.
//
// Departures: the paper trims gradients, of one step; here they are models, after any number
// of local steps. That is the same as to trim what was learnt, θₖ − θᵗ⁻¹.

// Package trimmedshare is a strategy: a mean that few faulty clients cannot move far.
package trimmedshare

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TrimmedMean describes the aggregator.
var TrimmedMean = fl.AggregatorEntry{
	Name:    "trimmed-share",
	Summary: "mean of every coordinate without its extremes",
	Paper:   "D. Yin, Y. Chen, K. Ramchandran, P. Bartlett, ICML 2018, Definition 2",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &trimmedMean{
			beta: p.Float("beta", 0.1, fl.RightOpen(0, 0.5), "β, share dropped at either end"),
		}, nil
	},
}

// trimmedMean keeps nothing in State.
type trimmedMean struct {
	beta float64 // β, [0, ½)
}

// Aggregate averages every coordinate over the n − 2⌊βn⌋ values in the middle.
func (a *trimmedMean) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errors.New("the cohort is empty")
	}
	cut := int(a.beta*float64(n) + 1e-9) // 0.29 · 100 is a little less than 29
	next := r.Scratch(len(r.Global))
	tensor.TrimmedMean(next, r.Models(), min(cut, (n-1)/2))
	return fl.Outcome{Params: next}, nil
}
