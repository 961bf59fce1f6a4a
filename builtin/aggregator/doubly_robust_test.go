package aggregator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A survey is a population in which everything is known, and what the server is told of it.
type survey struct {
	pop    *fl.Roster
	e, s   fl.Vector // as they are
	eh, sh fl.Vector // as the server is told
	params []fl.Vector
	global fl.Vector
	exact  fl.Matrix // B of deltas that are linear
}

// newSurvey makes one of n clients of which the first is always there, so that no round is empty.
// Deltas are linear in covariates, or not.
func newSurvey(rng *rand.Rand, n int, linear bool) *survey {
	v := &survey{global: normal(rng, 3), e: chances(rng, n, 0.3, 0.9), s: chances(rng, n, 0.3, 0.9)}
	v.e[0], v.s[0] = 1, 1
	v.pop = &fl.Roster{N: n, Importance: shares(rng, n), Moments: make(fl.Vector, 2),
		Covariates: fl.Matrix{Rows: n, Cols: 2, Data: normal(rng, 2*n)}}
	v.pop.Covariates.AddMulTVec(v.pop.Moments, v.pop.Importance)
	v.params, v.exact = models(rng, n, 3), fl.Matrix{Rows: 3, Cols: 3, Data: normal(rng, 9)}
	if linear {
		for i := range n {
			v.params[i] = v.global.Clone()
			v.exact.AddMulTVec(v.params[i], append(fl.Vector{1}, v.pop.Covariates.Row(i)...))
		}
	}
	v.eh, v.sh = v.e, v.s
	return v
}

// wrong has the server told other probabilities.
func (v *survey) wrong(rng *rand.Rand, e, s bool) {
	if e {
		v.eh = chances(rng, v.pop.N, 0.2, 1)
	}
	if s {
		v.sh = chances(rng, v.pop.N, 0.2, 1)
	}
}

// delta is that of a client.
func (v *survey) delta(i int) fl.Vector {
	d := v.params[i].Clone()
	d.AddScaled(-1, v.global)
	return d
}

// expect says what an outcome model knows before a round: State is preset.
type expect func(r *fl.Round, in []int)

// play calls visit for every enrolment and cohort with its probability and its step. Each is the
// first round of a run whose outcome model is as preset.
func (v *survey) play(
	t *testing.T, given map[string]any, before expect, visit func(in []int, q float64, step fl.Vector),
) {
	t.Helper()
	patterns(v.e, anySet, func(in []int, qe float64) {
		pop := *v.pop
		pop.Enrolled = make([]bool, pop.N)
		for _, i := range in {
			pop.Enrolled[i] = true
		}
		mayCome := v.s.Clone()
		patterns(mayCome, pop.Reaches, func(cohort []int, qs float64) {
			r := roundOf(&pop, nil, v.global, v.params, cohort)
			r.Oracle = &fl.Oracle{Enrollment: v.eh, Inclusion: v.sh}
			before(r, in)
			a := buildIn(t, surveyed(), DoublyRobust, given)
			next, err := paramsOf(a, r)
			if err != nil {
				t.Fatal(err)
			}
			step := next.Clone()
			step.AddScaled(-1, v.global)
			visit(in, qe*qs, step)
		})
	})
}

// mean returns the mean step over all that can happen.
func (v *survey) mean(t *testing.T, given map[string]any, before expect) fl.Vector {
	t.Helper()
	mean := make(fl.Vector, len(v.global))
	v.play(t, given, before, func(_ []int, q float64, step fl.Vector) { mean.AddScaled(q, step) })
	return mean
}

// linearly presets a regression of which B is as given.
func linearly(b fl.Matrix) expect {
	return func(r *fl.Round, _ []int) {
		gram, cross := r.State.Matrix("gram", 3, 3), r.State.Matrix("cross", 3, 3)
		for j := range 3 {
			gram.Row(j)[j] = 1
		}
		copy(cross.Data, b.Data)
	}
}

// recalling presets the memory of the enrolled; each has sent what last says.
func (v *survey) recalling(last func(in []int, i int) fl.Vector) expect {
	return func(r *fl.Round, in []int) {
		memory, seen := newLatest(), r.State.Vector("seen", r.Roster.N)
		for _, i := range in {
			y, d := memory.of(r, i), last(in, i)
			if d == nil {
				continue
			}
			seen[i] = 1
			y.AddScaled(r.Roster.Importance[i]/v.eh[i], d)
			memory.sum(r).Add(y)
		}
	}
}

func bothOf(a, b expect) expect {
	return func(r *fl.Round, in []int) { a(r, in); b(r, in) }
}

// robustly are the parameters of a case; by oracle, so that a test says what the server is told.
func robustly(outcome string, more ...any) map[string]any {
	return normalised("ht", append([]any{"propensities", "oracle", "floor", 0.0, "ridge", 0.0,
		"outcome", outcome}, more...)...)
}

