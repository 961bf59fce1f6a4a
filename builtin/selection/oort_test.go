package selection_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// durations are those of n clients, as an experiment file has them.
func durations(n int) (list []any) {
	for i := range n {
		list = append(list, 0.5+float64((7*i)%5))
	}
	return list
}

// Rounds of changing availability: the cohort is min(K, available) clients, distinct and available,
// also when all were explored, only some of them are available, and losses are 0 or not finite.
//
//hansa:verifies theorem selection/oort
func TestOortSelectsAsManyAsThereAre(t *testing.T) {
	const n = 20
	for name, given := range map[string]map[string]any{
		"published":  {},
		"normalised": {"utility": "normalised"},
		"system":     {"durations": durations(n), "pace": 0.5, "window": int64(3)},
		"exploiting": {"explore": 0.0},
		"exploring":  {"explore": 1.0, "decay": 1.0},
		"greedy":     {"cut": 1.0, "least": 0.0, "decay": 0.5},
	} {
		for _, k := range []int{1, 10, 25} {
			given["k"] = int64(k)
			s, d := build(t, selection.Oort, given, n), newTelling(people(n))
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			for round := range 120 {
				available := []int{}
				for i := range n {
					if rng.Float64() < 0.5+0.5*float64(round%2) {
						available = append(available, i)
					}
				}
				if len(available) == 0 {
					continue
				}
				got := slices.Clone(s.Select(d.open(round, available)))
				if err := fl.CheckSubset(got, available); err != nil ||
					len(got) != min(k, len(available)) {
					t.Fatalf("%s: round %d: %d of %v: %v (%v)", name, round, k, available, got, err)
				}
				rms := make(fl.Vector, len(got))
				for c := range rms {
					rms[c] = [...]float64{rng.ExpFloat64(), 0, 3, math.Inf(1), math.NaN()}[rng.IntN(5)]
				}
				d.tell(round, got, rms, nil)
			}
		}
	}
}

// In a first round, where no client took part before, this is uniform-k, and so it is when all have
// taken part at once and had the same losses on as many samples. With K = N it is all.
//
//hansa:verifies equivalence selection/oort
func TestOortWithoutKnowledgeIsUniform(t *testing.T) {
	pop := sized(3, 3, 3, 3, 3)
	all := build(t, selection.Oort, map[string]any{"k": int64(5)}, 5)
	s := build(t, selection.Oort, map[string]any{"k": int64(2)}, 5)
	law, _ := uniform(t, 2, 5).Law(pop, everyone(5))
	for _, told := range []bool{false, true} {
		d, tally := newTelling(pop), stats.NewTally(law.Sets)
		if told {
			d.tell(0, everyone(5), fl.Vector{2, 2, 2, 2, 2}, nil)
		}
		for draw := range 20_000 {
			in := d.open(draw, everyone(5))
			in.T = 1 // the same round, with other streams
			tally.Add(s.Select(in))
		}
		if a := tally.Against(law.Q); a.P < 1e-4 {
			t.Errorf("told %t: χ² = %v with %d degrees of freedom", told, a.Statistic, a.Degrees)
		}
		if got := all.Select(d.open(1, everyone(5))); !slices.Equal(got, everyone(5)) {
			t.Errorf("5 of 5: %v", got)
		}
	}
}

// Where all is exploited, draws are successive ones by utility among those that are admitted; with a
// cut of 1 these are the largest utilities, and 0 admits all.
//
//hansa:verifies theorem selection/oort
func TestOortDrawsByUtility(t *testing.T) {
	pop, rms := sized(10, 20, 30, 40, 50), fl.Vector{9, 1, 2.9, 2, 1.9}
	for _, cut := range []float64{0, 0.8, 1} {
		s := build(t, selection.Oort, map[string]any{"k": int64(2), "explore": 0.0, "cut": cut,
			"clip": 1.0}, 5)
		d := newTelling(pop)
		d.tell(0, everyone(5), rms, nil)
		utility := make(fl.Vector, 5)
		for i := range utility {
			utility[i] = float64(pop.Samples[i])*rms[i] + math.Sqrt(0.1*math.Log(2))
		}
		least, admitted := cut*slices.Sorted(slices.Values(utility))[3], fl.Vector{}
		clients := []int{}
		for i, u := range utility {
			if u >= least {
				clients, admitted = append(clients, i), append(admitted, u)
			}
		}
		if want := map[float64]int{0: 5, 0.8: 4, 1: 2}[cut]; len(clients) != want {
			t.Fatalf("cut %v: %d are admitted", cut, len(clients))
		}
		law := fl.Law{Q: stats.SuccessiveLaw(admitted, 2)}
		for _, set := range stats.Subsets(len(clients), 2) {
			law.Sets = append(law.Sets, []int{clients[set[0]], clients[set[1]]})
		}
		tally := stats.NewTally(law.Sets)
		for draw := range 20_000 {
			in := d.open(draw, everyone(5))
			in.T = 1
			tally.Add(s.Select(in))
		}
		if a := tally.Against(law.Q); len(law.Sets) > 1 && a.P < 1e-4 {
			t.Errorf("cut %v: χ² = %v with %d degrees of freedom", cut, a.Statistic, a.Degrees)
		}
	}
}

