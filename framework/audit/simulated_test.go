package audit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
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

// Where cohorts cannot be listed they are drawn. The weight of a client that does not depend on the
// other participants is exact all the same, as its inclusion probability is.
func TestWeightsThatDoNotDependOnTheOthersAreExact(t *testing.T) {
	for _, lines := range []string{
		crowd + "importance = \"uniform\"\n" + `aggregator = { weights = "uniform" }`,
		crowd + "importance = \"linear\"\n" + `aggregator = { weights = "scaled" }`,
		"clients = 50\navailability = { name = \"markov\", rate = 0.2, stay = 50, prior = \"uniform\" }\n" +
			`aggregator = { weights = "ht" }`,
		"clients = 50\navailability = { name = \"correlated\", rate = 0.2, persistence = 0.9, prior = \"uniform\" }\n" +
			`aggregator = { weights = "ht" }`,
	} {
		f := examine(t, strings.Replace(lines, "k = 2, ", "", 1)+"\n")
		e := f.Effective
		if e == nil || !e.Exact || e.Rounds != 0 || e.Learns || e.Thin || f.TV > 1e-12 || e.Margin != 0 {
			t.Errorf("%s: TV %v, %+v", lines, f.TV, e)
		}
	}
}

// What is estimated of p̃ is off by what it says: for rounds that are independent, and for those
// that are not, of clients that stay, of a factor that lasts, and of the hours of a day.
func TestErrorsOfEstimatedWeights(t *testing.T) {
	for name, lines := range map[string]string{
		"subsets": crowd + "importance = \"linear\"\n" + `aggregator = { weights = "self-normalised" }`,
		"markov": "clients = 30\navailability = { name = \"markov\", rate = 0.2, stay = 20, prior = \"uniform\" }\n" +
			"selection = { name = \"uniform-k\", k = 3 }\n" + `aggregator = { weights = "uniform" }`,
		"factor": "clients = 20\navailability = { name = \"correlated\", rate = 0.3, persistence = 0.8, prior = \"uniform\" }\n" +
			`aggregator = { weights = "self-normalised" }`,
	} {
		c, s := compose(t, lines+"\n")
		look := func(seed uint64, draws int) *audit.Finding {
			one := *s
			one.Seed = seed
			f, err := audit.Audit(c, &one, audit.Options{Draws: draws})
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		truth := look(100, 400_000).Effective
		const trials = 40
		inside, noise, shown := 0, 0.0, 0.0
		for seed := range uint64(trials) {
			e := look(seed, 4000).Effective
			if e.Exact || e.Worth > float64(e.Rounds) || name == "subsets" && e.Worth < float64(e.Rounds) {
				t.Fatalf("%s: %+v", name, e)
			}
			away := distance(e.P, truth.P)
			if away <= e.Margin {
				inside++
			}
			noise += e.Noise / trials
			shown += away / trials
		}
		if inside < 34 || math.Abs(shown-noise) > 0.25*noise {
			t.Errorf("%s: %d of %d inside the margin; errors of %v, said to be %v", name, inside, trials, shown, noise)
		}
	}
}

// A plan that was made with simulated cohorts is measured on others: on its own cohorts it attains
// p, and their distribution is not quite the true one.
func TestPlansAreJudgedOutOfSample(t *testing.T) {
	lines := "clients = 100\ndataset = { features = 1, samples_per_client = 1 }\nimportance = \"linear\"\n" +
		`availability = { k = 8, prior = { name = "linear", direction = "decreasing" } }` + "\naggregator = \"fedavot\"\n"
	f := examine(t, lines)
	e := f.Effective
	if f.Law.Draws != 20_000 || e == nil || e.Learns || f.TV < 0.006 || f.TV > 0.010 || e.Margin > 0.002 {
		t.Errorf("TV %v, %+v, law %+v", f.TV, e, f.Law)
	}
	// Where so many rounds meet some clients too rarely, there are more of them.
	f = examine(t, strings.Replace(lines, "k = 8", "k = 4", 1))
	if e := f.Effective; f.Law.Draws != 40_000 || f.Law.Thin || f.Feasibility == nil || e.Learns || f.TV > 0.012 {
		t.Errorf("TV %v, %+v, law %+v", f.TV, e, f.Law)
	}
}

// Weights that are learnt differ from fixed ones, and arrive near p: with the law known and not
// used, with the law hidden, and where it cannot be listed.
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

// thin is a law of which only inclusion probabilities are exact: cohorts are simulated, and too few
// rounds of two clients have all five thousand.
const thin = "clients = 5000\n" +
	"dataset = { name = \"regression\", features = 1, samples_per_client = 1, test_samples_per_client = 0 }\n"

// A law that does not separate clients decides nothing: neither feasibility nor TV nor a floor, and
// rules that need more than it has say so.
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
	// Inverse probabilities are exact all the same, and their sum is one in expectation.
	const ht = `aggregator = { weights = "ht" }` + "\n"
	f = examine(t, thin+ht)
	e = f.Effective
	if e == nil || !e.Thin || f.TV != 0 || f.Prediction != nil {
		t.Fatalf("ht: %t, TV %v, %+v: %s", e != nil, f.TV, f.Prediction, f.Why)
	}
	if miss := math.Abs(e.Total - 1); miss > 4*e.TotalSD/math.Sqrt(float64(e.Rounds)) {
		t.Errorf("ht: Σw %v ± %v in %d rounds", e.Total, e.TotalSD, e.Rounds)
	}
	// Where they are estimated too, the rule says what it lacks.
	f = examine(t, thin+"availability = \"correlated\"\nselection = \"uniform-k\"\n"+ht)
	if f.Effective != nil || !strings.Contains(f.Why, "ht needs inclusion probabilities") {
		t.Errorf("ht: %t, law %+v: %s", f.Effective != nil, f.Law, f.Why)
	}
}

// Empty rounds are skipped: p̃ is that of the others. Six clients with small probabilities, by the
// list of cohorts and by hand.
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
		t.Errorf("P(empty) = %v, mean cohort %v, %+v", f.Law.Empty, e.Cohort, f.Law)
	}
	// Without a list the rounds are simulated, and empty ones not counted.
	f = examine(t, "clients = 20\nimportance = \"uniform\"\n"+coins+`aggregator = { weights = "uniform" }`+"\n")
	e = f.Effective
	if rounds := 20_000 * (1 - math.Pow(.98, 20)); e == nil || math.Abs(float64(e.Rounds)-rounds) > 280 {
		t.Errorf("%+v, want about %v rounds", e, rounds)
	}
}

// When all rounds are empty there are no weights, and the error says so.
func TestAllRoundsAreEmpty(t *testing.T) {
	const never = "clients = 20\navailability = { name = \"bernoulli\", rate = 1e-9 }\n"
	for _, rule := range []string{`aggregator = { weights = "uniform" }`, `aggregator = "fedavot"`} {
		f := examine(t, strings.Replace(never, "}", ", prior = \"uniform\" }", 1)+rule+"\n")
		if f.Effective != nil || f.Why != "all of 20000 simulated rounds were empty" {
			t.Errorf("%s: %+v: %s", rule, f.Effective, f.Why)
		}
		if !f.Law.Exact || math.Abs(f.Law.Empty-1) > 1e-7 {
			t.Errorf("%s: law %+v", rule, f.Law)
		}
	}
}

// A cohort that is too large to probe by unit vectors has no p̃, and the finding says why; a
// weighted sum is asked for its weights.
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
