package engine_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// drawn is an availability: each client comes with a chance of its own. It states its law in
// the way that is asked for.
type drawn struct {
	chance fl.Vector
	states string // sets, chance, inclusion; or nothing
}

func (a drawn) Available(r *fl.AvailabilityInput) []int {
	ids := r.Room(r.Roster.N)
	for i, b := range a.chance {
		if r.RNG.Float64() < b {
			ids = append(ids, i)
		}
	}
	return ids
}

func (a drawn) Law(*fl.Roster) (fl.Law, bool) {
	law := fl.Law{Exact: true, Inclusion: a.chance.Clone(), Empty: 1}
	for _, b := range a.chance {
		law.Empty *= 1 - b
	}
	switch a.states {
	case "chance":
		law.Chance = a.chance.Clone()
	case "sets":
		law.Sets, law.Q = subsets(a.chance)
		law.Q.Scale(1 / (1 - law.Empty))
	}
	return law, a.states != ""
}

// subsets lists all cohorts but the empty one, and how probable they are.
func subsets(chance fl.Vector) (sets [][]int, q fl.Vector) {
	for bits := 1; bits < 1<<len(chance); bits++ {
		set, p := []int{}, 1.0
		for i, b := range chance {
			if bits>>i&1 == 1 {
				set, p = append(set, i), p*b
			} else {
				p *= 1 - b
			}
		}
		sets, q = append(sets, set), append(q, p)
	}
	return sets, q
}

func chances() fl.Vector { return fl.Vector{.9, .2, .5, .7, .35, .6} }

// of keeps those that are in.
func of(v fl.Vector, in []bool) fl.Vector {
	kept := v.Clone()
	for i := range kept {
		if !in[i] {
			kept[i] = 0
		}
	}
	return kept
}

// Laws are restricted to the enrolled in whatever way they are stated: what is said of cohorts
// is what is to be said of these coins where half of them are taken away.
func TestLawsOfTheEnrolled(t *testing.T) {
	want := of(chances(), some())
	empty := .8 * .5 * .65 // none of 1, 2 and 4
	for _, c := range []struct {
		states string
		exact  bool
	}{{"sets", true}, {"chance", true}, {"inclusion", false}, {"", false}} {
		s := counted(chosen{some(), half()})
		s.Availability = drawn{chances(), c.states}
		law, err := engine.CohortLaw(s, prepared(t, s))
		if err != nil {
			t.Fatal(err)
		}
		tol := 1e-15
		if !c.exact { // five standard errors of a share, of the rounds that are not empty
			tol = 5 * math.Sqrt(.25/float64(law.Draws)) / (1 - empty)
		}
		if law.Exact != c.exact || math.Abs(law.Empty-empty) > tol {
			t.Errorf("%s: exact %t, empty with probability %v, want %v", c.states, law.Exact, law.Empty, empty)
		}
		for i, pi := range law.Inclusion {
			// What is stated of single clients is exact whatever else is simulated.
			if off := math.Abs(pi - want[i]); off > tol || c.states != "" && off > 1e-15 {
				t.Errorf("%s: inclusion %v, want %v", c.states, law.Inclusion, want)
			}
		}
		if c.states == "chance" {
			if law.Chance.Distance(want) != 0 || law.Sets != nil {
				t.Errorf("chances %v of %d sets", law.Chance, len(law.Sets))
			}
			continue
		}
		all, q := subsets(fl.Vector{.2, .5, .35})
		if len(law.Sets) != len(all) || math.Abs(law.Q.Sum()-1) > 1e-12 {
			t.Errorf("%s: %d cohorts, q sums to %v", c.states, len(law.Sets), law.Q.Sum())
		}
		for j, set := range all {
			for k := range set {
				set[k] = []int{1, 2, 4}[set[k]]
			}
			if got := probability(law, set...); math.Abs(got-q[j]/(1-empty)) > tol {
				t.Errorf("%s: q%v = %v, want %v", c.states, set, got, q[j]/(1-empty))
			}
		}
	}
}

