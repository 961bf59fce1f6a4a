package verdict

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// An Outcome is what became of a claim.
type Outcome string

// The outcomes of a claim.
const (
	Holds     Outcome = "holds"
	Refuted   Outcome = "refuted"   // its opposite is significant, or exact
	Undecided Outcome = "undecided" // neither is
	CannotRun Outcome = "cannot be run here"

	// Incomparable says that numbers of different quantities are compared: another claim than this
	// one could be judged.
	Incomparable Outcome = "not comparable"

	// NotJudged says that a part of the experiment is judged, and the claim is about more.
	NotJudged Outcome = "not judged"
)

// Outcomes lists the outcomes of a claim.
func Outcomes() []Outcome {
	return []Outcome{Holds, Refuted, Undecided, CannotRun, Incomparable, NotJudged}
}

// A Verdict is what results say of a claim.
type Verdict struct {
	Claim   study.Claim
	Verdict Outcome
	P       float64 // Holm-adjusted over the claims of the file; NaN where nothing is tested

	// Of says what Estimate is of: the statement that decides, or is furthest from being decided.
	// Low and High are its 95 % interval, not adjusted; NaN where there is none.
	Of                  string
	Estimate, Low, High float64

	N          int    // seeds behind Estimate; 0 for none
	Statements int    // that the claim consists of
	Test       string // that decides; "" for none
	Exact      bool   // nothing varies over seeds, and nothing is tested
	Seeds      int    // of Undecided: with which it would be decided; 0: unknown, or very many
	Why        string // one line: the numbers, or what is missing
}

// Judge tests claims about the cells of an input; the verdicts are in the order of the claims.
// Labels that no cell has are told as missing. Of a part of an experiment a claim is judged at the
// points that the part has; one that is about others, too, is not judged.
func Judge(in *infer.Input, claims []study.Claim) []Verdict {
	if len(in.Cells) == 0 {
		in = nil
	}
	all := make([]assessment, len(claims))
	j := newJudge(in)
	for i := range claims {
		all[i] = j.assess(&claims[i])
	}
	adjust(all)
	verdicts := make([]Verdict, len(all))
	for i := range all {
		verdicts[i] = all[i].verdict()
	}
	return verdicts
}

// An assessment is a claim on the way to its verdict.
type assessment struct {
	claim      *study.Claim
	statements []statement
	differing  []string  // ingredients of quantities in which points of an axis differ
	hindered   *obstacle // why nothing can be said; nil where something can

	holds, opposite float64 // p, not adjusted
	exact           bool
	family          int     // claims that are tested in the file
	p               float64 // adjusted; NaN where nothing is tested
}

// assess tests a claim by itself.
func (j *judge) assess(c *study.Claim) assessment {
	a := assessment{claim: c, p: math.NaN()}
	if c.Needs != "" {
		a.hindered = &obstacle{CannotRun, "missing: " + c.Needs}
		return a
	}
	if a.hindered = j.outside(c); a.hindered != nil {
		return a
	}
	for k := range c.Expr {
		p := &c.Expr[k]
		found, why := j.predicate(p, c.At)
		if why != nil {
			a.hindered = why
			return a
		}
		a.statements = append(a.statements, found...)
		for _, name := range j.differing(p, c.At) {
			if !slices.Contains(a.differing, name) {
				a.differing = append(a.differing, name)
			}
		}
	}
	if len(a.statements) == 0 {
		a.hindered = &obstacle{Undecided, "it says nothing about this run"}
		return a
	}
	a.combine()
	return a
}

// combine finds p of the conjunction of all statements. What is exact is true or false; only what
// is not is tested.
func (a *assessment) combine() {
	least, tested := 1.0, 0
	a.exact = true
	for _, s := range a.statements {
		for _, side := range s.sides {
			a.holds = max(a.holds, side.holds)
			switch {
			case side.exact && side.opposite == 0: // that decides it
				a.holds, a.opposite, a.exact, a.hindered = 1, 0, true, nil
				return
			case side.exact:
			case side.few:
				a.hindered = fewSeeds(s.n)
			default:
				a.exact = false
				tested++
				least = min(least, side.opposite)
			}
		}
	}
	if a.opposite = min(1, least*float64(tested)); a.exact {
		a.opposite = 1
	}
}

