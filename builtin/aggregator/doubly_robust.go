// Doubly robust — inverse probabilities of what an outcome model does not foresee.
//
//	J. M. Robins, A. Rotnitzky, L. P. Zhao. Estimation of Regression Coefficients When Some
//	Regressors Are Not Always Observed. JASA 89, 1994: augmented inverse probability weighting.
//	C.-E. Särndal, B. Swensson, J. Wretman. Model Assisted Survey Sampling. Springer, 1992: the
//	generalised regression estimator.
//
// The method is ours: what these say of missing outcomes, for updates. The derivation is in
// experiments/frontier/doubly-robust.md.
//
// Notation: R the enrolled, S the cohort, Δᵢ = θᵢ − θᵗ⁻¹; pᵢ importance, êᵢ and ŝᵢ the estimated
// probabilities of enrolment and of participation once enrolled; m(Xᵢ) and mᵢ what is expected of
// Δᵢ, of those that are not enrolled and of those that are; h(X) covariates and 1:
//
//	v = Σ pᵢ m(Xᵢ) + Σ_R pᵢ/êᵢ (mᵢ − m(Xᵢ)) + Σ_S pᵢ/(êᵢŝᵢ) (Δᵢ − mᵢ),   θᵗ = θᵗ⁻¹ + η_g v.
//
// Where ê and ŝ are right, the mean of v over R and S is Σ pᵢΔᵢ for any m that does not depend on
// them; given R, S alone decides, so that mᵢ may depend on what the enrolled sent. Where mᵢ = Δᵢ, ŝ
// may be anything, and where m(Xᵢ) = Δᵢ as well, ê may. outcome says what m is:
//
//   - "covariates": m(Xᵢ) = mᵢ = Bᵀh(Xᵢ), by ridge regression of deltas on h(X), with weights as
//     the cohort has them; a linear smoother, so that v is a weighted sum of deltas. Of earlier
//     rounds B has what kept leaves of them. With fit = "earlier" it is fitted to these alone, and
//     S is independent of it; with "current" to the cohort as well, which takes ê and ŝ to be
//     nearly right for v to be nearly unbiased, but is exact in every round where Δ is linear.
//   - "memory": mᵢ is what client i sent last; m = 0, as those that never enrol are never seen:
//     enrolment is corrected by ê alone. Clients not yet seen are taken to be as the mean of
//     others, or to be 0: unseen.
//   - "both": m(Xᵢ) = Bᵀh(Xᵢ), and mᵢ is what client i sent last.
//
// With "memory", everyone enrolled, equal probabilities, normalisation = "hajek" and unseen =
// "zero" it is FedVARP. Kept are (k + 1)² + (k + 1)·d numbers for k terms of h and d parameters,
// and with memory d more for each client that was seen.
//
// Departures: a round in which no client participates leaves the model as it is, where v would be
// m alone; with cohorts that may be empty v is unbiased but for their probability. Normalisation
// "hajek" divides pᵢ/êᵢ by its sum over R, and the weights of S by theirs. Probabilities below the
// floor are raised to it. Directions of h that the rounds did not show have no part in B.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// DoublyRobust describes the aggregator to the registry.
var DoublyRobust = fl.AggregatorEntry{
	Name:    "doubly-robust",
	Summary: "inverse probabilities of what a model of updates does not foresee",
	Paper:   "robins1994",
	Deviations: "ours: updates in place of outcomes, two stages of selection; rounds without " +
		"participants change nothing",
	New:    newDoublyRobust,
	Traits: fl.AggregatorTraits{Remembers: true},
}

// doublyRobust keeps in State: share, length N+2, pᵢ/êᵢ of the enrolled, their sum, and 1 once they
// are computed; with memory, seen, by client, and the deltas of each times its share, with their
// sum; with a regression, gram, cross and mean; and what its models of propensities keep.
type doublyRobust struct {
	weights       inverse
	participation *participationModel
	enrolment     *enrolmentModel
	how           string // "estimated" or "oracle"
	remembers     bool   // mᵢ is what client i sent last
	likeOthers    bool   // clients not yet seen are as the mean of others
	regression    *outcomeRegression
	memory        latest
}

var _ fl.Aggregator = (*doublyRobust)(nil)

