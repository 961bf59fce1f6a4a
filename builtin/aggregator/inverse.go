package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// usualFloor is the floor of estimated probabilities. At 0.01 a client counts as at most a hundred:
// so few have less that the bias is small, and one that has cannot dominate a round.
const usualFloor = 0.01

// inverse is what all estimators by inverse probabilities have in common: update k counts
// shareₖ/πₖ, or that over its sum.
type inverse struct {
	hajek    bool
	floor    float64 // probabilities below are raised to it; 0: none is
	truncate float64 // quantile above which weights are cut, (0, 1]
	rate     *serverRate
}

// newInverse declares what concerns weights; floor is the default of the parameter.
func newInverse(p *fl.Params, floor float64) inverse {
	return inverse{
		hajek: p.Choice("normalisation", "", "ht: weights 1/π, unbiased, with a sum that "+
			"fluctuates; hajek: the same over their sum, steadier, with a bias of order 1/|S|; a "+
			"cohort whose weights are all 0 leaves the model as it is",
			"ht", "hajek") == "hajek",
		floor: p.Float("floor", floor, fl.RightOpen(0, 1),
			"probabilities below are raised to it, which trades bias for variance; 0: none is"),
		truncate: p.Float("truncate", 1, fl.LeftOpen(0, 1),
			"weights above this quantile of a round's are lowered to it; 1: none is"),
		rate: newServerRate(p),
	}
}

// of returns the weights of deltas by shares and propensities, which are as long as the cohort,
// and observes what became of them.
func (v *inverse) of(r *fl.Round, share fl.Vector, pi stats.Propensities) (fl.Weights, error) {
	w := r.Scratch(len(share))
	pi.Floor = v.floor
	in := pi.HorvitzThompson(w, share)
	if in.Impossible > 0 {
		return fl.Weights{}, errors.New("a client participated whose probability is 0: its " +
			"weight has no value, and a floor above 0 would give it one")
	}
	if v.floor > 0 {
		r.Notes.Observe(fl.ObservedFloored, in.Clipped)
	}
	if v.truncate < 1 {
		cut := stats.Truncate(w, r.Scratch(len(w)), v.truncate)
		r.Notes.Observe(fl.ObservedTruncated, cut.Share)
		in.Weighting = stats.Weigh(w)
	}
	r.Notes.Observe("effective sample size", in.Effective)
	r.Notes.Observe("largest weight as a share of all", in.Largest)
	observeResidual(r, w)
	if v.hajek {
		normalise(w)
		if w.Sum() == 0 {
			r.Notes.Add(uncounted)
		}
	}
	return fl.Weights{By: w, Deltas: true}, nil
}

// normalise divides weights by their sum. Those that are all equal become exactly 1/K; those that
// are all zero, of clients that do not count, stay so: see uncounted.
func normalise(w fl.Vector) {
	for _, x := range w {
		if x != w[0] {
			w.Scale(1 / w.Sum())
			return
		}
	}
	if w[0] > 0 {
		w.Fill(1 / float64(len(w)))
	}
}

// observeResidual notes how far the weights of this cohort are from those by true probabilities, ρₖ
// = πₖwₖ/pₖ, where the experiment grants these. Weights are those before normalisation.
func observeResidual(r *fl.Round, w fl.Vector) {
	if r.Oracle == nil {
		return
	}
	truth, taken := r.Scratch(len(w))[:0], r.Scratch(len(w))[:0]
	for k, x := range w {
		i := r.Updates[k].Client
		if p := r.Roster.Importance[i]; p > 0 && x > 0 {
			truth = append(truth, r.Oracle.Enrollment[i]*r.Oracle.Inclusion[i])
			taken = append(taken, p/x)
		}
	}
	if len(truth) == 0 {
		return
	}
	e := stats.ResidualError(truth, taken)
	r.Notes.Observe("residual weight error of a cohort, max |ρ − 1|", e.Epsilon)
	r.Notes.Observe("the same free of scale, max |ρ/mean ρ − 1|", e.ScaleFree)
}

// importance returns p of the cohort.
func importance(r *fl.Round) fl.Vector {
	p := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		p[k] = r.Roster.Importance[r.Updates[k].Client]
	}
	return p
}
