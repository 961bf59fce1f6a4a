package audit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A rule is a weighting of cohorts by hand.
type rule struct {
	lines string
	// weight returns what client i of a cohort is given, before or without normalisation.
	weight    func(i int) float64
	sumsToOne bool
}

// rules returns the weightings of fedavg, computed from the roster and the law.
func rules(pop *fl.Roster, law *fl.Law, k float64) []rule {
	p := pop.Importance
	one := func(int) float64 { return 1 }
	mass := func(i int) float64 { return p[i] }
	scaled := func(i int) float64 { return float64(pop.N) / k * p[i] }
	inverse := func(i int) float64 { return p[i] / law.Inclusion[i] }
	samples := func(i int) float64 { return float64(pop.Samples[i]) }
	return []rule{
		{`aggregator = { weights = "uniform" }`, one, true},
		{`aggregator = { weights = "uniform", of = "params" }`, one, true},
		{`aggregator = { weights = "samples" }`, samples, true},
		{`aggregator = { weights = "self-normalised" }`, mass, true},
		{`aggregator = { weights = "hajek" }`, inverse, true},
		{`aggregator = { weights = "importance" }`, mass, false},
		{`aggregator = { weights = "scaled" }`, scaled, false},
		{`aggregator = { weights = "ht" }`, inverse, false},
	}
}

// Over a listed law the weights equal their means, term by term, and are exact.
func TestWeightsByHand(t *testing.T) {
	const setting = "partition = \"unequal\"\n"
	law, w := world(t, setting)
	p := w.Roster.Importance
	for _, r := range rules(w.Roster, &law, 2) {
		sum, total, square, heard, squares := make(fl.Vector, 6), 0.0, 0.0, 0.0, 0.0
		for j, cohort := range law.Sets {
			a, b := r.weight(cohort[0]), r.weight(cohort[1])
			if r.sumsToOne {
				a, b = a/(a+b), b/(a+b)
			}
			q := law.Q[j]
			sum[cohort[0]] += q * a
			sum[cohort[1]] += q * b
			total += q * (a + b)
			square += q * (a + b) * (a + b)
			heard += q * (a + b) * (a + b) / (a*a + b*b)
			squares += q * (a*a + b*b)
		}
		sum.Scale(1 / sum.Sum())
		chi := 0.0
		for i := range p {
			chi += (sum[i] - p[i]) * (sum[i] - p[i]) / p[i]
		}
		f := examine(t, setting+r.lines+"\n")
		e := f.Effective
		if e == nil || !e.Exact || e.Rounds != 0 || e.Learns || e.Thin || e.Noise != 0 {
			t.Fatalf("%s: %+v", r.lines, e)
		}
		if !within(e.P, sum, 1e-12) || !within(f.Realised, sum, 1e-12) {
			t.Errorf("%s: p̃ = %v, want %v", r.lines, e.P, sum)
		}
		got := fl.Vector{f.TV, float64(f.ChiSquare), e.Total, e.Speaking, e.Cohort, e.Scale, e.ScaleSD, e.Variance}
		want := fl.Vector{distance(sum, p), chi, total, heard, 2, 1, 0, squares / (total * total)}
		if !within(got, want, 1e-12) {
			t.Errorf("%s: %v, want %v", r.lines, got, want)
		}
		if variance := square - total*total; math.Abs(e.TotalSD*e.TotalSD-variance) > 1e-12 {
			t.Errorf("%s: Σw has standard deviation %v, variance %v", r.lines, e.TotalSD, variance)
		}
	}
}

// Horvitz–Thompson attains p for any law; FedAVOT where it is feasible; full participation always.
func TestRulesThatRealiseP(t *testing.T) {
	for _, lines := range []string{
		`aggregator = { weights = "ht" }`,
		`availability = "always"` + "\n" + `aggregator = { weights = "importance", of = "params" }`,
		"importance = \"uniform\"\navailability = { k = 3 }\naggregator = \"fedavot\"",
		"importance = { name = \"list\", weights = [12, 15, 18, 20, 17, 18] }\n" +
			"availability = { prior = \"uniform\" }\n" + `aggregator = { name = "fedavot", epsilon = 1e-12 }`,
		"selection = { name = \"uniform-k\", k = 2 }\navailability = \"always\"\n" + `aggregator = { weights = "scaled" }`,
	} {
		f := examine(t, lines+"\n")
		e := f.Effective
		if e == nil || !e.Exact || f.TV > 1e-9 || f.ChiSquare > 1e-9 || !within(e.P, f.Importance, 1e-9) {
			t.Errorf("%s: TV %v, %+v", lines, f.TV, e)
			continue
		}
		if f.Prediction == nil || f.Prediction.Floor > 1e-12 || len(f.Notes) > 0 {
			t.Errorf("%s: %+v, %s %v", lines, f.Prediction, f.Why, f.Notes)
		}
	}
}

