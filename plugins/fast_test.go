package plugins

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/testdata/fast"
	"github.com/hansa-fl/hansa/plugins/testdata/loops"
	"github.com/hansa-fl/hansa/plugins/trial"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// Every rule of testdata/fast is what plain loops over coordinates compute, over rounds of random
// cohorts, and has the same bits compiled. None of them is without loops to be compared with.
func TestRulesWithoutLoopsAreTheRules(t *testing.T) {
	rules, native := registered(t, load(t, "testdata/fast")), withoutLoops(t)
	names := rules.Aggregators.Names()
	if len(names) < 10 || !slices.Equal(names, slices.Sorted(maps.Keys(loops.Rules()))) ||
		!slices.Equal(names, native.Aggregators.Names()) {
		t.Fatalf("the rules %v have other names compiled, or as loops", names)
	}
	for _, name := range names {
		interpreted, _ := rules.Aggregators.Get(name)
		compiled, _ := native.Aggregators.Get(name)
		for seed := range uint64(4) {
			if err := compare(t, interpreted, compiled, loops.Rules()[name], seed); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
}

// compare plays four rounds of a rule interpreted, compiled and by loops.
func compare(t *testing.T, one, other fl.AggregatorEntry, rule loops.Rule, seed uint64) error {
	a, b, keep := trial.Build(t, one, nil), trial.Build(t, other, nil), loops.Tables{}
	states := [2]fl.State{fl.NewStore(), fl.NewStore()}
	rng := trial.Random(seed)
	for round := range 4 {
		r := cohortOf(rng, 5+rng.IntN(8), 30)
		r.T, r.State = round, states[0]
		got := trial.Next(t, a, r)
		r.RNG, r.State = trial.Random(1), states[1] // as it was before
		same := trial.Next(t, b, r)
		r.RNG = trial.Random(1)
		want := rule(r, keep)
		if !slices.Equal(got, same) {
			return fmt.Errorf("round %d: %v interpreted, %v compiled", round, got, same)
		}
		if d := gap(got, want); !(d <= 1e-12) {
			return fmt.Errorf("round %d: off by %v", round, d)
		}
	}
	return nil
}

// withoutLoops returns the components of testdata/fast as the compiler makes them.
func withoutLoops(t *testing.T) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := r.Aggregators.Add(fast.FedAdagrad, fast.FedAdam, fast.FedYogi, fast.FedGMA, fast.FedExP,
		fast.MIFA, fast.FedVARP, fast.MeaMed, fast.Phocas, fast.Bulyan, fast.MajorityVote,
		fast.RobustLearningRate, fast.CenteredClipping, fast.FLTrust, fast.FoolsGold,
		fast.NearestMixing, fast.Bucketing, fast.DnC, fast.Little, fast.MinMax,
		fast.Sparse); err != nil {
		t.Fatal(err)
	}
	return r
}

// They keep the contract of aggregators.
func TestRulesWithoutLoopsKeepTheContract(t *testing.T) {
	for _, v := range contract.Examine(withoutLoops(t), contract.Options{Seed: 5}) {
		t.Errorf("%v", v)
	}
}

// registered returns what a strategy describes.
func registered(t *testing.T, s *Strategy) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := s.Register(r); err != nil {
		t.Fatal(err)
	}
	return r
}

// cohortOf returns a round in which n of 20 clients return models of d parameters around that of
// the server, with ties and with one that is far off.
func cohortOf(rng *rand.Rand, n, d int) *fl.Round {
	r := trial.Cohort(rng, n, d)
	r.Roster.N = 20
	for k := range r.Updates {
		u := &r.Updates[k]
		u.Client = k + rng.IntN(3)
		if k > 0 {
			u.Client = max(u.Client, r.Updates[k-1].Client+1)
		}
		u.Params[rng.IntN(d)] = r.Global[0]
		u.Params.AddConst(0.3)
	}
	r.Updates[n-1].Params.Scale(30)
	return r
}

// gap returns how far two vectors are apart, for each number in relation to its size.
func gap(got, want []float64) float64 {
	largest := 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(got[i]-w)/max(1, math.Abs(w)))
	}
	if len(got) != len(want) {
		return math.NaN()
	}
	return largest
}

// Neither the rules of testdata/fast nor the samples loop over coordinates: with 100 times as many
// the interpreter begins about as many statements. A rule that does is recognised.
func TestNoLoopOverCoordinatesIsInterpreted(t *testing.T) {
	const few, many = 100, 10_000
	paths, err := filepath.Glob("samples/*/*.toml")
	if err != nil || len(paths) < 9 {
		t.Fatal(err, paths)
	}
	for i := range paths {
		paths[i] = filepath.Dir(paths[i])
	}
	paths = append(paths, "testdata/fast", "testdata/kinds/aggregator.go")
	looping := []string{}
	for _, path := range paths {
		exam := new(Exam)
		source, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := LoadExam(t.Context(), source, time.Minute, exam)
		if err != nil {
			t.Fatal(err)
		}
		rules := registered(t, s)
		for _, name := range rules.Aggregators.Names() {
			e, _ := rules.Aggregators.Get(name)
			if statements(t, e, many, exam)-statements(t, e, few, exam) > many/10 {
				looping = append(looping, name)
			}
		}
	}
	if !slices.Equal(looping, []string{"loop-median"}) {
		t.Errorf("%v loop over coordinates", looping)
	}
}

// statements returns how many statements of a rule begin in a round of 10 clients and d parameters.
func statements(t *testing.T, e fl.AggregatorEntry, d int, exam *Exam) int64 {
	t.Helper()
	a := trial.Build(t, e, e.Example)
	r := cohortOf(trial.Random(3), 10, d)
	for k := range r.Updates { // as the local rules of q-FedAvg and SCAFFOLD send them
		loss := fl.NewMatrix(1, 1)
		loss.Data[0] = 1 + float64(k)
		r.Updates[k].Payload = fl.Tensors{"loss": loss, "control": fl.NewMatrix(1, d)}
	}
	before := exam.Begun()
	trial.Next(t, a, r)
	if exam.Begun() == before {
		t.Errorf("%s: no statement is counted", e.Name)
	}
	return exam.Begun() - before
}