// Theorem, the first half: with right propensities the mean of the step over all enrolments and
// cohorts is Σ pᵢΔᵢ, whatever is expected of deltas: by any regression, by memories of the enrolled
// that differ from one enrolment to another, some of which are missing.
//
//hansa:verifies unbiased aggregator/doubly-robust
func TestTheoremRightPropensitiesAreUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 1))
	for range 3 {
		v := newSurvey(rng, 5, false)
		want := deltas(v.pop.Importance, v.params, v.global)
		any3 := fl.Matrix{Rows: 3, Cols: 3, Data: normal(rng, 9)}
		arbitrary := v.recalling(func(in []int, i int) fl.Vector {
			if (i+len(in))%3 == 0 {
				return nil
			}
			return fl.Vector{float64(i * len(in)), 3, -float64(len(in))}
		})
		for _, c := range []struct {
			given  map[string]any
			before expect
		}{
			{robustly("covariates"), linearly(any3)},
			{robustly("memory"), arbitrary},
			{robustly("memory", "unseen", "zero"), arbitrary},
			{robustly("both"), bothOf(linearly(any3), arbitrary)},
		} {
			if d := v.mean(t, c.given, c.before).Distance(want); d > 1e-10 {
				t.Errorf("%v: the mean step is %g away", c.given, d)
			}
		}
	}
}

// Theorem, the second half: with an exact outcome model it is Σ pᵢΔᵢ, whatever the propensities:
// where deltas are linear and so is the model, in every single round; with memories that are exact
// and ê that is right, whatever ŝ is; with both, whatever ê and ŝ are. Where neither is right there
// is a bias.
//
//hansa:verifies unbiased aggregator/doubly-robust
func TestTheoremRightOutcomesAreUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 2))
	for range 3 {
		v := newSurvey(rng, 5, true)
		exact := v.recalling(func(_ []int, i int) fl.Vector { return v.delta(i) })
		want := deltas(v.pop.Importance, v.params, v.global)
		v.wrong(rng, true, true)
		for _, by := range []string{"ht", "hajek"} {
			v.play(t, robustly("covariates", "normalisation", by), linearly(v.exact),
				func(in []int, _ float64, step fl.Vector) {
					if d := step.Distance(want); d > 1e-10 {
						t.Errorf("%s: of %v enrolled the step is %g away", by, in, d)
					}
				})
		}
		v.play(t, robustly("both"), bothOf(linearly(v.exact), exact),
			func(in []int, _ float64, step fl.Vector) {
				if d := step.Distance(want); d > 1e-10 {
					t.Errorf("both: of %v enrolled the step is %g away", in, d)
				}
			})
		zero := fl.Matrix{Rows: 3, Cols: 3, Data: make(fl.Vector, 9)}
		if d := v.mean(t, robustly("covariates"), linearly(zero)).Distance(want); d < 1e-3 {
			t.Errorf("with neither right the mean step is only %g away", d)
		}
		other := newSurvey(rng, 5, false)
		other.wrong(rng, false, true)
		want = deltas(other.pop.Importance, other.params, other.global)
		exact = other.recalling(func(_ []int, i int) fl.Vector { return other.delta(i) })
		if d := other.mean(t, robustly("memory"), exact).Distance(want); d > 1e-10 {
			t.Errorf("memory: the mean step is %g away", d)
		}
	}
}

// Theorem: a regression that the cohort is entered in is exact in the very first round where deltas
// are linear and the cohort shows all directions, whatever the propensities; and its step is then
// by weights of the cohort with which covariates have the population's mean, as calibration has it.
//
//hansa:verifies theorem aggregator/doubly-robust
func TestCurrentFitIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 3))
	v := newSurvey(rng, 8, true)
	v.wrong(rng, true, true)
	pop := *v.pop
	pop.Enrolled = []bool{true, true, true, true, true, true, false, false}
	params := make([]fl.Vector, pop.N) // uploads of covariates
	for i := range params {
		params[i] = append(fl.Vector{1}, pop.Covariates.Row(i)...)
		params[i].Add(v.global)
	}
	for _, uploads := range [][]fl.Vector{v.params, params} {
		want := deltas(pop.Importance, uploads, v.global)
		for _, by := range []string{"ht", "hajek"} {
			r := roundOf(&pop, nil, v.global, uploads, []int{0, 2, 3, 5})
			r.Oracle = &fl.Oracle{Enrollment: v.eh, Inclusion: v.sh}
			next, err := paramsOf(buildIn(t, surveyed(), DoublyRobust,
				robustly("covariates", "fit", "current", "normalisation", by)), r)
			if err != nil {
				t.Fatal(err)
			}
			step := next.Clone()
			step.AddScaled(-1, v.global)
			if d := step.Distance(want); d > 1e-10 {
				t.Errorf("%s: the step is %g away", by, d)
			}
		}
	}
}

