package aggregator

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A participationModel estimates ŝᵢᵗ = P(i ∈ Sᵗ | i is enrolled, Xᵢ, Zᵢᵗ), the second stage of
// FedIPW, by a logistic regression on covariates h(X), context and, where that is asked for,
// participation in the round before. Its rows are pooled: one for each enrolled client and round
// of a window. It is fitted anew from time to time; in the first rounds all are taken to come at
// the same rate. If all of them always come, the estimate is 1 and not close to it.
//
// A server never sees an empty round. Where rows differ by nothing but the client, it is counted;
// where there is context, its rows are missing.
type participationModel struct {
	window  int  // rounds whose rows are pooled, a multiple of refit
	refit   int  // rounds from one fit to the next
	burnIn  int  // rounds with one rate for all
	current bool // rows of a round count in its own estimate
	last    bool // participation in the round before is a covariate
	l2      float64

	features featureMap // of X

	fit  stats.Logistic // workspace, with the rows of a fit
	x    fl.Matrix
	y, w fl.Vector
}

// newParticipationModel declares how participation is estimated.
func newParticipationModel(p *fl.Params) *participationModel {
	a := &participationModel{
		window: p.Int("window", 10, fl.AtLeast(1),
			"participation is estimated from so many rounds, a multiple of refit"),
		refit: p.Int("refit", 10, fl.AtLeast(1), "rounds from one estimate of it to the next"),
		burnIn: p.Int("burn_in", 5, fl.AtLeast(0),
			"rounds at the beginning in which all enrolled are taken to participate at one rate"),
		current: p.Bool("include_current", true, "a round counts in its own estimate: context is "+
			"known before it, and participation when it is aggregated"),
		last: p.Bool("last", false, "whether a client participated in the round before is a "+
			"covariate"),
		l2: p.Float("l2", 1e-3, fl.AtLeast(0), "penalty (l2/2)‖·‖² on coefficients of the "+
			"logistic regressions, beside a sum over rows"),
		features: newFeatureMap(p, "participation", "the estimate of participation", false),
	}
	if a.window%a.refit != 0 {
		p.Clash("window", "refit", "%d is no multiple of refit = %d", a.window, a.refit)
	}
	return a
}

// A participationLog is what a participationModel keeps in State. Rows are kept in slots: one of
// them for each round of the window where there is context, one for each fit of the window
// otherwise.
type participationLog struct {
	clock   fl.Vector // see below
	rounds  fl.Vector // by slot: rounds it has
	came    fl.Matrix // by slot and client: in how many of them it participated
	context fl.Matrix // by slot: Z and participation in the round before, N×q
	before  fl.Vector // N: 1 for participants of the last round; nil without last
	model   fl.Vector // coefficients of h(X), Z and last, and the intercept
	q       int
}

// What the clock of a participationLog says.
const (
	nextRound = iota // after the last one that is entered
	nextFit          // round of it
	slot             // that rounds are entered in
	visits           // Σ|Sᵗ| of all rounds
	enrolment        // number of the enrolled; 0 before the first round
	clockSize
)

// open returns the log of a run.
func (a *participationModel) open(r *fl.Round) participationLog {
	n, z := r.Roster.N, r.Context.Cols
	b := participationLog{q: z, clock: r.State.Vector("clock", clockSize)}
	if a.last {
		b.q++
		b.before = r.State.Vector("before", n)
	}
	slots := a.window / a.refit
	if b.q > 0 {
		slots = a.window
	}
	b.rounds = r.State.Vector("rounds", slots)
	b.came = r.State.Matrix("came", slots, n)
	if b.q > 0 {
		b.context = r.State.Matrix("context", slots, n*b.q)
	}
	b.model = r.State.Vector("model", a.features.width(r.Roster.Covariates.Cols)+b.q+1)
	if b.clock[enrolment] == 0 {
		b.clock[enrolment] = float64(r.Roster.Enrolment())
		b.clock[nextFit] = float64(a.burnIn)
	}
	return b
}

// chances returns ŝ of the cohort. It allocates nothing but what a fit does.
func (a *participationModel) chances(r *fl.Round) (fl.Vector, error) {
	b := a.open(r)
	if skipped := float64(r.T) - b.clock[nextRound]; skipped > 0 { // empty round
		clear(b.before)
		if b.q == 0 {
			b.rounds[int(b.clock[slot])] += skipped
		}
	}
	if a.current {
		b.enter(r)
	}
	if err := a.estimate(r, &b); err != nil {
		return nil, err
	}
	if !a.current {
		b.enter(r)
	}
	dst := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		dst[k] = b.chance(r, r.Updates[k].Client, &a.features)
	}
	if a.last {
		clear(b.before)
		for k := range r.Updates {
			b.before[r.Updates[k].Client] = 1
		}
	}
	return dst, nil
}

