package availability_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// inTurns are parameters of phases with turns of 3, 2 and 1 rounds.
func inTurns(order string, k int) map[string]any {
	return map[string]any{"turns": []any{int64(3), int64(2), int64(1)}, "order": order,
		"k": int64(k), "rate": 0.4, "first": rising(), "second": "uniform",
		"third": listed(fl.Vector{6, 5, 4, 3, 2, 1})}
}

// Theorem: the law is the mixture of the laws of phases, each cohort with Σρ_φ q_φ(A), by their shares
// of rounds; and those are bernoulli and k-subset by the priors.
//
//hansa:verifies theorem availability/phases
func TestTheoremLawOfPhases(t *testing.T) {
	for _, k := range []int{0, 2} {
		law := open(t, availability.Phases, inTurns("cycle", k), 6).law(t)
		if len(law.Phases) != 3 || !near(law.Shares, fl.Vector{1. / 2, 1. / 3, 1. / 6}, 1e-15) {
			t.Fatalf("%d phases, shares %v", len(law.Phases), law.Shares)
		}
		want, empty := map[string]float64{}, 0.0
		for m, prior := range []any{rising(), "uniform", listed(fl.Vector{6, 5, 4, 3, 2, 1})} {
			e, given := availability.Bernoulli, map[string]any{"rate": 0.4, "prior": prior}
			if k > 0 {
				e, given = availability.KSubset, map[string]any{"k": int64(k), "prior": prior}
			}
			single := open(t, e, given, 6).law(t)
			empty += law.Shares[m] * single.Empty
			for j, set := range single.Sets {
				want[fmt.Sprint(set)] += law.Shares[m] * single.Q[j] * (1 - single.Empty)
			}
			if !near(law.Phases[m].Q, single.Q, 1e-12) {
				t.Errorf("k = %d, phase %d: another law", k, m+1)
			}
		}
		if math.Abs(law.Empty-empty) > 1e-14 || len(law.Sets) != len(want) {
			t.Errorf("k = %d: P(empty) = %v, want %v; %d cohorts", k, law.Empty, empty, len(law.Sets))
		}
		for j, set := range law.Sets {
			if d := law.Q[j]*(1-empty) - want[fmt.Sprint(set)]; math.Abs(d) > 1e-14 {
				t.Errorf("k = %d, %v: %g off", k, set, d)
			}
		}
	}
}

// A cycle has its turns in order, a chain ends each with probability 1/L: both are in a phase in its
// share of rounds, and say so where it is seen alone.
func TestPhasesTakeTurns(t *testing.T) {
	const rounds = 60_000
	for _, order := range []string{"cycle", "chain"} {
		x := open(t, availability.Phases, inTurns(order, 2), 6)
		count, ends := make(fl.Vector, 3), make(fl.Vector, 3)
		last := 0
		for round := range rounds {
			x.reach.Phase, x.reach.Phases = 0, 0
			x.round(round)
			now := x.reach.Phase
			if now < 1 || now > 3 || x.reach.Phases != 3 {
				t.Fatalf("phase %d of %d", now, x.reach.Phases)
			}
			if last > 0 && last != now {
				ends[last-1]++
				if next := last%3 + 1; order == "cycle" && now != next {
					t.Fatalf("phase %d after %d", now, last)
				}
			}
			count[now-1]++
			last = now
		}
		for m, share := range []float64{1. / 2, 1. / 3, 1. / 6} {
			if d := count[m]/rounds - share; math.Abs(d) > 0.02 {
				t.Errorf("%s: phase %d in a share %v of rounds", order, m+1, count[m]/rounds)
			}
			if got, want := ends[m]/count[m], []float64{1. / 3, 1. / 2, 1}[m]; math.Abs(got-want) > 0.02 {
				t.Errorf("%s: phase %d ends with probability %v, want %v", order, m+1, got, want)
			}
		}
		given := inTurns(order, 2)
		given["seen"] = false
		x = open(t, availability.Phases, given, 6)
		if x.round(0); x.reach.Phase != 0 || x.reach.Inclusion != nil || x.law(t).Phases != nil {
			t.Errorf("%s: a hidden phase is seen", order)
		}
	}
}