// With everyone enrolled, probabilities that are all the same and memories that begin at 0 it is
// FedVARP.
//
//hansa:verifies equivalence aggregator/doubly-robust aggregator/fedvarp
func TestDoublyRobustMemoryIsFedVARP(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 4))
	pop := &fl.Roster{N: 5, Importance: uniformly(5)}
	global := normal(rng, 4)
	half := make(fl.Vector, 5)
	half.Fill(0.5)
	a, b := buildIn(t, surveyed(), DoublyRobust, robustly("memory", "normalisation", "hajek", "unseen", "zero")),
		build(t, FedVARP, nil)
	one, two := roundOf(pop, nil, global, nil, nil), roundOf(pop, nil, global.Clone(), nil, nil)
	one.Oracle = &fl.Oracle{Enrollment: fl.Vector{1, 1, 1, 1, 1}, Inclusion: half}
	for round := range 20 {
		params, cohort := models(rng, 5, 4), []int{round % 2, 2 + round%3}
		x, y := updateOf(t, a, one, params, cohort), updateOf(t, b, two, params, cohort)
		if d := x.Distance(y); d > 1e-12 {
			t.Fatalf("round %d: %g apart", round+1, d)
		}
	}
}

// Rounds in which clients come, stay away and are not yet seen are those that an independent program
// computes from the formula alone.
//
//hansa:verifies golden aggregator/doubly-robust
func TestGoldenDoublyRobust(t *testing.T) {
	var in struct {
		P, E       fl.Vector
		Covariates []fl.Vector
		Enrolled   []int
		S          []fl.Vector
		Cohorts    [][]int
		Deltas     [][]fl.Vector
		Given      map[string]map[string]any
	}
	want := map[string][]fl.Vector{}
	c := golden(t, "doubly_robust", "rounds", &in, &want)
	pop := &fl.Roster{N: len(in.P), Importance: in.P, Enrolled: make([]bool, len(in.P)),
		Moments: make(fl.Vector, 2), Covariates: fl.Matrix{Rows: len(in.P), Cols: 2}}
	for _, i := range in.Enrolled {
		pop.Enrolled[i] = true
	}
	for _, x := range in.Covariates {
		pop.Covariates.Data = append(pop.Covariates.Data, x...)
	}
	pop.Covariates.AddMulTVec(pop.Moments, in.P)
	for name, given := range in.Given {
		given["propensities"], given["floor"] = "oracle", 0.0
		a := buildIn(t, surveyed(), DoublyRobust, given)
		r := roundOf(pop, nil, make(fl.Vector, 4), nil, nil)
		for k, cohort := range in.Cohorts {
			params := make([]fl.Vector, pop.N)
			for _, i := range cohort {
				params[i] = r.Global.Clone()
				params[i].Add(in.Deltas[k][i])
			}
			r.Oracle = &fl.Oracle{Enrollment: in.E, Inclusion: in.S[k]}
			next, err := paramsOf(a, again(r, params, cohort))
			if err != nil {
				t.Fatal(err)
			}
			r.Global = next.Clone()
			c.equal(t, fmt.Sprintf("%s, round %d", name, k+1), r.Global, want[name][k])
		}
	}
	if len(in.Given) != 7 {
		t.Errorf("%d cases", len(in.Given))
	}
}

// What it cannot know is refused where it is written.
func TestDoublyRobustIsRefused(t *testing.T) {
	bare, told := fl.Setting{Clients: 6, Oracle: true}, surveyed()
	told.Disclosure, told.Oracle = fl.DiscloseAggregate, false
	hidden := surveyed()
	hidden.Disclosure = fl.DiscloseNone
	for _, c := range []struct {
		in    fl.Setting
		given []any
		says  string // nothing: it is right
	}{
		{bare, []any{"propensities", "oracle", "outcome", "memory"}, ""},
		{bare, []any{"propensities", "oracle"}, `outcome: "covariates" needs covariates`},
		{bare, []any{"outcome", "memory"}, `propensities: "estimated" needs covariates`},
		{told, []any{"outcome", "memory"}, `disclosure = "full"`},
		{told, []any{"propensities", "oracle"}, "oracle = true grants it"},
		{hidden, []any{"propensities", "oracle", "outcome", "both"}, `disclosure = "aggregate" or "full"`},
		{surveyed(), []any{"outcome_covariates", []any{"incom"}}, `there is no covariate "incom"`},
		{surveyed(), []any{"kept", 1.0}, "kept: 1 is outside [0, 1)"},
	} {
		p := fl.NewParams(normalised("ht", c.given...), c.in, nil)
		if _, err := DoublyRobust.New(p); err != nil {
			t.Fatal(err)
		}
		problems := p.Finish()
		if c.says == "" && len(problems) > 0 ||
			c.says != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, c.says)) {
			t.Errorf("%v: %v, want %q", c.given, problems, c.says)
		}
	}
}