// enter enters a round.
func (b *participationLog) enter(r *fl.Round) {
	at := int(b.clock[slot])
	if b.q > 0 { // a slot of its own, which may have held an older round
		at = r.T % len(b.rounds)
		clear(b.came.Row(at))
		b.rounds[at] = 0
		for i := range r.Roster.N {
			if r.Roster.Reaches(i) {
				b.features(b.context.Row(at)[i*b.q:][:b.q], r, i)
			}
		}
	}
	b.rounds[at]++
	came := b.came.Row(at)
	for k := range r.Updates {
		came[r.Updates[k].Client]++
	}
	b.clock[visits] += float64(len(r.Updates))
	b.clock[nextRound] = float64(r.T + 1)
}

// features sets dst to Zᵢ, followed by whether client i participated in the round before.
func (b *participationLog) features(dst fl.Vector, r *fl.Round, i int) {
	z := r.Context.Cols
	if z > 0 {
		copy(dst, r.Context.Row(i))
	}
	if b.before != nil {
		dst[z] = b.before[i]
	}
}

// estimate fits the model when that is due.
func (a *participationModel) estimate(r *fl.Round, b *participationLog) error {
	last := len(b.model) - 1
	if r.T < a.burnIn || last == 0 {
		trials := b.clock[nextRound] * b.clock[enrolment]
		came := b.clock[visits]
		if trials == 0 { // nothing was entered yet
			trials, came = b.clock[enrolment], float64(len(r.Updates))
		}
		b.model[last] = math.Log(came / (trials - came))
		return nil
	}
	if float64(r.T) < b.clock[nextFit] {
		return nil
	}
	a.gather(r, b)
	if a.x.Rows > 0 {
		fit := a.fit.Fit(a.x, a.y, a.w, a.l2)
		if math.IsNaN(fit.Intercept) {
			return errors.New("participation cannot be estimated: covariates or context of an " +
				"enrolled client are not finite")
		}
		if !math.IsInf(fit.Intercept, 0) {
			remark(r, "participation", &fit, a.l2)
		}
		if !math.IsInf(fit.Intercept, -1) { // else an empty round: the estimates stay
			copy(b.model, fit.Coef)
			b.model[last] = fit.Intercept
		}
	}
	b.clock[nextFit] = float64(r.T + a.refit)
	if b.q == 0 {
		next := (int(b.clock[slot]) + 1) % len(b.rounds)
		b.clock[slot], b.rounds[next] = float64(next), 0
		clear(b.came.Row(next))
	}
	return nil
}

// gather collects the rows of the window. Rounds in which a client's rows are the same are one
// row, with as many trials.
func (a *participationModel) gather(r *fl.Round, b *participationLog) {
	a.x.Data, a.y, a.w = a.x.Data[:0], a.y[:0], a.w[:0]
	trials := b.rounds.Sum()
	for i := range r.Roster.N {
		if !r.Roster.Reaches(i) {
			continue
		}
		came := 0.0
		for s, rounds := range b.rounds {
			came += b.came.Row(s)[i]
			if rounds > 0 && b.q > 0 {
				a.add(r, i, b.context.Row(s)[i*b.q:][:b.q])
				a.y, a.w = append(a.y, b.came.Row(s)[i]), append(a.w, 1)
			}
		}
		if b.q == 0 && trials > 0 {
			a.add(r, i, nil)
			a.y, a.w = append(a.y, came/trials), append(a.w, trials)
		}
	}
	a.x.Rows, a.x.Cols = len(a.y), len(b.model)-1
}

// add adds a row of features: h(Xᵢ), then z.
func (a *participationModel) add(r *fl.Round, i int, z fl.Vector) {
	if x := r.Roster.Covariates; x.Cols > 0 {
		a.x.Data = a.features.add(a.x.Data, x.Row(i), nil)
	}
	a.x.Data = append(a.x.Data, z...)
}

// chance returns ŝᵢ of this round.
func (b *participationLog) chance(r *fl.Round, i int, h *featureMap) float64 {
	last := len(b.model) - 1
	score, at := b.model[last], 0
	if x := r.Roster.Covariates; x.Cols > 0 {
		at = h.width(x.Cols)
		score += h.dot(b.model[:at], x.Row(i))
	}
	if z := r.Context; z.Cols > 0 {
		score += z.Row(i).Dot(b.model[at:][:z.Cols])
		at += z.Cols
	}
	if b.before != nil {
		score += b.before[i] * b.model[at]
	}
	return 1 / (1 + math.Exp(-score))
}
