package aggregator

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An enrolledTarget is the importance that a transport plan realises where only some clients are
// enrolled. Notation: R the enrolled, eᵢ = P(i ∈ R), q(A|R) the cohort distribution given R, Y a
// plan. No weights give clients beyond R anything, so p itself is unattainable. What is attained is
//
//	W = Σ_R pᵢ/eᵢ,   target tᵢ = pᵢ/(eᵢW) for i ∈ R, 0 elsewhere,   Σ_A q(A|R) Y[i, A] = tᵢ,
//
// and the weights of a round are Y ("hajek") or W·Y/(1 − P(A empty)) of deltas ("ht"). With "ht",
//
//	Σ_R P(R) Σ_A q(A|R) w[i, A] = Σ_R P(R) 1{i ∈ R} pᵢ/eᵢ = pᵢ,
//
// wherever every t is attainable in its R: unbiased over enrolment and participation, as oracle IPW
// is, by weights of one plan. E W = 1, so that "hajek" is consistent as N grows. R is drawn once
// and for all rounds: W then scales the steps of a whole run and changes no optimum of the model,
// which is that of Σ tᵢFᵢ with either. Hence "hajek" is the default. Where the cohort distribution
// is unknown, nor is P(A empty) known, and "ht" leaves it out. FedIPW's weights pᵢ/(eᵢsᵢ) have the
// same mean given R; they differ in what a round's weights sum to.
//
// It keeps in State target, length N+2: t, W, and 1 once it is computed.
type enrolledTarget struct {
	how   string // "ignored", "estimated" or "oracle"
	keep  bool   // the sum W
	floor float64
	model *enrolmentModel
}

// newEnrolledTarget declares how enrolment is corrected.
func newEnrolledTarget(p *fl.Params) *enrolledTarget {
	e := &enrolledTarget{
		how: p.Choice("enrolment", "ignored", "what weights are to realise where only some "+
			"clients are enrolled: p; p/ê over them, ê estimated from the covariates of all "+
			"clients; p/e by the true probabilities", "ignored", "estimated", "oracle"),
		keep: p.Choice("normalisation", "hajek", "of p/e: hajek: over its sum, weights sum to 1; "+
			"ht: weights have its sum, unbiased over enrolments, which for one of them is a "+
			"server rate", "hajek", "ht") == "ht",
		floor: p.Float("floor", usualFloor, fl.RightOpen(0, 1),
			"estimated probabilities of enrolment below are raised to it; 0: none is"),
		model: newEnrolmentModel(p, p.Float("l2", 1e-3, fl.AtLeast(0), "penalty (l2/2)‖·‖² on "+
			"coefficients of the logistic regression of enrolment, beside a sum over clients")),
	}
	for _, name := range []string{"enrolment", "normalisation", "floor", "l2"} {
		p.Later(name)
	}
	if why := unfit(p.Setting(), e.how); why != "" {
		p.Fail("enrolment", "%q %s", e.how, why)
	}
	if e.keep && e.how == "ignored" {
		p.Clash("normalisation", "enrolment", "\"ht\" keeps the sum of p/e, which "+
			"enrolment = \"ignored\" does not compute")
	}
	return e
}

// of returns the target, length N, which sums to 1, and the sum of weights under a cohort
// distribution, nil where it is unknown.
func (e *enrolledTarget) of(r *fl.Round, law *fl.Law) (fl.Vector, float64, error) {
	if e.how == "ignored" {
		return r.Roster.Importance, 1, nil
	}
	n := r.Roster.N
	t := r.State.Vector("target", n+2)
	if t[n+1] == 0 {
		if err := e.find(t, r); err != nil {
			return nil, 0, err
		}
	}
	if t[n] == 0 { // no enrolled client has p > 0
		return r.Roster.Importance, 1, nil
	}
	scale := t[n]
	if law != nil {
		scale /= 1 - law.Empty
	}
	return t[:n:n], scale, nil
}

// find computes the target.
func (e *enrolledTarget) find(t fl.Vector, r *fl.Round) error {
	n := r.Roster.N
	shares, err := enrolledShares(t[:n], r, e.how, e.floor, e.model)
	if err != nil {
		return err
	}
	if shares > 0 {
		t[:n].Scale(1 / shares)
	}
	t[n], t[n+1] = shares, 1
	held := 0.0
	for i, p := range r.Roster.Importance {
		if r.Roster.Reaches(i) {
			held += p
		}
	}
	if r.Roster.Enrolled != nil {
		r.Notes.Add(fmt.Sprintf("weights realise p/e over the enrolled, which hold %.3g of p",
			held))
	}
	return nil
}

// weights returns those of a round by the plan's, y, and the sum of weights.
func (e *enrolledTarget) weights(y fl.Vector, scale float64) fl.Weights {
	if !e.keep {
		return fl.Weights{By: y}
	}
	y.Scale(scale)
	return fl.Weights{By: y, Deltas: true}
}

// enrolledShares sets dst to pᵢ/eᵢ of the enrolled, and to 0 elsewhere, and returns its sum.
func enrolledShares(
	dst fl.Vector, r *fl.Round, how string, floor float64, model *enrolmentModel,
) (float64, error) {
	var e fl.Vector
	if how == "oracle" {
		if r.Oracle == nil {
			return 0, errors.New("the true participation probabilities are not granted")
		}
		e, floor = r.Oracle.Enrollment, 0
	} else {
		var err error
		if e, err = model.chances(r); err != nil {
			return 0, err
		}
	}
	for i, p := range r.Roster.Importance {
		dst[i] = 0
		if !r.Roster.Reaches(i) || p == 0 {
			continue
		}
		chance := 1.0
		if e != nil {
			chance = max(e[i], floor)
		}
		if !(chance > 0) {
			return 0, fmt.Errorf("client %d is enrolled, and its probability of that is %v: its "+
				"weight has no value", i, chance)
		}
		dst[i] = p / chance
	}
	return dst.Sum(), nil
}
