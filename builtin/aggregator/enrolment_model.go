package aggregator

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// An enrolmentModel estimates êᵢ = P(i is enrolled | Xᵢ), the first stage of FedIPW, by a logistic
// regression over all clients, fitted once. Where everyone is enrolled there is nothing to
// estimate.
type enrolmentModel struct {
	features featureMap
	l2       float64
}

// newEnrolmentModel declares how enrolment is estimated.
func newEnrolmentModel(p *fl.Params, l2 float64) *enrolmentModel {
	return &enrolmentModel{
		features: newFeatureMap(p, "enrolment", "the estimate of enrolment", false), l2: l2}
}

// chances returns ê of all clients, length N; nil where everyone is enrolled. It keeps in State
// enrolment, length N+1: ê, and 1 once it is fitted.
func (a *enrolmentModel) chances(r *fl.Round) (fl.Vector, error) {
	if r.Roster.Enrolled == nil {
		return nil, nil
	}
	n := r.Roster.N
	e := r.State.Vector("enrolment", n+1)
	if e[n] == 0 {
		if err := a.fit(e[:n], r); err != nil {
			return nil, err
		}
		e[n] = 1
	}
	return e[:n], nil
}

// fit sets e to ê, from the covariates of all clients and their enrolment.
func (a *enrolmentModel) fit(e fl.Vector, r *fl.Round) error {
	y := make(fl.Vector, r.Roster.N)
	for i, in := range r.Roster.Enrolled {
		if in {
			y[i] = 1
		}
	}
	x := a.features.of(r.Roster.Covariates, nil)
	if x.Cols == 0 { // one probability for all
		e.Fill(y.Sum() / float64(len(y)))
		return nil
	}
	fit := new(stats.Logistic).Fit(x, y, nil, a.l2)
	if math.IsNaN(fit.Intercept) {
		return errors.New("enrolment cannot be estimated: covariates of some clients are unknown " +
			"or not finite")
	}
	remark(r, "enrolment", &fit, a.l2)
	if names := constant(x, a.features.labels()); names != "" {
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

// unfit says why enrolment cannot be known in a setting as a parameter asks for: "estimated" by
// covariates of all clients, or "oracle". Empty: it can, or nothing is known of the setting.
func unfit(s fl.Setting, how string) string {
	switch {
	case !s.Known():
	case how == "oracle" && !s.Oracle:
		return "needs the true participation probabilities: oracle = true grants it"
	case how == "estimated" && len(s.Shape.Covariates) == 0:
		return "needs covariates of clients; these data have none"
	case how == "estimated" && s.Disclosure != fl.DiscloseFull:
		return "needs the covariates of clients that are not enrolled, too: disclosure = \"full\""
	}
	return ""
}
