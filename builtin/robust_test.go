package builtin

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// defended is a cell of heterogeneous regression in which six clients make three steps in a round,
// and the server holds a tenth of the samples.
func defended(rounds int, local, aggregator study.Pick) study.Cell {
	c := stepping(rounds, local, aggregator, pick("all"))
	c.Held = 0.1
	return c
}

// three is a local rule of three steps.
func three(name string, params ...any) study.Pick {
	return pick(name, append([]any{"steps", int64(3), "lr", 0.02}, params...)...)
}

// Momentum at the workers before a plain mean and momentum at the server after centered clipping
// without a radius are one method where all clients participate, to 1e-12. Without momentum each
// is what it is without, to the bit.
//
//hansa:verifies equivalence local/worker-momentum aggregator/centered-clipping
func TestMomentumAtWorkersOrServer(t *testing.T) {
	mean := pick("fedavg", "weights", "uniform")
	of := func(local, aggregator study.Pick) []float64 {
		got, _, _ := ends(t, defended(6, local, aggregator))
		return got.Global
	}
	workers := of(three("worker-momentum", "beta", 0.8), mean)
	server := of(three("sgd"), pick("centered-clipping", "tau", 1e300, "beta", 0.8))
	for k := range workers {
		if d := workers[k] - server[k]; d > 1e-12 || d < -1e-12 {
			t.Errorf("parameter %d: %v with momentum at workers, %v at the server", k, workers[k],
				server[k])
		}
	}
	if plain := of(three("sgd"), mean); slices.Equal(plain, workers) {
		t.Error("momentum changes nothing")
	} else if none := of(three("worker-momentum", "beta", 0.0), mean); !slices.Equal(none, plain) {
		t.Errorf("β = 0 ends at %v, sgd at %v", none, plain)
	}
}

// Worker momentum settles where local steps without it do, to 1e-9: there all updates stay the same.
//
//hansa:verifies fixed-point local/worker-momentum
func TestWorkerMomentumSettlesWhereSGDDoes(t *testing.T) {
	mean := pick("fedavg", "weights", "uniform")
	got, _, _ := ends(t, defended(3000, three("worker-momentum", "beta", 0.9), mean))
	want, _, _ := ends(t, defended(3000, three("sgd"), mean))
	if d := got.Global.Distance(want.Global); d > 1e-9 {
		t.Errorf("it ends %v from where sgd does", d)
	}
}

// Robust rules with memory or samples of the server have the same bits with any number of workers
// and after a resume, beside an adversary.
func TestRobustRulesAreExact(t *testing.T) {
	for _, c := range []study.Cell{
		defended(4, three("sgd"), pick("caf")),
		defended(4, three("sgd"), pick("smea")),
		defended(4, three("sgd"), pick("foolsgold")),
		defended(4, three("sgd", "batch", int64(2)), pick("fltrust", "batch", int64(2))),
		defended(4, three("sgd"), pick("fltrust", "steps", int64(2), "optimizer", "adam")),
		defended(4, three("sgd"), pick("signguard", "share", 0.5)),
		defended(4, three("worker-momentum"), pick("centered-clipping", "beta", 0.5)),
	} {
		c.Picks = maps.Clone(c.Picks)
		c.Picks["adversary"] = pick("alie", "share", 0.2)
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, v := range contract.Cell(&s, engine.Options{}) {
			t.Errorf("%s, %s: %v", c.Picks["local"].Name, c.Picks["aggregator"].Name, v)
		}
	}
}

// Where the server holds no samples FLTrust is refused before anything runs, and so is a guard that
// merges clients before FoolsGold, which tells them apart.
func TestRobustRulesThatDoNotFit(t *testing.T) {
	poor := defended(3, three("sgd"), pick("fltrust"))
	poor.Held = 0
	merging := defended(3, three("sgd"), pick("foolsgold"))
	merging.Picks = maps.Clone(merging.Picks)
	merging.Picks["guard"] = pick("bucketing")
	many := defended(3, three("sgd"), pick("caf", "f", int64(3)))
	for want, c := range map[string]study.Cell{
		"validation = 0.01": poor, "foolsgold keeps a history of each client": merging,
		"f = 3 of 6 clients are no minority": many,
	} {
		_, _, problems := menu(t).Compose(c)
		if got := problems.Error(); len(problems) == 0 || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