// Clients that never took part are explored by speed; without exploration, and one client left that
// took part, that one is selected.
//
//hansa:verifies theorem selection/oort
func TestOortExploresBySpeed(t *testing.T) {
	s := build(t, selection.Oort, map[string]any{"k": int64(1), "explore": 0.0}, 4)
	d := newTelling(people(4))
	d.tell(0, []int{2}, fl.Vector{1}, nil)
	for round := range 50 {
		if got := s.Select(d.open(1+round, everyone(4))); !slices.Equal(got, []int{2}) {
			t.Fatalf("%v", got)
		}
	}
	fast := build(t, selection.Oort, map[string]any{"k": int64(1), "durations": []any{1.0, 2.0, 4.0,
		8.0}, "pace": 1.0}, 4)
	chosen, fresh := make(fl.Vector, 4), newTelling(people(4))
	for draw := range 20_000 {
		in := fresh.open(draw, everyone(4))
		in.T = 0
		chosen[fast.Select(in)[0]] += 1. / 20_000
	}
	if want := (fl.Vector{8. / 15, 4. / 15, 2. / 15, 1. / 15}); chosen.Distance(want) > 0.02 {
		t.Errorf("explored %v, want %v", chosen, want)
	}
}

// The system part only takes utility away, from clients that take longer than T: with α = 0, or T
// above all durations, utilities are those without it, to the bit.
//
//hansa:verifies equivalence selection/oort
func TestOortOfFastClients(t *testing.T) {
	rms := fl.Vector{9, 1, 3, 2, 1.9, 4}
	utilities := func(given map[string]any) fl.Vector {
		given["k"] = int64(3)
		s, d := build(t, selection.Oort, given, 6), newTelling(people(6))
		d.tell(0, everyone(6), rms, nil)
		return selection.UtilityOf(s, d.open(1, everyone(6))).Of
	}
	plain := utilities(map[string]any{})
	for _, given := range []map[string]any{
		{"durations": durations(6), "pace": 100.0},
		{"durations": durations(6), "pace": 0.1, "penalty": 0.0},
	} {
		if got := utilities(given); !slices.Equal(got, plain) {
			t.Errorf("%v: %v, want %v", given, got, plain)
		}
	}
	for i, u := range utilities(map[string]any{"durations": durations(6), "pace": 1.0}) {
		want := plain[i]
		if slow := durations(6)[i].(float64); slow > 1 {
			want /= slow * slow
		}
		if math.Abs(u-want) > 1e-12*want {
			t.Errorf("client %d: %v, want %v", i, u, want)
		}
	}
}

// A preferred duration needs a start, and every client a duration.
func TestOortOfWrongDurations(t *testing.T) {
	for want, given := range map[string]map[string]any{
		"3 numbers for 6 clients": {"durations": durations(3), "pace": 1.0},
		"T begins with it":        {"durations": durations(6)},
		"or measured: T begins":   {"measured": true},
	} {
		p := fl.NewParams(given, fl.Setting{Clients: 6}, nil)
		if _, err := selection.Oort.New(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Finish(); len(got) != 1 || !strings.Contains(got[0].Message, want) {
			t.Errorf("problems %v, want …%s…", got, want)
		}
	}
}

// Hundreds of clients that all took part: rounds allocate nothing.
func TestToldSelectionsAllocateNothing(t *testing.T) {
	const n, k = 120, 15
	rng := rand.New(rand.NewPCG(4, 4))
	for _, e := range []fl.SelectionEntry{selection.Oort, selection.ClusteredSimilarity,
		selection.DivFL} {
		given := map[string]any{"k": int64(k)}
		if e.Name == "oort" {
			given["durations"], given["pace"], given["window"] = durations(n), 0.5, int64(3)
		}
		s, d, round := build(t, e, given, n), newTelling(people(n)), 0
		_, updates := directions(rng, n, false)
		rms := make(fl.Vector, n)
		rms.Fill(2)
		play := func() {
			d.draw.Recycle()
			d.draw.T, d.draw.RNG = round, d.reseedable.Open(d.stream.At(round, 0))
			for _, i := range s.Select(&d.draw) {
				told := d.told[i]
				told.Round = round
				d.told[i] = told
			}
			round++
		}
		d.tell(0, everyone(n), rms, updates)
		for range 3 {
			play()
		}
		if a := testing.AllocsPerRun(20, play); a != 0 {
			t.Errorf("%s: %v allocations a round", e.Name, a)
		}
	}
}
