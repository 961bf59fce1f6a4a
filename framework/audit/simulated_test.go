package audit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// crowd is a law of more cohorts than can be listed: 10 of 100, all equally likely.
const crowd = "clients = 100\navailability = \"always\"\nselection = { name = \"uniform-k\", k = 10 }\n"

// A structured law is exact: inclusion probabilities, feasibility and its certificate are
// had without a list, from f(I) = 1 − C(N−|I|, K)/C(N, K).
func TestStructuredLawIsExact(t *testing.T) {
	f := examine(t, crowd+"importance = { name = \"power\", exponent = 30 }\n")
	l := f.Law
	if !l.Exact || !l.Known || l.Thin || l.Draws != 0 || l.Cohorts != 0 || l.Empty != 0 {
		t.Errorf("law %+v", l)
	}
	tenth := fl.Vector{l.Lowest, l.Highest, l.Mean}
	if !within(tenth, fl.Vector{.1, .1, .1}, 1e-15) || len(f.Inclusion) != 100 {
		t.Errorf("inclusion %v", tenth)
	}
	// The largest excess over all sets is that over the k most important clients.
	deficiency, miss, mass := 0.0, 1.0, 0.0
	for k := range 90 {
		miss *= float64(90-k) / float64(100-k) // C(N−k, K)/C(N, K)
		mass += f.Importance[k]
		deficiency = max(deficiency, mass-(1-miss))
	}
	c := f.Feasibility
	if c == nil || c.Bound || c.Feasible || math.Abs(c.Deficiency-deficiency) > 1e-12 {
		t.Errorf("certificate %+v, want deficiency %v", c, deficiency)
	}
	if f = examine(t, crowd+"importance = \"linear\"\n"); !f.Feasibility.Feasible {
		t.Errorf("linear p on uniform cohorts of ten: %+v", f.Feasibility)
	}
}

// Where cohorts cannot be listed p̃ is simulated, and says so, and its noise is what it
// claims to be. Fixed weights are not learnt because they were simulated.
func TestSimulatedWeights(t *testing.T) {
	f := examine(t, crowd+"importance = \"uniform\"\n"+`aggregator = { weights = "uniform" }`+"\n")
	e := f.Effective
	if e == nil || e.Exact || e.Rounds != 1000 || e.Learns || e.Thin {
		t.Fatalf("%+v", e)
	}
	got := fl.Vector{e.Total, e.TotalSD, e.Scale, e.Speaking, e.Cohort, e.P.Sum()}
	if !within(got, fl.Vector{1, 0, 1, 10, 10, 1}, 1e-9) {
		t.Errorf("%v", got)
	}
	// p̃ is 1/N, so what is measured is noise: each p̃ᵢ a mean of R draws of 0.1·Bernoulli(0.1).
	noise := 100. / 2 * math.Sqrt(.01*.09/1000*2/math.Pi)
	if math.Abs(e.Noise-noise) > 0.02*noise {
		t.Errorf("noise %v, want %v", e.Noise, noise)
	}
	if f.TV < 0.7*noise || f.TV > 1.4*noise {
		t.Errorf("TV %v, noise alone would show %v", f.TV, noise)
	}
	// A plan is fixed once it is made.
	f = examine(t, crowd+"importance = \"linear\"\naggregator = \"fedavot\"\n")
	if e = f.Effective; e.Exact || e.Learns || f.TV > 2*e.Noise {
		t.Errorf("planned: TV %v, %+v", f.TV, e)
	}
}

// Weights that are learnt are told from fixed ones, and arrive near p: with the law known
// and not used, with the law hidden, and where it cannot be listed.
func TestLearntWeights(t *testing.T) {
	const feasible = "rounds = 20_000\nimportance = \"uniform\"\navailability = { k = 3 }\n"
	for _, lines := range []string{
		feasible + `aggregator = { name = "fedavot", learn = true, step = 2 }`,
		feasible + "law = \"unknown\"\n" + `aggregator = { name = "fedavot", step = 2 }`,
		crowd + "rounds = 20_000\nimportance = \"linear\"\nlaw = \"unknown\"\n" +
			`aggregator = { name = "fedavot", step = 20 }`,
	} {
		f := examine(t, lines+"\n")
		e := f.Effective
		if e == nil || e.Exact || !e.Learns || e.Rounds != 10_000 || e.Thin {
			t.Errorf("%s: %+v", lines, e)
			continue
		}
		if f.TV > 0.01 || math.Abs(e.Scale-1) > 1e-9 || f.Prediction == nil {
			t.Errorf("%s: TV %v, Σw %v, %s", lines, f.TV, e.Scale, f.Why)
		}
		if hidden := strings.Contains(lines, "unknown"); f.Law.Known == hidden || !f.Law.Exact {
			t.Errorf("%s: law %+v", lines, f.Law)
		}
		if f.Feasibility == nil || !f.Feasibility.Feasible {
			t.Errorf("%s: %+v", lines, f.Feasibility)
		}
	}
}

