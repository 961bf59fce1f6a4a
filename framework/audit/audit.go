package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/study"
)

// A Finding is the audit of one method in one setting.
type Finding struct {
	Method string             `json:"method"`
	Role   string             `json:"role,omitempty"`
	Point  []study.Coordinate `json:"point,omitempty"`
	Seed   uint64             `json:"seed"`

	Clients     int             `json:"clients"`
	Enrolment   Enrolment       `json:"enrolment"`
	Law         Law             `json:"law"`
	Feasibility *ot.Certificate `json:"feasibility"`        // nil when it cannot be decided
	Effective   *Effective      `json:"effective"`          // nil when it has none; Why says why
	TV          float64         `json:"tv"`                 // total variation of p̃ from p
	ChiSquare   Number          `json:"chi_square"`         // Σ (p̃ᵢ − pᵢ)²/pᵢ
	Tracking    *Tracking       `json:"tracking,omitempty"` // where asked for
	Prediction  *Prediction     `json:"prediction"`         // nil when there is none; Why says why
	Training    *Training       `json:"training,omitempty"` // nil when nothing was trained
	Why         string          `json:"why,omitempty"`
	Drift       string          `json:"client_drift,omitempty"` // what the local rule does about it
	Notes       []string        `json:"notes,omitempty"`
	Policies    []Policy        `json:"policies,omitempty"` // compared where p is unattainable
	Frontier    *Frontier       `json:"frontier,omitempty"` // of its cohorts, where asked for
	Balance     *Balance        `json:"balance,omitempty"`  // where asked for
	Sensitivity *Sensitivity    `json:"sensitivity,omitempty"`
	Risks       []Risk          `json:"risks,omitempty"`     // of metrics that are objectives
	Importance  fl.Vector       `json:"p,omitempty"`         // of populations small enough to list
	Inclusion   fl.Vector       `json:"inclusion,omitempty"` //
	Realised    fl.Vector       `json:"p_tilde,omitempty"`   //
}

// Law describes the cohort distribution.
type Law struct {
	Exact       bool    `json:"exact"`
	Known       bool    `json:"known"`            // to the server
	Thin        bool    `json:"thin"`             // an estimate that cannot tell clients apart
	Cohorts     int     `json:"cohorts"`          // number listed; 0 when they are too many
	Draws       int     `json:"draws"`            // simulated rounds behind an estimate
	Empty       float64 `json:"empty"`            // probability of an empty round
	Lowest      float64 `json:"lowest_inclusion"` // these three are of the enrolled
	Highest     float64 `json:"highest_inclusion"`
	Mean        float64 `json:"mean_inclusion"`
	Unreachable int     `json:"unreachable"` // enrolled clients with p > 0 that never participate
}

// A Prediction is what a method will reach on a convex objective.
type Prediction struct {
	Optimum float64 `json:"optimum"`           // F(θ_p), the least there is
	Floor   float64 `json:"floor"`             // F(θ_p̃) − F(θ_p): what its weights alone cost
	Level   *Level  `json:"level"`             // where θ settles; nil when it is not known
	Unknown string  `json:"unknown,omitempty"` // why not
}

// A goal is the optimum of the objective that a method really minimises, and the measure of its
// distance.
type goal struct {
	theta fl.Vector                     // θ_p̃
	gap   func(theta fl.Vector) float64 // F(θ) − F(θ_p)
}

// fewVisits is the mean number of simulated rounds per client below which simulated weights are not
// reported by client.
const fewVisits = 30

// mostListed is the largest population whose vectors a finding carries.
const mostListed = 10_000

// Options are the options of an audit.
type Options struct {
	engine.Options
	Draws  int   // cohorts drawn to measure weights where the law lists none; 0: 20 000
	Window []int // rounds after which the model is measured at the end; nil: after the last
	Trials bool  // simulate trainings, to say how far those of single seeds may differ

	Frontiers *Frontiers // computes frontiers, too; nil: none
	Stretch   int        // rounds of Tracking; 0: it is not computed

	Balance     bool      // of covariates, enrolment and weights, too
	Sensitivity []float64 // Γ ≥ 1: ranges over selections of these strengths, too
}

// Audit returns the audit of a composed cell.
func Audit(c study.Cell, s *engine.Setup, o Options) (*Finding, error) {
	w, err := engine.Prepare(s, o.Options)
	if err != nil {
		return nil, err
	}
	f, rounds, err := weigh(c, s, w, &o)
	f.remarkPrivacy(s, w)
	if err != nil || rounds == nil {
		if f != nil {
			f.remarkDrift(s.Drift)
			f.remarkAdversary(&s.Adversary)
		}
		return f, err
	}
	if s.Adversary.Component != nil {
		f.Why = "clients are faulty, and what they send is not what the theory is about"
		f.remarkDrift(s.Drift)
		f.remarkAdversary(&s.Adversary)
		return f, nil
	}
	var aim goal
	f.Prediction, aim, f.Why, err = predict(s, o.Options, w, f.Effective)
	if err == nil && f.Prediction != nil {
		err = f.Prediction.settle(newLinearised(s, w, f.Effective, rounds), aim, &o)
	}
	if err == nil && f.Prediction != nil {
		err = f.addObjectives(s, w, aim.theta, &o)
	}
	f.remarkDrift(s.Drift)
	return f, err
}