// Theorem: the law of a drift is the mean over the period of the laws of clients that are independent
// with probabilities between the profiles: here by a sum over a fine grid.
//
//hansa:verifies theorem availability/drift
func TestTheoremLawOfDrift(t *testing.T) {
	const n, grid = 5, 20_000
	from, to := fl.Vector{.1, .2, .3, .4, .5}, fl.Vector{.6, .2, .5, .1, .1}
	for shape, u := range map[string]func(x float64) float64{
		"linear": func(x float64) float64 { return 1 - math.Abs(2*x-1) },
		"sine":   func(x float64) float64 { return (1 - math.Cos(2*math.Pi*x)) / 2 },
		"step":   func(x float64) float64 { return math.Floor(2 * x) },
	} {
		given := map[string]any{"rate": 0.3, "from": listed(from), "to": listed(to), "shape": shape}
		law := open(t, availability.Drift, given, n).law(t)
		want, empty := map[string]float64{}, 0.0
		for g := range grid {
			b, x := make(fl.Vector, n), u((float64(g)+0.5)/grid)
			for i := range b {
				b[i] = (1-x)*from[i] + x*to[i]
			}
			sets, q, none := stats.BernoulliLaw(b)
			empty += none / grid
			for j, set := range sets {
				want[fmt.Sprint(set)] += q[j] * (1 - none) / grid
			}
		}
		if math.Abs(law.Empty-empty) > 1e-8 {
			t.Errorf("%s: P(empty) = %v, want %v", shape, law.Empty, empty)
		}
		for j, set := range law.Sets {
			if d := law.Q[j]*(1-law.Empty) - want[fmt.Sprint(set)]; math.Abs(d) > 1e-8 {
				t.Errorf("%s, %v: %g off", shape, set, d)
			}
		}
		x, period := open(t, availability.Drift, given, n), 1000
		mean := make(fl.Vector, n)
		for round := range period {
			x.round(round)
			mean.AddScaled(1/float64(period), x.reach.Inclusion)
		}
		if !near(mean, law.Inclusion, 1e-5) {
			t.Errorf("%s: over a period clients have probabilities %v, the law %v", shape, mean,
				law.Inclusion)
		}
	}
}

// Where there are too many clients for inclusion probabilities none are stated, rather than wrong
// ones.
func TestPhasesOfTooMany(t *testing.T) {
	given := map[string]any{"k": int64(100), "first": rising()}
	x := open(t, availability.Phases, given, 30_000)
	if ids := x.round(0); len(ids) != 100 || x.reach.Inclusion != nil {
		t.Errorf("%d clients are available, π = %v", len(ids), x.reach.Inclusion != nil)
	}
	if _, known := x.Law(x.reach.Roster); known {
		t.Error("a law is stated")
	}
}

// What these models cannot be says so.
func TestPhasesThatAreNone(t *testing.T) {
	for want, given := range map[string]map[string]any{
		"turns: 3 of 2 phases": {"turns": []any{int64(1), int64(1), int64(1)}},
		"k: 7 of 6 clients":    {"k": int64(7)},
	} {
		p := fl.NewParams(given, fl.Setting{Clients: 6, Rounds: 1}, nil)
		if _, err := availability.Phases.New(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Finish(); len(got) != 1 || got[0].Message != want {
			t.Errorf("%v: %v", want, got)
		}
	}
}

// A round allocates nothing once all phases were there.
func TestPhasesAllocateNothing(t *testing.T) {
	for e, given := range map[*fl.AvailabilityEntry]map[string]any{
		&availability.Phases: inTurns("cycle", 0), &availability.Drift: {"period": 20.0},
	} {
		x := open(t, *e, given, 6)
		for round := range 12 {
			x.round(round)
		}
		x.reach.State = x.state.Store
		round := 12
		if n := testing.AllocsPerRun(50, func() { x.round(round); round++ }); n != 0 {
			t.Errorf("%s: %v allocations per round", e.Name, n)
		}
	}
}
