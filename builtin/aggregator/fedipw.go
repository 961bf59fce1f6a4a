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
// separate the labels. ê is fitted once, over all clients; ŝ as participation_model.go says. Where
// everyone is enrolled ê is 1. Weights as such ("ht") and over their sum ("hajek") are two
// estimators, and the paper does not say which it trains with: the choice has no default.

package aggregator

import (
	"errors"
	"fmt"
	"math"

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
		a.names = p.Setting().Shape.Covariates
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

// fedIPW keeps in State: enrolment, length N+1, ê, and 1 once it is fitted; and what its
// participation model keeps.
type fedIPW struct {
	weights       inverse
	participation *participationModel
	names         []string // of covariates
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
	pi := stats.Propensities{Came: came}
	if r.Roster.Enrolled != nil {
		n := r.Roster.N
		e := r.State.Vector("enrolment", n+1)
		if e[n] == 0 {
			if err := a.enrol(e[:n], r); err != nil {
				return fl.Weights{}, err
			}
			e[n] = 1
		}
		pi.Enrolled = r.Scratch(len(r.Updates))
		for k := range r.Updates {
			pi.Enrolled[k] = e[r.Updates[k].Client]
		}
	}
	return a.weights.of(r, importance(r), pi)
}

// enrol sets e to ê, from the covariates of all clients and their enrolment.
func (a *fedIPW) enrol(e fl.Vector, r *fl.Round) error {
	y := make(fl.Vector, r.Roster.N)
	for i, in := range r.Roster.Enrolled {
		if in {
			y[i] = 1
		}
	}
	x := r.Roster.Covariates
	fit := new(stats.Logistic).Fit(x, y, nil, a.participation.l2)
	if math.IsNaN(fit.Intercept) {
		return errors.New("enrolment cannot be estimated: covariates of some clients are unknown " +
			"or not finite")
	}
	remark(r, "enrolment", &fit, a.participation.l2)
	if names := constant(x, a.names); names != "" {
		r.Notes.Add(fmt.Sprintf("%s: the same for all clients, so it does not predict enrolment",
			names))
	}
	fit.Chances(e, x)
	return nil
}

// remark notes what a reader must know of an estimate.
func remark(r *fl.Round, what string, fit *stats.LogisticFit, l2 float64) {
	switch {
	case fit.Separable && l2 > 0:
		r.Notes.Add(fmt.Sprintf("covariates decide %s without exception, so some probabilities "+
			"may be 0, and weights are finite only by l2 = %v and the floor", what, l2))
	case fit.Separable:
		r.Notes.Add(fmt.Sprintf("covariates decide %s without exception: without a penalty l2 "+
			"its estimate has no end", what))
	case !fit.Converged:
		r.Notes.Add(fmt.Sprintf("the estimate of %s did not converge: residual %.1e after %d "+
			"steps: raise l2, or leave out covariates that others almost determine", what,
			fit.Residual, fit.Steps))
	case fit.Free > 0:
		r.Notes.Add(fmt.Sprintf("%d directions of the covariates say nothing of %s", fit.Free,
			what))
	}
}

// constant names the columns of x that are the same in all rows.
func constant(x fl.Matrix, names []string) string {
	list := ""
	for j := range x.Cols {
		same := true
		for i := range x.Rows {
			same = same && x.Row(i)[j] == x.Row(0)[j]
		}
		if !same {
			continue
		}
		if list != "" {
			list += ", "
		}
		if j < len(names) {
			list += names[j]
		} else {
			list += fmt.Sprintf("covariate %d", j+1)
		}
	}
	return list
}
