package aggregator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// informed is a population of n clients with two covariates and all moments disclosed, of which
// those with a low first one enrol, and every fourth.
func informed(n int) *fl.Roster {
	pop := crowd(n, func(i int, x fl.Vector) bool { return x[0] < 0.6 || i%4 == 0 })
	pop.Products, pop.Above = fl.NewMatrix(2, 2), make(fl.Vector, 2)
	for i, p := range pop.Importance {
		x := pop.Covariates.Row(i)
		for j, v := range x {
			pop.Products.Row(j).AddScaled(p*v, x)
			if v > pop.Moments[j] {
				pop.Above[j] += p
			}
		}
	}
	return pop
}

// terms returns h(X) in plain words.
func terms(kind string, x, mean fl.Vector) fl.Vector {
	h := x.Clone()
	if kind == "squares" || kind == "quadratic" {
		h = append(h, x[0]*x[0], x[1]*x[1])
	}
	if kind == "interactions" || kind == "quadratic" {
		h = append(h, x[0]*x[1])
	}
	if kind == "indicators" {
		for j := range x {
			one := 0.0
			if x[j] > mean[j] {
				one = 1
			}
			h = append(h, one)
		}
	}
	return h
}

// Theorem, equation 17, of any h: what the enrolled upload, weighted, has the population's means of
// the terms asked for.
//
//hansa:verifies theorem aggregator/calibrated
func TestCalibrationMeetsTheTermsAskedFor(t *testing.T) {
	for _, kind := range []string{"linear", "squares", "interactions", "quadratic", "indicators"} {
		for _, distance := range []string{"quadratic", "entropy"} {
			pop := informed(80)
			params, want := make([]fl.Vector, pop.N), make(fl.Vector, 0)
			var cohort []int
			for i := range pop.N {
				params[i] = append(terms(kind, pop.Covariates.Row(i), pop.Moments), 1)
				if i == 0 {
					want = make(fl.Vector, len(params[0]))
				}
				want.AddScaled(pop.Importance[i], params[i])
				if pop.Enrolled[i] {
					cohort = append(cohort, i)
				} else {
					pop.Covariates.Row(i).Fill(math.NaN()) // the server does not know them
				}
			}
			r := roundOf(pop, nil, make(fl.Vector, len(want)), params, cohort)
			r.T = -1
			a := buildIn(t, surveyed(), Calibrated, normalised("hajek", "balance_terms", kind,
				"distance", distance))
			if d := updateOf(t, a, r, params, cohort).Distance(want); d > 1e-9 {
				t.Errorf("%s, %s: moments are %g away", kind, distance, d)
			}
		}
	}
}

// A subset of the covariates is as if the data had no others, for enrolment, for participation and
// for calibration; and terms are as if the data had them as covariates.
//
//hansa:verifies invariance aggregator/fedipw aggregator/round-ipw aggregator/calibrated
func TestFeaturesAreAsCovariates(t *testing.T) {
	for _, entry := range []fl.AggregatorEntry{FedIPW, RoundIPW, Calibrated} {
		for _, kind := range []string{"income", "quadratic"} {
			pop := informed(40)
			other := *pop
			other.Covariates, other.Moments = fl.Matrix{Rows: pop.N}, nil
			for i := range pop.N {
				h := terms(kind, pop.Covariates.Row(i), nil)
				if kind == "income" {
					h = h[1:]
				}
				other.Covariates.Cols = len(h)
				other.Covariates.Data = append(other.Covariates.Data, h...)
			}
			other.Moments = make(fl.Vector, other.Covariates.Cols)
			other.Covariates.AddMulTVec(other.Moments, pop.Importance)
			given := normalised("ht")
			for _, stage := range []string{"enrolment", "participation", "balance"} {
				if stage == "balance" != (entry.Name == "calibrated") && stage != "participation" ||
					stage == "enrolment" && entry.Name == "round-ipw" {
					continue
				}
				if kind == "income" {
					given[stage+"_covariates"] = []any{"income"}
				} else {
					given[stage+"_terms"] = kind
				}
			}
			a, b := buildIn(t, surveyed(), entry, given), build(t, entry, normalised("ht"))
			compareRounds(t, fmt.Sprint(entry.Name, " ", kind), pop, &other, a, b)
		}
	}
}