// completionRounds is how many simulated rounds show what completion does.
const completionRounds = 1000

// remarkCompletion notes how many of the clients that are asked finish in time, and how long rounds
// last: weights are of those that do.
func (f *Finding) remarkCompletion(s *engine.Setup, w *engine.World) error {
	if s.Completion.Component == nil {
		return nil
	}
	missed, heard, stale, seconds := 0, 0, 0, 0.0
	err := engine.Simulate(s, w, 1, completionRounds, func(turn engine.SimulatedRound) error {
		missed, heard = missed+turn.Missed, heard+len(turn.Cohort)
		for _, tau := range turn.Staleness {
			stale += tau
		}
		seconds += turn.Seconds / completionRounds
		return nil
	})
	if err != nil || missed+heard == 0 {
		return err
	}
	note := fmt.Sprintf("completion %s: %.3g %% of the clients that are asked finish in time, and "+
		"weights are those of these; a round lasts %.3g virtual seconds in the mean",
		s.Completion.Name, 100*float64(heard)/float64(missed+heard), seconds)
	if s.Completion.Policy.Asynchronous() && heard > 0 {
		note += fmt.Sprintf("; the server is asynchronous: an update is %.3g models old in the "+
			"mean", float64(stale)/float64(heard))
	}
	f.Notes = append(f.Notes, note)
	if s.Completion.Policy.Cuts() {
		f.Notes = append(f.Notes, "some clients make fewer local steps than others, which "+
			"weights do not show")
	}
	return nil
}

// remarkDrift notes what a local rule does about client drift, unless it makes too few steps to
// have any.
func (f *Finding) remarkDrift(d fl.Drift) {
	none := f.Prediction != nil && f.Prediction.Level != nil && f.Prediction.Level.Drift == 0
	if says := d.String(); says != "" && !none {
		f.Notes = append(f.Notes, says)
	}
}

// remarkPrivacy notes what differential privacy may claim of the participation law, where the
// aggregator adds noise. Nothing is remarked of no finding.
func (f *Finding) remarkPrivacy(s *engine.Setup, w *engine.World) {
	if f != nil && s.PerSample != nil && *s.PerSample > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("differential privacy of samples: noise of %v "+
			"sensitivities on what each client sends in a round, where one sample of it is "+
			"another one; nothing is claimed of whole clients", *s.PerSample))
	}
	if f == nil || s.Release == nil {
		return
	}
	if s.Release.Noise == 0 {
		f.Notes = append(f.Notes, "differential privacy: none, since there is no noise")
		return
	}
	claim, on := engine.DrawOf(s, w).String(), "the sum of a round"
	if s.Release.Tree {
		claim, on = "not amplified by sampling: sums are over all rounds so far", "a node of a tree"
	}
	if s.Release.Shares != nil {
		on += ", in shares of the clients"
	}
	f.Notes = append(f.Notes, fmt.Sprintf("differential privacy: noise of %v clipping radii on "+
		"%s; %s", s.Release.Noise, on, claim))
}

// remarkAdversary notes that some clients are faulty: weights are then of what is sent.
func (f *Finding) remarkAdversary(a *engine.Adversary) {
	if a.Component != nil {
		f.Notes = append(f.Notes, "adversary "+a.Name+": weights are those of what clients send, "+
			"faulty or not")
	}
}

// Weigh is Audit without the prediction, which takes an optimum: participation and weights.
func Weigh(c study.Cell, s *engine.Setup, w *engine.World) (*Finding, error) {
	f, _, err := weigh(c, s, w, &Options{})
	return f, err
}

// remembered is why nothing is said of weights that a round has not all of.
const remembered = "updates of earlier rounds count as well: the weights of a round are not all " +
	"that counts"

// preaggregated is why nothing is said of weights that are not those of what clients send.
const preaggregated = "guard %s changes what is aggregated: weights are not those of what " +
	"clients send"

