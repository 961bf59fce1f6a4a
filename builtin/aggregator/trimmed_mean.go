// Trimmed mean — the mean of every coordinate without the f smallest and the f largest numbers.
//
//	D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed Learning:
//	Towards Optimal Statistical Rates. ICML 2018, Definition 2 and Algorithm 1, Option II.
//
// Notation: θₖ the n models of a cohort, f of them faulty; n > 2f. With f = 0 it is the plain mean.
//
// Departures: the paper trims a share β of the numbers at either end; here f is given, and β =
// f/n, so that cohorts of different sizes stand as many faulty clients. The paper trims
// gradients, of one step; here they are models. A cohort of at most 2f clients leaves the model
// as it is.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TrimmedMean describes the aggregator to the registry.
var TrimmedMean = fl.AggregatorEntry{
	Name:    "trimmed-mean",
	Summary: "mean of every coordinate without its f smallest and f largest numbers",
	Paper:   "yin2018",
	Deviations: "a number of clients is trimmed instead of a share; of models after any number " +
		"of local steps",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &trimmedMean{newFaulty(p, func(f int) int { return 2*f + 1 })}, nil
	},
}

// trimmedMean keeps nothing in State.
type trimmedMean struct{ faulty }

var _ fl.Aggregator = (*trimmedMean)(nil)

// Aggregate implements fl.Aggregator.
func (a *trimmedMean) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	next := r.Scratch(len(r.Global))
	tensor.TrimmedMean(next, r.Models(), a.f)
	return fl.Outcome{Params: next}, nil
}