// compareRounds plays rounds of two populations.
func compareRounds(t *testing.T, what string, p, q *fl.Roster, a, b fl.Aggregator) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	params := models(rng, p.N, 3)
	one, two := roundOf(p, nil, make(fl.Vector, 3), params, nil), roundOf(q, nil, make(fl.Vector, 3), params, nil)
	one.T, two.T = -1, -1
	for round := range 25 {
		var cohort []int
		for i := range p.N {
			if p.Enrolled[i] && rng.Float64() < 0.3+0.2*float64(i%3) {
				cohort = append(cohort, i)
			}
		}
		x, y := updateOf(t, a, one, params, cohort), updateOf(t, b, two, params, cohort)
		if d := x.Distance(y); d > 1e-9*(1+x.Norm()) {
			t.Fatalf("%s, round %d: %g apart", what, round+1, d)
		}
	}
}

// Without any covariates enrolment has one probability.
func TestNoCovariatesMayBeUsed(t *testing.T) {
	pop := informed(40)
	r := first(pop)
	a := buildIn(t, surveyed(), FedIPW, normalised("hajek", "enrolment_covariates", []any{},
		"participation_covariates", []any{}))
	if _, err := a.Aggregate(r); err != nil {
		t.Fatal(err)
	}
	want := float64(pop.Enrolment()) / float64(pop.N)
	for _, e := range r.State.Vector("enrolment", pop.N+1)[:pop.N] {
		if math.Abs(e-want) > 1e-12 {
			t.Fatalf("ê = %v, want %v", e, want)
		}
	}
}

// Names that are wrong are refused, with those that there are.
func TestFeaturesAreRefused(t *testing.T) {
	for _, c := range []struct {
		entry fl.AggregatorEntry
		param string
		value any
		says  string
	}{
		{FedIPW, "enrolment_covariates", []any{"agee"}, `there is no covariate "agee"`},
		{RoundIPW, "participation_covariates", []any{"age", "age"}, `"age" is named twice`},
		{Calibrated, "balance_covariates", []any{"incom"}, `there is no covariate "incom"`},
		{Calibrated, "balance_terms", "square", `"square" is not one of its options`},
		{FedIPW, "enrolment_terms", "indicators", `"indicators" is not one of its options`},
		{RoundIPW, "enrolment_covariates", []any{"age"}, "no such parameter"},
	} {
		p := fl.NewParams(normalised("ht", c.param, c.value), surveyed(), nil)
		if _, err := c.entry.New(p); err != nil {
			t.Fatal(err)
		}
		problems := p.Finish()
		if len(problems) != 1 || !strings.Contains(problems[0].Message, c.says) {
			t.Errorf("%s %s = %v: %v, want %q", c.entry.Name, c.param, c.value, problems, c.says)
		} else if strings.Contains(c.says, "there is no") && !slices.Contains(problems[0].Allowed, "age") {
			t.Errorf("%s = %v: what is allowed is not said", c.param, c.value)
		}
	}
}

// Squares make an estimate of enrolment right that depends on x²: over many clients its mean error is
// a fifth of that of an estimate without them.
func TestSquaresEstimateWhatBends(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(7, 7))
	pop := &fl.Roster{N: n, Importance: uniformly(n), Enrolled: make([]bool, n),
		Covariates: fl.Matrix{Rows: n, Cols: 2, Data: normal(rng, 2*n)}}
	truth, missed := make(fl.Vector, n), map[string]float64{}
	for i := range n {
		x := pop.Covariates.Row(i)
		truth[i] = 1 / (1 + math.Exp(1-0.5*x[1]-x[0]*x[0]))
		pop.Enrolled[i] = rng.Float64() < truth[i]
	}
	for _, kind := range []string{"linear", "squares"} {
		r := roundOf(pop, nil, fl.Vector{0}, make([]fl.Vector, n), []int{0})
		p := fl.NewParams(map[string]any{"enrolment_terms": kind}, surveyed(), nil)
		e, err := newEnrolmentModel(p, 1e-3).chances(r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			missed[kind] += math.Abs(e[i]-truth[i]) / n
		}
	}
	t.Logf("mean errors of ê: %v", missed)
	if missed["squares"] > missed["linear"]/5 {
		t.Errorf("mean errors of ê: %v", missed)
	}
}