// adjust finds p of every claim that is tested, by Holm's method.
func adjust(all []assessment) {
	var tested []*assessment
	var p []float64
	for i := range all {
		if a := &all[i]; a.hindered == nil && !a.exact {
			tested, p = append(tested, a), append(p, min(1, 2*min(a.holds, a.opposite)))
		}
	}
	for i, adjusted := range infer.Holm(p) {
		tested[i].p, tested[i].family = adjusted, len(p)
	}
}

// outcome returns what became of the claim.
func (a *assessment) outcome() Outcome {
	switch {
	case a.hindered != nil:
		return a.hindered.outcome
	case a.exact && a.holds == 0:
		return Holds
	case a.exact:
		return Refuted
	case a.p < infer.Alpha && a.holds <= a.opposite:
		return Holds
	case a.p < infer.Alpha:
		return Refuted
	}
	return Undecided
}

// verdict tells what was found.
func (a *assessment) verdict() Verdict {
	nan := math.NaN()
	v := Verdict{Claim: *a.claim, Verdict: a.outcome(), P: a.p, Estimate: nan, Low: nan, High: nan,
		Statements: len(a.statements)}
	unjudged := []Outcome{CannotRun, Incomparable, NotJudged}
	if slices.Contains(unjudged, v.Verdict) || len(a.statements) == 0 {
		v.Why = a.hindered.why
		return v
	}
	s := a.decisive(v.Verdict)
	v.Of, v.Estimate, v.Low, v.High, v.N = s.what, s.estimate, s.low, s.high, s.n
	v.Exact = a.exact && a.hindered == nil
	if !a.exact {
		v.Test = s.test
	}
	if v.Verdict == Undecided && a.hindered == nil {
		v.Seeds = a.seeds()
	}
	v.Why = a.why(&v)
	return v
}

// decisive returns the statement that decides a claim: of one that is refuted, that of which the
// opposite is surest; else that which is least sure to hold.
func (a *assessment) decisive(o Outcome) *statement {
	refuting := func(s *statement) float64 {
		p := 1.0
		for _, side := range s.sides {
			p = min(p, side.opposite)
		}
		return p
	}
	holding := func(s *statement) float64 {
		p := 0.0
		for _, side := range s.sides {
			p = max(p, side.holds)
		}
		return -p
	}
	rank := holding
	if o == Refuted {
		rank = refuting
	}
	best := &a.statements[0]
	for i := range a.statements {
		if s := &a.statements[i]; rank(s) < rank(best) {
			best = s
		}
	}
	return best
}

// targetPower is that with which the seeds that are told decide a claim.
const targetPower = 0.80

// seeds estimates how many seeds would decide a claim in the first step of Holm's method: all of
// its statements that are not exact, if they seem to hold, and else the one that needs the fewest
// for its opposite. It is 0 for more than infer.MaxSeedsNeeded.
func (a *assessment) seeds() int {
	alpha := infer.Alpha / 2 / float64(a.family)
	var sides []side
	n := 0
	for _, s := range a.statements {
		n = max(n, s.n)
		for _, side := range s.sides {
			if !side.exact {
				sides = append(sides, side)
			}
		}
	}
	k := float64(len(sides))
	wrong := slices.ContainsFunc(sides, func(s side) bool { return s.holds > s.opposite })
	most, least := 0, 0
	for _, s := range sides {
		if !wrong {
			needed := s.needed(false, alpha, 1-(1-targetPower)/k)
			if needed == 0 {
				return 0
			}
			most = max(most, needed)
			continue
		}
		if needed := s.needed(true, alpha/k, targetPower); needed > 0 && s.holds > s.opposite &&
			(least == 0 || needed < least) {
			least = needed
		}
	}
	if wrong {
		most = least
	}
	if most == 0 {
		return 0
	}
	return max(most, n+1)
}
