package enrollment_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/enrollment"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// build builds an enrolment for five clients with age and income.
func build(t *testing.T, e fl.EnrollmentEntry, given map[string]any) (fl.Enrollment, string) {
	t.Helper()
	in := fl.Setting{Clients: 5, Shape: fl.Shape{Covariates: []string{"age", "income"}}}
	p := new(registry.Registry).Params(given, in)
	x, err := e.New(p)
	var said []string
	for _, problem := range p.Finish() {
		said = append(said, problem.Message)
	}
	if err != nil {
		said = append(said, err.Error())
	}
	return x, strings.Join(said, "; ")
}

// people are five clients.
func people() *fl.Roster {
	x := fl.Matrix{Rows: 5, Cols: 2, Data: fl.Vector{0, 0, 1, 0, 0, 1, 2, -1, -800, 0}}
	return &fl.Roster{N: 5, Covariates: x}
}

// enrol enrols them.
func enrol(x fl.Enrollment, seed uint64) ([]bool, fl.Vector) {
	e := &fl.EnrollmentInput{Roster: people(), RNG: fl.NewStream(seed, "enrollment").Rand(),
		Probability: make(fl.Vector, 5)}
	return x.Enroll(e), e.Probability
}

// The probabilities are σ(intercept + κ⟨β, X⟩), with β in the order of the covariates that are
// named.
//
//hansa:verifies theorem enrollment/logistic
func TestLogistic(t *testing.T) {
	list := func(x ...any) []any { return x }
	for _, c := range []struct {
		given map[string]any
		logit fl.Vector
	}{
		{map[string]any{"coefficients": list(1.0, 2.0)}, fl.Vector{0, 1, 2, 0, -800}},
		{map[string]any{"coefficients": list(1.0, 2.0), "intercept": -0.7, "strength": 0.5},
			fl.Vector{-0.7, -0.2, 0.3, -0.7, -400.7}},
		{map[string]any{"coefficients": list(1.0, 2.0), "strength": int64(0)}, make(fl.Vector, 5)},
		{map[string]any{"coefficients": list(1.0, 2.0), "covariates": list("income", "age")},
			fl.Vector{0, 2, 1, 3, -1600}},
		{map[string]any{"coefficients": list(int64(3)), "covariates": list("income")},
			fl.Vector{0, 0, 3, -3, 0}},
		{map[string]any{"coefficients": list(), "covariates": list(), "intercept": 2.0},
			fl.Vector{2, 2, 2, 2, 2}},
	} {
		x, problems := build(t, enrollment.Logistic, c.given)
		if problems != "" {
			t.Fatalf("%v: %s", c.given, problems)
		}
		came, chance := enrol(x, 1)
		for i, logit := range c.logit {
			if want := 1 / (1 + math.Exp(-logit)); math.Abs(chance[i]-want) > 1e-15 {
				t.Errorf("%v: e of client %d is %v, want %v", c.given, i, chance[i], want)
			}
		}
		if c.logit[4] < -100 && came[4] {
			t.Errorf("%v: a client of probability 0 is enrolled", c.given)
		}
	}
}

// At one seed an enrolled client stays enrolled as probabilities grow.
func TestEnrolmentsAreNested(t *testing.T) {
	for seed := range uint64(50) {
		var before []bool
		for _, intercept := range []float64{-2, -1, 0, 1, 2} {
			x, _ := build(t, enrollment.Logistic, map[string]any{"intercept": intercept,
				"coefficients": []any{1.0, 2.0}})
			now, _ := enrol(x, seed)
			for i, in := range before {
				if in && !now[i] {
					t.Fatalf("seed %d: client %d is no more enrolled at %v", seed, i, intercept)
				}
			}
			before = now
		}
	}
}

// With a hidden covariate the ratio of true odds to those by the others is Γ or 1/Γ, larger values
// enrol more, and over values that are independent of the others the mean of true probabilities is
// the probability by the others, to 1/N.
//
//hansa:verifies theorem enrollment/logistic
func TestHiddenSelection(t *testing.T) {
	const n = 500 // for each of three values of age
	x := fl.NewMatrix(3*n, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = float64(i%3), math.Exp(float64(i/3)/100)
	}
	for _, gamma := range []float64{1, 1.5, 4} {
		l, problems := build(t, enrollment.Logistic, map[string]any{"intercept": -1.2,
			"coefficients": []any{0.9, 0.0}, "hidden": gamma, "hidden_covariate": "income"})
		if problems != "" {
			t.Fatal(problems)
		}
		e := &fl.EnrollmentInput{Roster: &fl.Roster{N: x.Rows, Covariates: x},
			RNG: fl.NewStream(1, "enrollment").Rand(), Probability: make(fl.Vector, x.Rows)}
		l.Enroll(e)
		mean := make(fl.Vector, 3)
		for i, chance := range e.Probability {
			nominal := enrollment.Sigmoid(-1.2 + 0.9*x.Row(i)[0])
			ratio := chance / (1 - chance) / (nominal / (1 - nominal))
			if math.Abs(ratio-gamma) > 1e-12*gamma && math.Abs(ratio*gamma-1) > 1e-12 {
				t.Fatalf("Γ = %v, client %d: ratio of odds %v", gamma, i, ratio)
			}
			if i >= 3 && chance < e.Probability[i-3] {
				t.Fatalf("Γ = %v: client %d enrols less than one with less income", gamma, i)
			}
			mean[i%3] += (chance - nominal) / n
		}
		for age, off := range mean {
			if math.Abs(off) > 1.0/n {
				t.Errorf("Γ = %v, age %d: the mean is off by %v", gamma, age, off)
			}
		}
	}
}

