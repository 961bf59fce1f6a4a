// MeaMed — the mean of every coordinate over the n − f numbers that are nearest to their median.
//
//	C. Xie, O. Koyejo, I. Gupta. Generalized Byzantine-tolerant SGD. arXiv:1802.10116, 2018,
//	Definition 7 (mean around median).
//
// Notation: θₖ the n models of a cohort, f of them faulty; n > 2f. With f = 0 it is the plain mean.
// Of two numbers at the same distance on either side the smaller one is taken.
//
// Departures: the paper takes gradients, of one step; here they are models. A cohort of at most 2f
// clients leaves the model as it is.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// MeaMed describes the aggregator to the registry.
var MeaMed = fl.AggregatorEntry{
	Name:       "meamed",
	Summary:    "mean of the n − f numbers nearest to the median, coordinate by coordinate",
	Paper:      "xie2018",
	Deviations: "the numbers are those of models after any number of local steps",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &meaMed{newFaulty(p, func(f int) int { return 2*f + 1 })}, nil
	},
}

// meaMed keeps nothing in State.
type meaMed struct{ faulty }

var _ fl.Aggregator = (*meaMed)(nil)

// Aggregate implements fl.Aggregator.
func (a *meaMed) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	next := r.Scratch(len(r.Global))
	tensor.MeanAroundMedian(next, r.Models(), len(r.Updates)-a.f)
	return fl.Outcome{Params: next}, nil
}
