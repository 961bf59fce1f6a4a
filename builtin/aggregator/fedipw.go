// FedIPW — corrects for enrolment as well as for participation in the round.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Eqs. (6)–(9) and (12), Proposition 4.2.
//
// Notation: Xᵢ what is known of client i before it enrols, Zᵢᵗ before round t; Rᵢ and Sᵢᵗ whether
// it is enrolled and participates; e(X) = P(R = 1 | X), s(X, Z) = P(S = 1 | R = 1, X, Z), hats are
// their estimates; p importance. The weights are pᵢ/(ê(Xᵢ)·ŝ(Xᵢ, Zᵢᵗ)).
//
// Departures. p is any importance, 1/N in the paper. The paper leaves the estimators open: both are
// logistic regressions with a small penalty l2, which is what keeps them finite where covariates
// separate the labels. ê is fitted once, over all clients; ŝ as participation_model.go says; which
// covariates either may use, with which terms, are parameters. Where
// everyone is enrolled ê is 1. Weights as such ("ht") and over their sum ("hajek") are two
// estimators, and the paper does not say which it trains with: the choice has no default.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// FedIPW describes the aggregator to the registry.
var FedIPW = fl.AggregatorEntry{
	Name:    "fedipw",
	Summary: "weights by the inverse of estimated enrolment and participation",
	Paper:   "fedipw",
	Deviations: "probabilities are raised to a floor; ht or hajek has to be chosen, as the paper " +
		"does not say which",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &fedIPW{weights: newInverse(p, usualFloor), participation: newParticipationModel(p)}
		a.enrolment = newEnrolmentModel(p, a.participation.l2)
		return fl.WeighThen(a, a.weights.rate), nil
	},
	Fits: func(s fl.Setting) error {
		var undisclosed error
		if s.Disclosure != fl.DiscloseFull {
			undisclosed = errors.New("needs the covariates of clients that are not enrolled, " +
				"too: disclosure = \"full\"")
		}
		return errors.Join(needsCovariates(s), undisclosed)
	},
}

// needsCovariates refuses data that have none.
func needsCovariates(s fl.Setting) error {
	if len(s.Shape.Covariates) == 0 {
		return errors.New("needs covariates of clients; these data have none")
	}
	return nil
}

// fedIPW keeps in State what its models of enrolment and participation keep.
type fedIPW struct {
	weights       inverse
	participation *participationModel
	enrolment     *enrolmentModel
}

var _ fl.Weigher = (*fedIPW)(nil)

// Weights returns pᵢ/(êᵢŝᵢ) of deltas, over their sum where that is asked for.
func (a *fedIPW) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	came, err := a.participation.chances(r)
	if err != nil {
		return fl.Weights{}, err
	}
	e, err := a.enrolment.chances(r)
	if err != nil {
		return fl.Weights{}, err
	}
	pi := stats.Propensities{Came: came}
	if e != nil {
		pi.Enrolled = r.Scratch(len(r.Updates))
		for k := range r.Updates {
			pi.Enrolled[k] = e[r.Updates[k].Client]
		}
	}
	return a.weights.of(r, importance(r), pi)
}
