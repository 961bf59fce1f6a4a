// Oracle IPW — inverse probabilities as they are.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Eq. (11), Proposition 4.1.
//
// Notation: eᵢ the probability that client i enrols, sᵢᵗ that it participates in round t once
// enrolled, given its context; πᵢᵗ = eᵢsᵢᵗ; p importance.
//
// Departures: p is any importance, 1/N in the paper. With normalisation = "ht" and no floor the
// mean of Σ pᵢSᵢΔᵢ/πᵢ over enrolment and participation is Σ pᵢΔᵢ. Estimated probabilities may do
// better than these: they compensate for the realised enrolment, which true ones do not.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// OracleIPW describes the aggregator to the registry.
var OracleIPW = fl.AggregatorEntry{
	Name:    "oracle-ipw",
	Summary: "weights by the inverse of the true probabilities, which no server knows",
	Paper:   "fedipw",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &oracleIPW{newInverse(p, 0)}
		return fl.WeighThen(a, a.weights.rate), nil
	},
	Fits: func(s fl.Setting) error {
		if !s.Oracle {
			return errors.New("needs the true participation probabilities: oracle = true grants it")
		}
		return nil
	},
}

type oracleIPW struct{ weights inverse }

var _ fl.Weigher = (*oracleIPW)(nil)

// Weights returns pᵢ/πᵢ of deltas, over their sum where that is asked for.
func (a *oracleIPW) Weights(r *fl.Round) (fl.Weights, error) {
	switch {
	case len(r.Updates) == 0:
		return fl.Weights{}, errNoUpdates
	case r.Oracle == nil:
		return fl.Weights{}, errors.New("the true participation probabilities are not granted")
	}
	r.Notes.Add("estimated probabilities may do better than these true ones: they make up for " +
		"the realised enrolment and participation, too")
	pi := stats.Propensities{Enrolled: r.Scratch(len(r.Updates)), Came: r.Scratch(len(r.Updates))}
	for k := range r.Updates {
		i := r.Updates[k].Client
		pi.Enrolled[k], pi.Came[k] = r.Oracle.Enrollment[i], r.Oracle.Inclusion[i]
	}
	return a.weights.of(r, importance(r), pi)
}
