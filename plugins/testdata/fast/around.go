package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// MeaMed describes the aggregator.
var MeaMed = fl.AggregatorEntry{
	Name:    "meamed",
	Summary: "the mean of what is nearest to the median, coordinate by coordinate",
	Paper:   "C. Xie, O. Koyejo, I. Gupta, arXiv:1802.10116, 2018: mean around median",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &around{faulty: declareFaulty(p)}, nil
	},
}

// Phocas describes the aggregator.
var Phocas = fl.AggregatorEntry{
	Name:    "phocas",
	Summary: "the mean of what is nearest to the trimmed mean, coordinate by coordinate",
	Paper:   "C. Xie, O. Koyejo, I. Gupta, arXiv:1805.09682, 2018: Phocas",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &around{faulty: declareFaulty(p), trims: true}, nil
	},
}

func declareFaulty(p *fl.Params) int {
	return p.Int("f", 1, fl.AtLeast(0), "f, faulty clients that a cohort may have")
}

type around struct {
	faulty int
	trims  bool
}

// Aggregate returns the mean of the n − f numbers nearest to the center of each coordinate.
func (a *around) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n, next := len(r.Updates), r.Scratch(len(r.Global))
	f := min(a.faulty, (n-1)/2)
	tensor.Median(next, r.Models())
	if a.trims {
		tensor.TrimmedMean(next, r.Models(), f)
	}
	tensor.MeanAround(next, r.Models(), next, n-f)
	return fl.Outcome{Params: next}, nil
}
