package availability_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// unlikely is the probability of a disagreement that counts as a mistake. All streams are fixed, so
// a test either passes for good or fails for good.
const unlikely = 1e-3

func TestCohortsFollowTheLaw(t *testing.T) {
	for _, design := range designs() {
		for _, r := range priors() {
			x := open(t, availability.KSubset, subset(design, 3, r), 6)
			law := x.law(t)
			tally := stats.NewTally(law.Sets)
			for round := range 30_000 {
				tally.Add(x.round(round))
			}
			if a := tally.Against(law.Q); a.P < unlikely {
				t.Errorf("%s, r = %v: χ² = %v with %d degrees of freedom", design, r, a.Statistic, a.Degrees)
			}
		}
	}
}

func TestBernoulliFollowsTheLaw(t *testing.T) {
	for _, c := range []struct {
		rate  float64
		prior fl.Vector
	}{
		{0.5, fl.Vector{1, 1, 1, 1, 1}},
		{0.1, fl.Vector{1, 2, 3, 4, 5}},
		{0.6, fl.Vector{1, 1, 8, 0, 2}},
		{0.01, fl.Vector{1, 1e-4, 1, 1, 1}},
	} {
		given := map[string]any{"rate": c.rate, "prior": listed(c.prior)}
		x := open(t, availability.Bernoulli, given, 5)
		law := x.law(t)
		const rounds = 40_000
		tally, empty := stats.NewTally(law.Sets), 0.0
		for round := range rounds {
			if cohort := x.round(round); len(cohort) > 0 {
				tally.Add(cohort)
			} else {
				empty++
			}
		}
		if a := tally.Against(law.Q); a.P < unlikely {
			t.Errorf("%v: χ² = %v with %d degrees of freedom", given, a.Statistic, a.Degrees)
		}
		sd := math.Sqrt(rounds * law.Empty * (1 - law.Empty))
		if math.Abs(empty-rounds*law.Empty) > 4*sd {
			t.Errorf("%v: %v empty rounds, want %v ± %v", given, empty, rounds*law.Empty, sd)
		}
	}
}

// Where cohorts cannot be listed, clients come as often as their inclusion probabilities
// say: no client is more than five standard deviations off.
func TestClientsComeAsOftenAsTheLawSays(t *testing.T) {
	const n, k, rounds = 200, 20, 4000
	cases := map[string]*nature{}
	for _, design := range designs() {
		given := map[string]any{"k": int64(k), "design": design, "prior": rising()}
		cases[design] = open(t, availability.KSubset, given, n)
	}
	cases["uniform"] = open(t, availability.KSubset, map[string]any{"k": int64(k)}, n)
	given := map[string]any{"rate": 0.3, "prior": rising()}
	cases["bernoulli"] = open(t, availability.Bernoulli, given, n)
	for name, x := range cases {
		law := x.law(t)
		if law.Sets != nil {
			t.Fatalf("%s: %d cohorts are listed", name, len(law.Sets))
		}
		came := make(fl.Vector, n)
		for round := range rounds {
			cohort := x.round(round)
			if name != "bernoulli" && len(cohort) != k {
				t.Fatalf("%s: %d clients participated", name, len(cohort))
			}
			came.AddScaled(1, indicator(cohort, n))
		}
		for i, pi := range law.Inclusion {
			if sd := math.Sqrt(rounds * pi * (1 - pi)); math.Abs(came[i]-rounds*pi) > 5*sd {
				t.Errorf("%s: client %d participated %v times, want %v ± %v", name, i, came[i], rounds*pi, sd)
			}
		}
	}
}

// Among a million clients a round costs what its cohort costs: no allocation, some 20
// random numbers for each of the K clients drawn — the depth of a tree of a million — and
// what lasts between rounds is a table of O(N).
func TestAMillionClients(t *testing.T) {
	const n, k, rounds, depth = 1_000_000, 100, 40, 20
	for _, c := range []struct {
		given       map[string]any
		draws, kept int
	}{
		{map[string]any{"k": int64(k)}, 2 * k, 1},
		{map[string]any{"k": int64(k), "prior": rising()}, depth * k, 2*n + 1},
		// The probability that all differ is 0.993, so one attempt in 150 is repeated.
		{map[string]any{"k": int64(k), "prior": rising(), "design": "distinct"}, 2 * depth * k, 3*n + 1},
	} {
		x := open(t, availability.KSubset, c.given, n)
		x.round(0)
		x.source.draws = 0
		round := 0
		allocated := testing.AllocsPerRun(rounds-1, func() {
			round++
			if cohort := x.round(round); len(cohort) != k || !slices.IsSorted(cohort) {
				t.Fatalf("%v: %v participated", c.given, cohort)
			}
		})
		if allocated != 0 {
			t.Errorf("%v: %v allocations a round", c.given, allocated)
		}
		if x.source.draws > rounds*c.draws {
			t.Errorf("%v: %d random numbers in %d rounds", c.given, x.source.draws, rounds)
		}
		if kept := x.state.floats(); kept != c.kept {
			t.Errorf("%v: State holds %d floats, want %d", c.given, kept, c.kept)
		}
	}
}

// Bernoulli visits all clients, but allocates nothing either.
func TestBernoulliAllocatesNothing(t *testing.T) {
	const n = 100_000
	x := open(t, availability.Bernoulli, map[string]any{"rate": 0.001, "prior": rising()}, n)
	x.round(0)
	round := 0
	if a := testing.AllocsPerRun(5, func() { round++; x.round(round) }); a != 0 {
		t.Errorf("%v allocations a round", a)
	}
	if kept := x.state.floats(); kept != n+1 {
		t.Errorf("State holds %d floats", kept)
	}
}

// A round depends on its stream and the State alone: not on the rounds that were played
// before, in which order, or on what the instance was asked for in between.
func TestRoundsDoNotDependOnEachOther(t *testing.T) {
	for _, given := range []map[string]any{
		{"k": int64(3)},
		{"k": int64(3), "prior": rising()},
		{"k": int64(3), "prior": rising(), "design": "distinct"},
	} {
		forwards := open(t, availability.KSubset, given, 50)
		backwards := open(t, availability.KSubset, given, 50)
		seen := map[int]string{}
		for round := range 100 {
			seen[round] = fmt.Sprint(forwards.round(round))
		}
		for round := 99; round >= 0; round-- {
			backwards.law(t)
			if got := fmt.Sprint(backwards.round(round)); got != seen[round] {
				t.Fatalf("%v: round %d is %s after later rounds, %s after earlier ones",
					given, round, got, seen[round])
			}
		}
	}
}