// Theorem: where p is infeasible FedAVOT's p̃ is as far from it as the certificate says, by
// the exact policy and by scaling to its end; the soft policy stays farther away.
func TestInfeasibleLosesTheDeficiency(t *testing.T) {
	for policy, tolerance := range map[string]float64{"nearest": 1e-9, "project": 2e-3} {
		f := examine(t, `aggregator = { name = "fedavot", on_infeasible = "`+policy+"\" }\n")
		c := f.Feasibility
		if c == nil || c.Feasible || c.Deficiency < 0.1 || math.Abs(f.TV-c.Deficiency) > tolerance {
			t.Errorf("%s: TV %v, certificate %+v", policy, f.TV, c)
		}
		if len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "infeasible: ") {
			t.Errorf("%s: notes %q", policy, f.Notes)
		}
	}
	f := examine(t, "aggregator = \"fedavot\"\n")
	if d := f.Feasibility.Deficiency; f.TV < d || f.TV > d+0.1 {
		t.Errorf("soft: TV %v, deficiency %v", f.TV, d)
	}
}

// Weights that do not sum to one, on parameters, multiply the model in every round: they
// have a p̃ but nothing to predict.
func TestWeightsThatScaleTheModel(t *testing.T) {
	law, w := world(t, "")
	total := 0.0
	for i, p := range w.Roster.Importance {
		total += 3 * p * law.Inclusion[i] // N/K = 3
	}
	f := examine(t, `aggregator = { weights = "scaled", of = "params" }`+"\n")
	e := f.Effective
	if e == nil || math.Abs(e.Total-total) > 1e-12 || e.Scale != e.Total || e.ScaleSD != e.TotalSD {
		t.Fatalf("%+v", e)
	}
	if f.Prediction != nil || !strings.Contains(f.Why, "multiplies the model itself") {
		t.Errorf("%+v: %s", f.Prediction, f.Why)
	}
	// On average they may sum to one and still do so: uniform cohorts, p that is not uniform.
	f = examine(t, "availability = { prior = \"uniform\" }\n"+
		`aggregator = { weights = "scaled", of = "params" }`+"\n")
	if math.Abs(f.Effective.Scale-1) > 1e-12 || f.Effective.ScaleSD < 0.1 || f.Prediction != nil {
		t.Errorf("%+v: %+v", f.Effective, f.Prediction)
	}
}

// A client that never participates is counted, by the law and by the certificate; its p̃ is 0. One
// with pᵢ = 0 that participates makes χ² infinite.
func TestUnreachableAndUnimportant(t *testing.T) {
	absent := examine(t, "availability = { prior = { name = \"list\", weights = [0, 1, 1, 1, 0, 1] } }\n"+
		"importance = { name = \"list\", weights = [3, 1, 1, 1, 0, 0] }\n"+
		`aggregator = { weights = "uniform" }`+"\n")
	if absent.Law.Unreachable != 1 || absent.Law.Lowest != 0 || absent.Effective.P[0] != 0 {
		t.Errorf("%+v, p̃ = %v", absent.Law, absent.Effective.P)
	}
	if c := absent.Feasibility; c.Feasible || c.Deficiency < 0.5-1e-9 || c.Minimal[0] != 0 {
		t.Errorf("%+v", c)
	}
	if !math.IsInf(float64(absent.ChiSquare), 1) {
		t.Errorf("χ² = %v, but client 5 participates and has no importance", absent.ChiSquare)
	}
	if math.Abs(absent.TV-0.5) > 1e-12 { // p̃ is ¼ of 1, 2, 3 and 5; p is ½, ⅙, ⅙, ⅙
		t.Errorf("TV = %v", absent.TV)
	}
}

// An aggregator that is no weighted mean has no p̃, and the finding says why.
func TestNonlinearAggregators(t *testing.T) {
	f := examine(t, "availability = { k = 3 }\naggregator = \"coordinate-median\"\n")
	if f.Effective != nil || f.Prediction != nil || f.Realised != nil {
		t.Errorf("%+v", f.Effective)
	}
	if f.Why != "it is no weighted mean of updates, so it has no p̃" {
		t.Errorf("why: %q", f.Why)
	}
	if f.Feasibility == nil || f.Law.Cohorts != 20 {
		t.Errorf("the law is not audited: %+v", f.Law)
	}
	heads := examine(t, "dataset = \"two-classes\"\nmodel = \"softmax\"\n"+
		"local = \"class-moments\"\naggregator = \"fedcgs\"\n")
	if heads.Effective != nil || heads.Why != "clients send class moments, not models, so it has no p̃" {
		t.Errorf("statistics: %q", heads.Why)
	}
	// Of two it is their mean.
	pair := examine(t, "aggregator = \"coordinate-median\"\n")
	mean := examine(t, `aggregator = { weights = "uniform" }`+"\n")
	if pair.Effective == nil || !within(pair.Effective.P, mean.Effective.P, 1e-15) {
		t.Errorf("the median of two: %+v", pair.Effective)
	}
}

// Of a rule that counts updates of earlier rounds, too, the weights of a round say nothing.
func TestWeightsOfRulesThatRemember(t *testing.T) {
	for _, name := range []string{"mifa", "fedvarp"} {
		f := examine(t, "aggregator = \""+name+"\"\n")
		if f.Effective != nil || f.Prediction != nil || !strings.Contains(f.Why, "updates of earlier rounds count as well") {
			t.Errorf("%s: %+v, %+v, %q", name, f.Effective, f.Prediction, f.Why)
		}
	}
}