// thin is a law of which only inclusion probabilities are exact: cohorts are simulated, and
// too few rounds of two meet five thousand clients.
const thin = "clients = 5000\n" +
	"dataset = { name = \"regression\", features = 1, samples_per_client = 1, test_samples_per_client = 0 }\n"

// A law that cannot tell clients apart decides nothing: neither feasibility nor TV nor a
// floor, and rules that need it say so.
func TestThinLaws(t *testing.T) {
	f := examine(t, thin+`aggregator = { weights = "uniform" }`+"\n")
	if !f.Law.Thin || f.Law.Exact || f.Law.Draws == 0 || f.Law.Cohorts != 0 || f.Feasibility != nil {
		t.Errorf("law %+v, feasibility %+v", f.Law, f.Feasibility)
	}
	if mean := f.Law.Mean; math.Abs(mean-2./5000) > 1e-12 { // exact all the same
		t.Errorf("mean inclusion %v", mean)
	}
	e := f.Effective
	if e == nil || !e.Thin || e.Exact || f.TV != 0 || f.ChiSquare != 0 || f.Realised != nil {
		t.Errorf("%+v, TV %v, %d p̃", e, f.TV, len(f.Realised))
	}
	if f.Prediction != nil || !strings.Contains(f.Why, "too few to tell clients apart") {
		t.Errorf("%+v: %s", f.Prediction, f.Why)
	}
	f = examine(t, thin+`aggregator = { weights = "ht" }`+"\n")
	if f.Effective != nil || !strings.Contains(f.Why, "ht needs inclusion probabilities") {
		t.Errorf("ht: %+v: %s", f.Effective, f.Why)
	}
}

// Rounds in which nobody comes are skipped: p̃ is what the others realise. Six clients with
// small chances, by the list of cohorts and by hand.
func TestEmptyRounds(t *testing.T) {
	const coins = "availability = { name = \"bernoulli\", rate = 0.02, prior = \"uniform\" }\n"
	f := examine(t, coins+`aggregator = { weights = "self-normalised" }`+"\n")
	law, w := world(t, coins)
	want := make(fl.Vector, 6)
	for j, cohort := range law.Sets {
		mass := 0.0
		for _, i := range cohort {
			mass += w.Roster.Importance[i]
		}
		for _, i := range cohort {
			want[i] += law.Q[j] * w.Roster.Importance[i] / mass
		}
	}
	e := f.Effective
	if e == nil || !e.Exact || !within(e.P, want, 1e-12) {
		t.Errorf("%+v, want %v", e, want)
	}
	empty := math.Pow(.98, 6)
	come := 6 * .02 / (1 - empty)
	if !within(fl.Vector{f.Law.Empty, e.Cohort, f.Law.Mean}, fl.Vector{empty, come, .02}, 1e-12) {
		t.Errorf("P(nobody) = %v, %v come, %+v", f.Law.Empty, e.Cohort, f.Law)
	}
	// Without a list the rounds are simulated, and those in which nobody came not counted.
	f = examine(t, "clients = 20\nimportance = \"uniform\"\n"+coins+`aggregator = { weights = "uniform" }`+"\n")
	e = f.Effective
	if rounds := 1000 * (1 - math.Pow(.98, 20)); e == nil || math.Abs(float64(e.Rounds)-rounds) > 70 {
		t.Errorf("%+v, want about %v rounds", e, rounds)
	}
}

// When nobody ever comes there is nothing to weigh, and that is what is said.
func TestNobodyEverComes(t *testing.T) {
	const never = "clients = 20\navailability = { name = \"bernoulli\", rate = 1e-9 }\n"
	for _, rule := range []string{`aggregator = { weights = "uniform" }`, `aggregator = "fedavot"`} {
		f := examine(t, strings.Replace(never, "}", ", prior = \"uniform\" }", 1)+rule+"\n")
		if f.Effective != nil || f.Why != "nobody came in 1000 simulated rounds" {
			t.Errorf("%s: %+v: %s", rule, f.Effective, f.Why)
		}
		if !f.Law.Exact || math.Abs(f.Law.Empty-1) > 1e-7 {
			t.Errorf("%s: law %+v", rule, f.Law)
		}
	}
}

// A cohort that is too large to probe by unit vectors has no p̃, and the finding says why; an
// aggregator that only weighs is asked for its weights.
func TestCohortsTooLargeToProbe(t *testing.T) {
	const all = thin + "availability = \"always\"\n"
	f := examine(t, all+"aggregator = \"coordinate-median\"\n")
	if f.Effective != nil || f.Why != "cohorts of 5000 clients are too large to probe: at most 4096" {
		t.Errorf("%+v: %s", f.Effective, f.Why)
	}
	f = examine(t, all+`aggregator = { weights = "uniform" }`+"\n")
	if e := f.Effective; e == nil || !e.Exact || e.Cohort != 5000 || math.Abs(e.P[17]-1./5000) > 1e-15 {
		t.Errorf("%+v: %s", f.Effective, f.Why)
	}
}