// weigh returns the rounds in which it found the weights, nil where it found none.
func weigh(c study.Cell, s *engine.Setup, w *engine.World, o *Options) (*Finding, *play, error) {
	law, err := engine.CohortLaw(s, w)
	if err != nil {
		return nil, nil, err
	}
	f := &Finding{Method: c.Method, Role: c.Role, Point: c.Point, Seed: c.Seed, Clients: w.Roster.N}
	f.Law, f.Enrolment = describe(&law, w.Roster), enrolment(&law, w)
	f.Law.Known, f.Drift = s.Law, string(s.Drift.Handling)
	f.Feasibility = feasibility(&law, w.Roster)
	if err := f.addAsked(s, w, &law, o); err != nil {
		return nil, nil, err
	}
	if w.Roster.N <= mostListed {
		f.Importance, f.Inclusion = w.Roster.Importance, law.Inclusion
	}
	if s.Remembers {
		f.Why = remembered
		return f, nil, nil
	}
	if s.Guard.Component != nil {
		f.Why = fmt.Sprintf(preaggregated, s.Guard.Name)
		return f, nil, nil
	}
	e, rounds, err := effectiveOf(s, w, &law, o.Draws)
	if err != nil {
		f.Why = err.Error()
		return f, nil, nil
	}
	f.Effective, f.Notes = &e, rounds.notes
	if o.Stretch > 0 {
		if f.Tracking, err = rounds.track(o.Stretch); err != nil {
			return nil, nil, err
		}
	}
	if err := f.remarkCompletion(s, w); err != nil {
		return nil, nil, err
	}
	if s.Selects.Adapts() {
		f.Notes = append(f.Notes, untrained)
	}
	e.Thin = e.Rounds > 0 && float64(e.Rounds)*e.Cohort < fewVisits*float64(f.Enrolment.Clients)
	if e.Thin {
		f.Why = fmt.Sprintf("%d simulated rounds are too few to tell clients apart", e.Rounds)
		return f, nil, nil
	}
	if o.Balance {
		f.Balance.weigh(w, e.P, rounds.probe.round.Notes.Observations())
	}
	f.TV, f.ChiSquare = distances(e.P, w.Roster.Importance)
	if w.Roster.N <= mostListed {
		f.Realised = e.P
	}
	return f, rounds, nil
}

// untrained is the remark of a selection that depends on the model: simulated rounds have none.
const untrained = "the selection depends on what clients answer or tell: here, before training, " +
	"they say nothing"

func describe(law *fl.Law, pop *fl.Roster) Law {
	p := pop.Importance
	d := Law{Exact: law.Exact, Thin: law.Thin(pop), Cohorts: len(law.Sets), Draws: law.Draws,
		Empty: law.Empty, Lowest: math.Inf(1), Highest: math.Inf(-1)}
	if law.Draws > 0 {
		d.Cohorts = 0 // cohorts that happened to be drawn are not the distribution
	}
	n := float64(pop.Enrolment())
	for i, pi := range law.Inclusion {
		if !pop.Reaches(i) {
			continue
		}
		d.Lowest, d.Highest = math.Min(d.Lowest, pi), math.Max(d.Highest, pi)
		d.Mean += pi / n
		if pi == 0 && p[i] > 0 && law.Exact {
			d.Unreachable++
		}
	}
	return d
}

// feasibility decides whether weights on cohorts can attain p (Theorem 1), or bounds their distance
// from it; nil when the law has too little information.
func feasibility(law *fl.Law, pop *fl.Roster) *ot.Certificate {
	var c ot.Certificate
	p := pop.Importance
	switch {
	case law.Thin(pop):
		return nil
	case law.Sets != nil:
		c = ot.Masked{P: p, Q: law.Q, Sets: law.Sets}.Feasibility()
	case law.Chance != nil:
		c = ot.Independent{P: p, Chance: law.Chance, Size: law.Size}.Feasibility()
	default:
		return nil
	}
	return &c
}

// distances returns the total variation and the χ² divergence of q from p.
func distances(q, p fl.Vector) (tv float64, chi Number) {
	for i := range p {
		gap := q[i] - p[i]
		tv += math.Abs(gap) / 2
		if gap != 0 {
			chi += Number(gap * gap / p[i])
		}
	}
	return tv, chi
}

// predict returns where a method converges to: the optimum of the objective that it really
// minimises.
func predict(s *engine.Setup, o engine.Options, w *engine.World, e *Effective) (
	p *Prediction, g goal, why string, err error,
) {
	solve := s.Model.Facts().Solve
	if solve == nil {
		return nil, g, "the optimum of this model cannot be computed", nil
	}
	if math.Abs(e.Scale-1) > 1e-6 || e.ScaleSD > 1e-6 {
		return nil, g, fmt.Sprintf("its weights sum to %.3g ± %.2g instead of 1, so every round "+
			"multiplies the model itself by that", e.Scale, e.ScaleSD), nil
	}
	for _, x := range e.P {
		if x < 0 {
			return nil, g, "some of its weights are negative", nil
		}
	}
	best, err := engine.Optimum(s, o, w)
	if err != nil {
		return nil, g, "", err
	}
	other, err := solve(w.Population, e.P)
	if err != nil {
		return nil, g, err.Error(), nil
	}
	g = goal{other.Params, best.Gap}
	if g.gap == nil {
		at := fl.Snapshot{Worker: s.Model.Worker(), Roster: w.Roster, Population: w.Population,
			Pooled: w.Pooled}
		g.gap = func(theta fl.Vector) float64 {
			at.Params = theta
			at.Reset()
			return at.Objective() - best.Value
		}
	}
	return &Prediction{Optimum: best.Value, Floor: g.gap(g.theta)}, g, "", nil
}

// A Number is a float64 that JSON can hold: ∞ is a string.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return fmt.Appendf(nil, "%q", fmt.Sprint(float64(n))), nil
	}
	return fmt.Appendf(nil, "%v", float64(n)), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	*n = Number(x)
	return err
}
