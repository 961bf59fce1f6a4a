package aggregator

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// surveyed is a setting in which everything is known of clients with two covariates.
func surveyed() fl.Setting {
	return fl.Setting{Clients: 6, Law: true, Oracle: true, Disclosure: fl.DiscloseFull,
		Shape: fl.Shape{Covariates: []string{"age", "income"}}}
}

// buildIn is build in a setting.
func buildIn(t *testing.T, s fl.Setting, e fl.AggregatorEntry, given map[string]any) fl.Aggregator {
	t.Helper()
	p := fl.NewParams(given, s, nil)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return a
}

// clientWeights returns the weights of a cohort by client.
func clientWeights(t *testing.T, a fl.Aggregator, r *fl.Round, cohort []int) fl.Vector {
	t.Helper()
	r.Recycle()
	r.Updates = r.Updates[:0]
	for _, i := range cohort {
		r.Updates = append(r.Updates, fl.Update{Client: i, Samples: 1})
	}
	w, err := a.(*fl.WeightedSum).Weigher.Weights(r)
	if err != nil {
		t.Fatal(err)
	}
	by := make(fl.Vector, r.Roster.N)
	for k, i := range cohort {
		by[i] = w.By[k]
	}
	return by
}

// among is the law of uniform pairs of the enrolled, or of a single client, with empty rounds.
func among(in []int, n int, empty float64) *fl.Law {
	law := &fl.Law{Exact: true, Empty: empty}
	for _, pair := range stats.Subsets(len(in), min(2, len(in))) {
		set := make([]int, len(pair))
		for k, j := range pair {
			set[k] = in[j]
		}
		law.Sets = append(law.Sets, set)
	}
	law.Q = uniformly(len(law.Sets))
	law.Inclusion = stats.Inclusion(law.Sets, law.Q, n)
	law.Inclusion.Scale(1 - empty)
	return law
}

// Theorem: where e is known and the target of every enrolment R is attainable, the mean weight of
// every client over all R, over the cohorts A of each and over empty rounds is p: Σ P(R) Σ q(A|R)
// w[i, A] = pᵢ to 1e-10. Given R it is pᵢ/eᵢ, as that of oracle IPW is; with "hajek" it is
// proportional to that and sums to 1.
//
//hansa:verifies unbiased aggregator/fedavot aggregator/minimum-variance
//hansa:verifies equivalence aggregator/fedavot aggregator/oracle-ipw
func TestTransportUnderEnrolmentIsUnbiased(t *testing.T) {
	const n = 5
	p, e := fl.Vector{.22, .2, .18, .21, .19}, fl.Vector{.9, .75, .7, .85, .8}
	for _, empty := range []float64{0, 0.3} {
		for _, entry := range []fl.AggregatorEntry{FedAVOT, MinimumVariance} {
			mean := make(fl.Vector, n)
			patterns(e, anySet, func(in []int, chance float64) {
				if len(in) == 0 {
					return
				}
				given, sum := make(fl.Vector, n), 0.0
				for _, i := range in {
					given[i] = p[i] / e[i]
					sum += given[i]
				}
				got := meanWeights(t, entry, "ht", p, e, in, empty)
				if d := got.Distance(given); d > 1e-10 {
					t.Errorf("%s: of %v enrolled the mean weights are %g from p/e", entry.Name, in, d)
				}
				if d := meanWeights(t, OracleIPW, "ht", p, e, in, empty).Distance(given); d > 1e-12 {
					t.Errorf("oracle IPW: of %v enrolled they are %g from p/e", in, d)
				}
				given.Scale((1 - empty) / sum)
				if d := meanWeights(t, entry, "hajek", p, e, in, empty).Distance(given); d > 1e-10 {
					t.Errorf("%s: of %v enrolled, normalised, they are %g away", entry.Name, in, d)
				}
				mean.AddScaled(chance, got)
			})
			if d := mean.Distance(p); d > 1e-10 {
				t.Errorf("%s, %v empty: the mean weights are %g from p", entry.Name, empty, d)
			}
		}
	}
}

// meanWeights is the mean over the cohorts of an enrolment.
func meanWeights(
	t *testing.T, entry fl.AggregatorEntry, by string, p, e fl.Vector, in []int, empty float64,
) fl.Vector {
	t.Helper()
	n, given := len(p), map[string]any{"normalisation": by}
	if entry.Name != "oracle-ipw" {
		given["enrolment"], given["epsilon"] = "oracle", 1e-13
	}
	pop := &fl.Roster{N: n, Importance: p, Enrolled: make([]bool, n)}
	for _, i := range in {
		pop.Enrolled[i] = true
	}
	law := among(in, n, empty)
	r := roundOf(pop, law, fl.Vector{0}, nil, nil)
	r.Oracle = &fl.Oracle{Enrollment: e, Inclusion: law.Inclusion}
	a, mean := buildIn(t, surveyed(), entry, given), make(fl.Vector, n)
	for j, set := range law.Sets {
		mean.AddScaled(law.Q[j]*(1-empty), clientWeights(t, a, r, set))
	}
	return mean
}

