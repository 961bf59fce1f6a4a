package plugins

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/testdata/reach"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// beacons is a cell with the beacon, enrolled in part, whose oracle is granted.
func beacons(t *testing.T, last int) study.Cell {
	t.Helper()
	c := cellsOf(t, `seeds = 1
[setting]
clients      = 9
rounds       = 20
oracle       = true
law          = "unknown"
dataset      = { name = "regression", features = 3 }
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", lr = 0.01 }
enrollment   = { name = "list", except = [2, 7] }
aggregator   = "fedavg"
metrics      = ["objective"]
[[method]]
label        = "x"
availability = { name = "beacon", last = `+fmt.Sprint(last)+` }
`)
	return c[0]
}

// rounds returns the context, the truth and the cohort of every round of a cell, as the server
// has them.
func rounds(t *testing.T, r *registry.Registry, c study.Cell) (all []fl.Round, cohorts [][]int) {
	t.Helper()
	s, _, problems := r.Compose(c)
	if problems != nil {
		t.Fatal(problems)
	}
	s.Aggregator = witness{s.Aggregator, func(r *fl.Round) {
		z := r.Context
		z.Data = slices.Clone(z.Data)
		oracle := fl.Oracle{Inclusion: r.Oracle.Inclusion.Clone(), Enrollment: r.Oracle.Enrollment}
		all = append(all, fl.Round{T: r.T, Context: z, Oracle: &oracle})
		cohorts = append(cohorts, slices.Clone(r.Cohort()))
	}}
	if _, err := engine.Run(context.Background(), &s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return all, cohorts
}

// A witness shows every round to an observer.
type witness struct {
	fl.Aggregator
	see func(r *fl.Round)
}

func (w witness) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w.see(r)
	return w.Aggregator.Aggregate(r)
}

// An interpreted availability may draw once for all rounds, show a context, state the truth, and
// fail; the server gets of it what it would get of the compiled one, to the bit.
func TestInterpretedReach(t *testing.T) {
	s := load(t, "testdata/reach/beacon.go")
	ours := menu(t, s.Register)
	theirs := menu(t, func(r *registry.Registry) error { return r.Availability.Add(reach.Beacon) })
	got, came := rounds(t, ours, beacons(t, 1000))
	want, should := rounds(t, theirs, beacons(t, 1000))
	if len(got) < 15 || len(got) != len(want) || fmt.Sprint(came) != fmt.Sprint(should) {
		t.Fatalf("%d rounds, cohorts %v, want %v", len(got), came, should)
	}
	for k, r := range got {
		if !sameBits(r.Context.Data, want[k].Context.Data) ||
			!sameBits(r.Oracle.Inclusion, want[k].Oracle.Inclusion) {
			t.Fatalf("round %d: interpreted %v, compiled %v", r.T, r, want[k])
		}
		for i := range 9 {
			z, pi := r.Context.Row(i), r.Oracle.Inclusion[i]
			if hidden := i == 2 || i == 7; hidden != math.IsNaN(z[0]) || hidden != math.IsNaN(z[1]) {
				t.Errorf("round %d: the server sees %v of client %d", r.T, z, i)
			} else if !hidden && math.Abs(pi-1/(1+math.Exp(-z[0]-z[1]))) > 1e-15 {
				t.Errorf("round %d: client %d has the truth %v, its context is %v", r.T, i, pi, z)
			}
		}
		// The phase is drawn once: a day later the same hour is shown.
		for _, later := range got {
			now, then := r.Context.Data[0], later.Context.Data[0]
			if later.T == r.T+8 && math.Abs(then-now) > 1e-12 {
				t.Errorf("rounds %d and %d: hours %v and %v", r.T, later.T, now, then)
			}
		}
	}

	_, err := run(ours, beacons(t, 3), 1)
	if err == nil || !strings.Contains(err.Error(), "round 5: availability: the beacon is out") {
		t.Errorf("it fails by %v", err)
	}
	for _, v := range contract.Examine(interpreted(t, s), contract.Options{Seed: 2}) {
		t.Error(v)
	}
}

// interpreted is a registry with nothing but a strategy.
func interpreted(t *testing.T, s *Strategy) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := s.Register(r); err != nil {
		t.Fatal(err)
	}
	return r
}