// Those clients are enrolled that are listed, or all others, with certainty.
//
//hansa:verifies theorem enrollment/list
func TestList(t *testing.T) {
	list := func(x ...any) []any { return x }
	for _, c := range []struct {
		given map[string]any
		want  []bool
	}{
		{map[string]any{"clients": list(int64(3), int64(0))}, []bool{true, false, false, true, false}},
		{map[string]any{"except": list(int64(3), int64(0))}, []bool{false, true, true, false, true}},
		{map[string]any{"except": list()}, []bool{true, true, true, true, true}},
	} {
		x, problems := build(t, enrollment.List, c.given)
		if problems != "" {
			t.Fatalf("%v: %s", c.given, problems)
		}
		came, chance := enrol(x, 1)
		if !slices.Equal(came, c.want) {
			t.Errorf("%v: %v, want %v", c.given, came, c.want)
		}
		for i, in := range came {
			if in != (chance[i] == 1) || !in != (chance[i] == 0) {
				t.Errorf("%v: client %d is enrolled: %t, with probability %v", c.given, i, in, chance[i])
			}
		}
	}
}

// What is wrong is said once, before anything runs.
func TestWhatIsWrong(t *testing.T) {
	list := func(x ...any) []any { return x }
	for want, given := range map[string]map[string]any{
		"coefficients: 3 coefficients for 2 covariates: age, income": {"coefficients": list(1.0, 2.0, 3.0)},
		"coefficients: 2 coefficients for 1 covariate: income": {"coefficients": list(1.0, 2.0),
			"covariates": list("income")},
		`covariates[0]: there is no covariate "incom"`: {"coefficients": list(1.0),
			"covariates": list("incom")},
		"coefficients: is required": {"covariates": list()},
		"hidden_covariate: is required where hidden is above 1": {"coefficients": list(1.0, 0.0),
			"hidden": 2.0},
		`hidden_covariate: there is no covariate "wage"; there are age, income`: {
			"coefficients": list(1.0, 0.0), "hidden": 2.0, "hidden_covariate": "wage"},
		"hidden_covariate: age has a coefficient; want 0, or covariates without it": {
			"coefficients": list(1.0, 0.0), "hidden": 2.0, "hidden_covariate": "age"},
		"coefficients[1]: want a number, have true": {"coefficients": list(1.0, true)},
	} {
		if _, got := build(t, enrollment.Logistic, given); got != want {
			t.Errorf("%v: %s, want %s", given, got, want)
		}
	}
	for want, given := range map[string]map[string]any{
		"want clients, the list of enrolled clients, or except":      {},
		"except: clients is given too; leave one of them out":        {"clients": list(int64(1)), "except": list(int64(1))},
		"clients[1]: there is no client 5, there are clients 0 to 4": {"clients": list(int64(4), int64(5))},
		"except[2]: client 1 is listed twice, first as except[0]":    {"except": list(int64(1), int64(2), int64(1))},
		"clients: no client is enrolled":                             {"clients": list()},
		"except: no client is enrolled":                              {"except": list(int64(0), int64(1), int64(2), int64(3), int64(4))},
		"clients[0]: -1 is outside [0, +Inf)":                        {"clients": list(int64(-1))},
		"except: want a list of integers, have 3":                    {"except": int64(3)},
	} {
		if _, got := build(t, enrollment.List, given); got != want {
			t.Errorf("%v: %s, want %s", given, got, want)
		}
	}
}

// The whole population is enrolled, with probability 1.
//
//hansa:verifies theorem enrollment/everyone
func TestEveryone(t *testing.T) {
	x, problems := build(t, enrollment.Everyone, nil)
	if problems != "" {
		t.Fatal(problems)
	}
	in, chance := enrol(x, 1)
	for i := range in {
		if !in[i] || chance[i] != 1 {
			t.Errorf("client %d is enrolled: %t, with probability %v", i, in[i], chance[i])
		}
	}
}