// Estimated probabilities take the place of true ones, raised to the floor; where everyone is
// enrolled nothing is estimated, and weights are those for p, to the bit.
func TestEstimatedEnrolmentIsTheTarget(t *testing.T) {
	p, e := fl.Vector{.22, .2, .18, .21, .19}, fl.Vector{.9, .75, .001, .85, .8}
	in := []int{0, 1, 2, 4}
	for _, entry := range []fl.AggregatorEntry{FedAVOT, MinimumVariance} {
		pop := &fl.Roster{N: 5, Importance: p, Enrolled: []bool{true, true, true, false, true}}
		law := among(in, 5, 0)
		r := roundOf(pop, law, fl.Vector{0}, nil, nil)
		copy(r.State.Vector("enrolment", 6), append(e.Clone(), 1))
		given := map[string]any{"enrolment": "estimated", "floor": 0.6, "epsilon": 1e-13}
		a, mean := buildIn(t, surveyed(), entry, given), make(fl.Vector, 5)
		for j, set := range law.Sets {
			mean.AddScaled(law.Q[j], clientWeights(t, a, r, set))
		}
		want := fl.Vector{p[0] / .9, p[1] / .75, p[2] / .6, 0, p[4] / .8}
		want.Scale(1 / want.Sum())
		if d := mean.Distance(want); d > 1e-10 {
			t.Errorf("%s: the mean weights are %g from p/ê", entry.Name, d)
		}
		if !noted(r, "the enrolled, which hold 0.79 of p") {
			t.Errorf("%s: notes %q", entry.Name, r.Notes.All())
		}
		everyone := &fl.Roster{N: 5, Importance: p}
		for _, set := range pairs(5).Sets {
			one := roundOf(everyone, pairs(5), fl.Vector{0}, nil, nil)
			two := roundOf(everyone, pairs(5), fl.Vector{0}, nil, nil)
			x := clientWeights(t, buildIn(t, surveyed(), entry, nil), one, set)
			y := clientWeights(t, a, two, set)
			if x.Distance(y) > 1e-9 {
				t.Errorf("%s: with everyone enrolled weights differ by %g", entry.Name, x.Distance(y))
			}
		}
	}
}

// Where the cohort distribution is unknown the mean of the weights tends to p/e of the enrolled.
func TestLearntWeightsTendToTheEnrolledTarget(t *testing.T) {
	const rounds = 20_000
	p, e := fl.Vector{.22, .2, .18, .21, .19}, fl.Vector{.9, .75, .7, .85, .8}
	pop := &fl.Roster{N: 5, Importance: p, Enrolled: []bool{true, true, true, false, true}}
	want := fl.Vector{p[0] / e[0], p[1] / e[1], p[2] / e[2], 0, p[4] / e[4]}
	want.Scale(1 / want.Sum())
	r := roundOf(pop, nil, fl.Vector{0}, nil, nil)
	r.Oracle = &fl.Oracle{Enrollment: e}
	a := buildIn(t, surveyed(), FedAVOT, map[string]any{"enrolment": "oracle"})
	rng, mean, sets := rand.New(rand.NewPCG(5, 7)), make(fl.Vector, 5), among([]int{0, 1, 2, 4}, 5, 0).Sets
	for range rounds {
		mean.AddScaled(1./rounds, clientWeights(t, a, r, sets[rng.IntN(len(sets))]))
	}
	if d := distance(want, mean); d > 1e-3 {
		t.Errorf("the delivered weights are %g from p/e in total variation", d)
	}
}

// What cannot be is refused where it is written.
func TestEnrolmentIsRefused(t *testing.T) {
	bare := fl.Setting{Clients: 6, Law: true}
	known := surveyed()
	known.Disclosure = fl.DiscloseAggregate
	for _, c := range []struct {
		in    fl.Setting
		given map[string]any
		says  string
	}{
		{bare, map[string]any{"enrolment": "estimated"}, `enrolment: "estimated" needs covariates of clients`},
		{known, map[string]any{"enrolment": "estimated"}, `disclosure = "full"`},
		{bare, map[string]any{"enrolment": "oracle"}, "oracle = true grants it"},
		{bare, map[string]any{"enrolment": "estimate"}, `"estimate" is not one of its options`},
		{bare, map[string]any{"normalisation": "ht"}, `which enrolment = "ignored" does not compute`},
		{surveyed(), map[string]any{"enrolment": "estimated", "enrolment_covariates": []any{"agee"}},
			`there is no covariate "agee"`},
	} {
		for _, e := range []fl.AggregatorEntry{FedAVOT, MinimumVariance} {
			p := fl.NewParams(c.given, c.in, nil)
			if _, err := e.New(p); err != nil {
				t.Fatal(err)
			}
			problems := p.Finish()
			if len(problems) != 1 || !strings.Contains(problems[0].Message, c.says) {
				t.Errorf("%v: %v, want %q", c.given, problems, c.says)
			}
		}
	}
	a := buildIn(t, surveyed(), FedAVOT, map[string]any{"enrolment": "oracle"})
	r := roundOf(&fl.Roster{N: 6, Importance: feasible}, pairs(6), fl.Vector{0}, models(rand.New(rand.NewPCG(1, 1)), 6, 1), []int{0, 1})
	if _, err := a.Aggregate(r); err == nil {
		t.Error("probabilities that are not granted are no error")
	}
	r.Oracle = &fl.Oracle{Enrollment: fl.Vector{1, 0, 1, 1, 1, 1}}
	if _, err := a.Aggregate(r); err == nil || !strings.Contains(err.Error(), "client 1 is enrolled") {
		t.Errorf("a client that cannot enrol is enrolled: %v", err)
	}
	if math.IsNaN(r.Global[0]) {
		t.Error("the model was touched")
	}
}