// Everyone are the enrolled where the law says everyone, and one of them where one is taken.
func TestEveryoneWhoIsEnrolled(t *testing.T) {
	for _, c := range []struct {
		server fl.Selection
		sets   [][]int
		q, pi  float64
	}{
		{takeAll{}, [][]int{{1, 2, 4}}, 1, 1},
		{takeOne{}, [][]int{{1}, {2}, {4}}, 1. / 3, 1. / 3},
	} {
		s := counted(chosen{some(), half()})
		s.Availability, s.Selection = everyone{}, c.server
		law, err := engine.CohortLaw(s, prepared(t, s))
		if err != nil || !law.Exact || law.Everyone || len(law.Sets) != len(c.sets) {
			t.Fatalf("%v, %+v", err, law)
		}
		for _, set := range c.sets {
			if got := probability(law, set...); math.Abs(got-c.q) > 1e-15 {
				t.Errorf("q%v = %v, want %v", set, got, c.q)
			}
		}
		all := make(fl.Vector, 6)
		all.Fill(c.pi)
		if d := law.Inclusion.Distance(of(all, some())); d > 1e-15 {
			t.Errorf("inclusion %v", law.Inclusion)
		}
	}
}

// The oracle tells each client's chance to enrol, and to be in the cohort once it is enrolled:
// given which others are available, where the server selects. So the mean of 1/π over the rounds in
// which a client comes, counted by all rounds, is 1.
func TestOracle(t *testing.T) {
	for name, server := range map[string]fl.Selection{"all": takeAll{}, "one": takeOne{}} {
		for _, states := range []string{"sets", "inclusion"} {
			s := counted(chosen{some(), half()})
			s.Availability, s.Selection, s.Oracle = drawn{chances(), states}, server, true
			s.Rounds, s.Every = 20_000, 20_000
			w := prepared(t, s)
			sum := make(fl.Vector, 6)
			err := engine.Simulate(s, w, 0, s.Rounds, func(turn engine.SimulatedRound) error {
				if len(turn.Cohort) == 0 {
					return nil
				}
				if !slices.Equal(turn.Oracle.Enrollment, fl.Vector(half())) {
					t.Fatalf("enrolment %v", turn.Oracle.Enrollment)
				}
				for _, i := range turn.Cohort {
					pi := turn.Oracle.Inclusion[i]
					if name == "all" && pi != chances()[i] {
						t.Fatalf("client %d: π = %v", i, pi)
					}
					if share := chances()[i] / pi; name == "one" && // one of as many as came
						math.Abs(share-math.Round(share)) > 1e-12 {
						t.Fatalf("client %d: π = %v of %v", i, pi, chances()[i])
					}
					sum[i] += 1 / pi / float64(s.Rounds)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, in := range some() {
				// 1/π is at most 3/b, so that a mean has a standard deviation below this.
				se := math.Sqrt(3 / chances()[i] / float64(s.Rounds))
				if want := map[bool]float64{true: 1}[in]; math.Abs(sum[i]-want) > 5*se {
					t.Errorf("%s, %s: client %d counts %v on average, want %v", name, states, i, sum[i], want)
				}
			}
		}
	}
}

// What is not known is no truth: it is an error for a method that asks for it, a note for a
// measure, and nothing for everything else.
func TestOracleThatThereIsNot(t *testing.T) {
	for want, change := range map[string]func(s *engine.Setup){
		"": func(*engine.Setup) {},
		"this enrolment states no probabilities": func(s *engine.Setup) {
			s.Enrollment = chosen{some(), nil}
		},
		"this availability model states no probabilities": func(s *engine.Setup) {
			s.Availability = coin{}
		},
		"this selection mechanism states no probabilities": func(s *engine.Setup) {
			s.Selection = secretive{}
		},
		"this enrolment states no probabilities; this availability model states no probabilities; " +
			"this selection mechanism states no probabilities": func(s *engine.Setup) {
			s.Enrollment, s.Availability, s.Selection = chosen{some(), nil}, coin{}, secretive{}
		},
	} {
		s := counted(chosen{some(), half()})
		s.Availability = drawn{chances(), "sets"}
		change(s)
		s.Aggregator = onlooker{func(r *fl.Round) {
			if (r.Oracle != nil) != s.Oracle {
				t.Errorf("the truth is told: %t", r.Oracle != nil)
			}
		}}
		s.Measures = append(s.Measures, engine.Measure{Key: "residual", Metric: farthest{}, Judges: true})
		r := run(t, s, engine.Options{})
		last := r.Series[2].Values[len(r.Rounds)-1]
		told := slices.Contains(r.Notes, "residual weights are not known: "+want)
		if told != (want != "") || math.IsNaN(last) != told {
			t.Errorf("%q: residual %v, notes %q", want, last, r.Notes)
		}
		s.Oracle = true
		_, err := engine.Run(context.Background(), s, engine.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(),
			"oracle = true: "+want) {
			t.Errorf("%q: error %v", want, err)
		}
	}
}

// secretive is a selection that says nothing of itself.
type secretive struct{ takeAll }

func (secretive) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }

// farthest is a metric: max |ρᵢ − 1|, NaN where nothing is known.
type farthest struct{ objective }

func (farthest) Measure(s *fl.Snapshot) (float64, error) {
	worst := math.NaN()
	for _, rho := range s.Residual {
		if !math.IsNaN(rho) && !(math.Abs(rho-1) <= worst) {
			worst = math.Abs(rho - 1)
		}
	}
	return worst, nil
}

// inverse is an aggregator that weighs by pᵢ/(eᵢπᵢ), or by equal weights where it is told
// nothing; with a share of the truth, whatever it is told.
type inverse struct{ share float64 }

func (a inverse) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = a.share * r.Roster.Importance[u.Client] /
			(r.Oracle.Enrollment[u.Client] * r.Oracle.Inclusion[u.Client])
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// Weights that are the inverse of the truth leave no residual, whatever the cohort is; a share of them
// leaves the rest of 1. Without weights there is nothing to judge.
func TestResidualWeights(t *testing.T) {
	for _, server := range []fl.Selection{takeAll{}, takeOne{}} {
		for _, share := range []float64{1, .75} {
			s := counted(chosen{some(), half()})
			s.Availability, s.Selection, s.Oracle = drawn{chances(), "sets"}, server, true
			s.Aggregator = inverse{share}
			s.Measures = []engine.Measure{{Key: "residual", Metric: farthest{}, Judges: true}}
			v := run(t, s, engine.Options{}).Series[0].Values
			if got := v[len(v)-1]; math.Abs(got-(1-share)) > 1e-14 || !math.IsNaN(v[0]) {
				t.Errorf("share %v: residuals %v, at first NaN, in the end %v", share, v, 1-share)
			}
			s.Aggregator = plain{}
			r := run(t, s, engine.Options{})
			v = r.Series[0].Values
			if want := "residual weights are not known: this aggregator is no weighted mean of what " +
				"clients upload"; !math.IsNaN(v[len(v)-1]) || !slices.Contains(r.Notes, want) {
				t.Errorf("%v, %q", v, r.Notes)
			}
		}
	}
}

// judged is a toy with all four moves' truth in it, whose weights are judged.
func judged() *engine.Setup {
	s := counted(lottery{})
	s.Availability, s.Selection, s.Oracle = drawn{chances(), "chance"}, takeOne{}, true
	s.Aggregator, s.Rounds = onlooker{func(*fl.Round) {}}, 25 // one comes, of as many as there are
	s.Measures = append(s.Measures, engine.Measure{Key: "residual", Metric: farthest{}, Judges: true})
	return s
}

// With enrolment, covariates and judgement, too, a run that is resumed anywhere has the bits of
// one that was not, and so has one with more workers.
func TestEnrolledRunsHaveTheSameBits(t *testing.T) {
	want := content(t, run(t, judged(), engine.Options{}))
	if !strings.Contains(want, "of 6 clients are enrolled") {
		t.Fatalf("everyone is enrolled: %s", want)
	}
	for _, procs := range []int{1, 3, 8} {
		old := runtime.GOMAXPROCS(procs)
		if got := content(t, run(t, judged(), engine.Options{Workers: procs})); got != want {
			t.Errorf("%d workers give\n%s\nwant\n%s", procs, got, want)
		}
		runtime.GOMAXPROCS(old)
	}
	resumes(t, judged)
}

// Many clients, a share of them enrolled, and rounds large enough to be shared.
func TestManyEnrolledHaveTheSameBits(t *testing.T) {
	make := func(weighs bool) *engine.Setup {
		s := big()
		s.Enrollment, s.Availability = lottery{}, everyone{}
		s.Aggregator = onlooker{func(*fl.Round) {}}
		if weighs {
			s.Aggregator = fl.Weigh(onlooker{func(*fl.Round) {}})
		}
		s.Measures = append(s.Measures, engine.Measure{Key: "residual", Metric: farthest{}, Judges: true})
		return s
	}
	for _, weighs := range []bool{false, true} {
		want := content(t, run(t, make(weighs), engine.Options{}))
		for _, workers := range []int{1, 3, 8} {
			old := runtime.GOMAXPROCS(workers)
			if got := content(t, run(t, make(weighs), engine.Options{Workers: workers})); got != want {
				t.Errorf("%d workers give\n%s\nwant\n%s", workers, got, want)
			}
			runtime.GOMAXPROCS(old)
		}
	}
}