func newDoublyRobust(p *fl.Params) (fl.Aggregator, error) {
	a := &doublyRobust{weights: newInverse(p, usualFloor),
		participation: newParticipationModel(p), memory: newLatest()}
	a.enrolment = newEnrolmentModel(p, a.participation.l2)
	a.how = p.Choice("propensities", "estimated", "probabilities of enrolment and participation: "+
		"estimated as FedIPW does, or the true ones", "estimated", "oracle")
	outcome := p.Choice("outcome", "covariates", "what deltas are expected to be: linear in "+
		"covariates; what a client sent last; that, and linear in covariates for those that are "+
		"not enrolled", "covariates", "memory", "both")
	a.likeOthers = p.Choice("unseen", "mean", "memory: clients that were not yet seen are "+
		"expected to be as the mean of those that were, or to send 0", "mean", "zero") == "mean"
	a.remembers = outcome != "covariates"
	regression := newOutcomeRegression(p)
	if outcome != "memory" {
		a.regression = regression
	}
	s := p.Setting()
	if why := unfit(s, a.how); why != "" {
		p.Fail("propensities", "%q %s", a.how, why)
	}
	switch {
	case !s.Known() || a.regression == nil:
	case len(s.Shape.Covariates) == 0:
		p.Fail("outcome", "%q needs covariates of clients; these data have none", outcome)
	case s.Disclosure != fl.DiscloseFull && s.Disclosure != fl.DiscloseAggregate:
		p.Fail("outcome", "%q needs the population's mean covariates: disclosure = \"aggregate\" "+
			"or \"full\"", outcome)
	}
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *doublyRobust) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	share, err := a.shares(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w, err := a.inverse(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	rate := a.weights.rate.of(r)
	step := r.Scratch(len(w))
	copy(step, w)
	step.Scale(rate)
	next := r.CombineDeltas(step)
	if a.regression != nil {
		if err := a.regress(r, next, share, w, rate); err != nil {
			return fl.Outcome{}, err
		}
	}
	if a.remembers {
		all := a.remember(r, next, w, rate)
		next.AddScaled(all, a.memory.sum(r))
		a.renew(r, share)
	}
	return fl.Outcome{Params: next}, nil
}

// shares returns pᵢ/êᵢ of the enrolled, length N; over their sum where that is asked for.
func (a *doublyRobust) shares(r *fl.Round) (fl.Vector, error) {
	n := r.Roster.N
	s := r.State.Vector("share", n+2)
	if s[n+1] == 0 {
		total, err := enrolledShares(s[:n], r, a.how, a.weights.floor, a.enrolment)
		if err != nil {
			return nil, err
		}
		if a.weights.hajek && total > 0 {
			s[:n].Scale(1 / total)
			total = 1
		}
		s[n], s[n+1] = total, 1
	}
	return s[:n:n], nil
}

// inverse returns the weights of the cohort, pᵢ/(êᵢŝᵢ), over their sum where that is asked for.
func (a *doublyRobust) inverse(r *fl.Round) (fl.Vector, error) {
	pi := stats.Propensities{}
	var e fl.Vector
	var err error
	if a.how == "oracle" {
		if r.Oracle == nil {
			return nil, errors.New("the true participation probabilities are not granted")
		}
		e, pi.Came = r.Oracle.Enrollment, r.Scratch(len(r.Updates))
		for k := range r.Updates {
			pi.Came[k] = r.Oracle.Inclusion[r.Updates[k].Client]
		}
	} else {
		if pi.Came, err = a.participation.chances(r); err != nil {
			return nil, err
		}
		if e, err = a.enrolment.chances(r); err != nil {
			return nil, err
		}
	}
	if e != nil {
		pi.Enrolled = r.Scratch(len(r.Updates))
		for k := range r.Updates {
			pi.Enrolled[k] = e[r.Updates[k].Client]
		}
	}
	w, err := a.weights.of(r, importance(r), pi)
	return w.By, err
}

// regress adds to next what the regression expects beyond the cohort, and enters the cohort.
func (a *doublyRobust) regress(r *fl.Round, next, share, w fl.Vector, rate float64) error {
	b, err := a.regression.open(r)
	if err != nil {
		return err
	}
	lacking := r.Scratch(len(b.mean)) // Σ pᵢh(Xᵢ), less that of the enrolled or of the cohort
	copy(lacking, b.mean)
	if a.remembers {
		for i, x := range share {
			if x > 0 {
				b.addTo(lacking, i, -x)
			}
		}
	} else {
		for k, x := range w {
			b.addTo(lacking, r.Updates[k].Client, -x)
		}
	}
	if a.regression.current {
		b.enter(w)
	}
	b.addFitted(next, lacking, rate)
	if !a.regression.current {
		b.enter(w)
	}
	return nil
}

// remember takes from next what the memory expects of the clients of the cohort that were seen, and
// returns how often the sum of the memory is then to be added, for the others of the cohort and for
// all that are enrolled. The memory of client i is its share times its last delta.
func (a *doublyRobust) remember(r *fl.Round, next, w fl.Vector, rate float64) float64 {
	n := r.Roster.N
	s, seen := r.State.Vector("share", n+2), r.State.Vector("seen", n)
	r.Notes.Observe("share of clients never seen", 1-seen.Sum()/float64(r.Roster.Enrolment()))
	known := s[:n].Dot(seen)
	all, mean := 1.0, 0.0 // how often the sum counts, and how often a share of 1 of the mean has it
	if known > 0 && a.likeOthers {
		all, mean = s[n]/known, 1/known
	}
	for k := range r.Updates {
		switch i := r.Updates[k].Client; {
		case seen[i] == 0:
			all -= w[k] * mean
		case s[i] > 0:
			next.AddScaled(-rate*w[k]/s[i], a.memory.of(r, i))
		}
	}
	return rate * all
}

// renew makes the memory that of this round.
func (a *doublyRobust) renew(r *fl.Round, share fl.Vector) {
	seen := r.State.Vector("seen", r.Roster.N)
	for k := range r.Updates {
		i := r.Updates[k].Client
		a.memory.renew(r, k, share[i])
		seen[i] = 1
	}
}
