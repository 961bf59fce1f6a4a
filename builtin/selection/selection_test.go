package selection_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// build builds a component from what an experiment would say, for n clients. A nested prior
// is equal weights whatever its name.
func build[T any](t *testing.T, e fl.Entry[T], given map[string]any, n int) T {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: n}, func(_, _ string, v any) (any, any, []fl.Problem) {
		return equal{}, v, nil
	})
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s %v: %v, %v", e.Name, given, err, problems)
	}
	return c
}

// equal is an importance.
type equal struct{}

func (equal) Weights(pop *fl.Roster) fl.Vector {
	return slices.Repeat(fl.Vector{1 / float64(pop.N)}, pop.N)
}

// uniform builds uniform-k for n clients.
func uniform(t *testing.T, k, n int) fl.Selection {
	t.Helper()
	return build(t, selection.UniformK, map[string]any{"k": int64(k)}, n)
}

// A drawing calls a selection mechanism round by round.
type drawing struct {
	draw       fl.SelectionInput
	stream     fl.Stream
	reseedable *fl.ReseedableRand
}

func newDrawing(n int, available []int) *drawing {
	d := &drawing{stream: fl.NewStream(5, "selection"), reseedable: fl.NewReseedableRand()}
	d.draw = fl.SelectionInput{Roster: &fl.Roster{N: n}, Available: available, State: fl.NewStore()}
	return d
}

func (d *drawing) round(s fl.Selection, t int) []int {
	d.draw.Recycle()
	d.draw.T, d.draw.RNG = t, d.reseedable.Open(d.stream.At(t, 0))
	return s.Select(&d.draw)
}

func lawOf(t *testing.T, s fl.Selection, n int, available []int) fl.Law {
	t.Helper()
	law, ok := s.Law(&fl.Roster{N: n}, available)
	if !ok || !law.Exact {
		t.Fatalf("of %v: law = %t, exact = %t", available, ok, law.Exact)
	}
	return law
}

func everyone(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

// All that are available are selected.
//
//hansa:verifies theorem selection/all
func TestAllTakesAll(t *testing.T) {
	s := build(t, selection.All, nil, 9)
	available := []int{1, 4, 8}
	if got := newDrawing(9, available).round(s, 0); !slices.Equal(got, available) {
		t.Errorf("of %v: %v", available, got)
	}
	if law := lawOf(t, s, 9, available); !reflect.DeepEqual(law, fl.Law{Everyone: true, Exact: true, Memoryless: true}) {
		t.Errorf("law %+v", law)
	}
}

// All subsets of K are equally likely, of all and of some.
//
//hansa:verifies theorem selection/uniform-k
func TestUniformLaw(t *testing.T) {
	s := uniform(t, 2, 5)
	pairs := [][]int{{1, 2}, {1, 4}, {2, 4}}
	law := lawOf(t, s, 5, []int{1, 2, 4})
	if !reflect.DeepEqual(law.Sets, pairs) || !slices.Equal(law.Q, fl.Vector{1. / 3, 1. / 3, 1. / 3}) {
		t.Errorf("of three: %v with %v", law.Sets, law.Q)
	}
	law = lawOf(t, s, 5, everyone(5))
	if !reflect.DeepEqual(law.Sets, stats.Subsets(5, 2)) || law.Empty != 0 {
		t.Errorf("of all: %v", law.Sets)
	}
	for j := range law.Sets {
		if law.Q[j] != 0.1 {
			t.Errorf("of all: q = %v", law.Q)
		}
	}
	for i := range 5 {
		if law.Inclusion[i] != 0.4 {
			t.Errorf("of all: π = %v", law.Inclusion)
		}
	}
}

// Cohorts of another draw are as likely, and independent of those of the first: each of the 36 pairs
// of cohorts of two of four clients comes with 1/36, within five standard deviations.
//
//hansa:verifies theorem selection/uniform-k
func TestOtherDrawsAreIndependent(t *testing.T) {
	const rounds = 36_000
	first, other := uniform(t, 2, 4), build(t, selection.UniformK,
		map[string]any{"k": int64(2), "draw": int64(1)}, 4)
	pairs := map[[4]int]int{}
	a, b := newDrawing(4, everyone(4)), newDrawing(4, everyone(4))
	for round := range rounds {
		x, y := a.round(first, round), b.round(other, round)
		pairs[[4]int{x[0], x[1], y[0], y[1]}]++
	}
	const mean = rounds / 36.
	for pair, n := range pairs {
		if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean) {
			t.Errorf("%v: %d times of %v", pair, n, mean)
		}
	}
	if len(pairs) != 36 {
		t.Errorf("%d pairs", len(pairs))
	}
	if !reflect.DeepEqual(lawOf(t, first, 4, everyone(4)), lawOf(t, other, 4, everyone(4))) {
		t.Error("the law is another one")
	}
}

// When K or fewer are available, all of them train.
func TestFewerThanK(t *testing.T) {
	s := uniform(t, 3, 9)
	for _, available := range [][]int{{7}, {2, 5}, {0, 4, 8}} {
		law := lawOf(t, s, 9, available)
		if !reflect.DeepEqual(law.Sets, [][]int{available}) || !slices.Equal(law.Q, fl.Vector{1}) {
			t.Errorf("of %v: %v with %v", available, law.Sets, law.Q)
		}
		if got := newDrawing(9, available).round(s, 0); !slices.Equal(got, available) {
			t.Errorf("of %v: %v", available, got)
		}
	}
	all := uniform(t, 9, 9)
	if law := lawOf(t, all, 9, everyone(9)); !reflect.DeepEqual(law.Sets, [][]int{everyone(9)}) {
		t.Errorf("K = N: %+v", law)
	}
}

func TestDrawsFollowTheLaw(t *testing.T) {
	for _, c := range []struct {
		k         int
		available []int
	}{
		{1, []int{2, 5, 6}}, {2, []int{0, 3, 4, 9, 11}},
		{5, []int{1, 2, 3, 5, 7, 11}}, {6, everyone(12)},
	} {
		s := uniform(t, c.k, 12)
		law := lawOf(t, s, 12, c.available)
		tally, d := stats.NewTally(law.Sets), newDrawing(12, slices.Clone(c.available))
		for round := range 30_000 {
			tally.Add(d.round(s, round))
		}
		if a := tally.Against(law.Q); a.P < 1e-3 {
			t.Errorf("%d of %v: χ² = %v with %d degrees of freedom",
				c.k, c.available, a.Statistic, a.Degrees)
		}
		if !slices.Equal(d.draw.Available, c.available) {
			t.Error("selecting wrote to those available")
		}
	}
}

// Too many subsets to list: of all the law is stated by its structure, of some by each selection
// probability.
func TestAstronomicallyMany(t *testing.T) {
	const n, k = 100_000, 500
	s := uniform(t, k, n)
	law := lawOf(t, s, n, everyone(n))
	if law.Sets != nil || law.Size != k || len(law.Chance) != n || law.Inclusion[n-1] != 0.005 {
		t.Errorf("%d sets, size %d, %d probabilities", len(law.Sets), law.Size, len(law.Chance))
	}
	for _, b := range law.Chance {
		if b != law.Chance[0] || b <= 0 || b >= 1 {
			t.Fatalf("probabilities %v and %v", law.Chance[0], b)
		}
	}
	some, ok := s.Law(&fl.Roster{N: n}, everyone(n/2))
	if !ok || some.Sets != nil || some.Chance != nil || some.Inclusion[n/2-1] != 0.01 ||
		some.Inclusion[n/2] != 0 {
		t.Errorf("of half of them: %t, Σπ = %v", ok, some.Inclusion.Sum())
	}
	d := newDrawing(n, everyone(n))
	round := 0
	play := func() {
		if cohort := d.round(s, round); len(cohort) != k {
			t.Fatalf("%d are selected", len(cohort))
		}
		round++
	}
	play()
	if a := testing.AllocsPerRun(20, play); a != 0 {
		t.Errorf("%v allocations a round", a)
	}
}

// Uniform subsets of uniform subsets are uniform: K of m of n clients have the law of K of
// n clients. Of a law with other weights, each cohort's subsets share its probability.
//
//hansa:verifies theorem selection/uniform-k
func TestSelectionOnTopOfAvailability(t *testing.T) {
	const n = 6
	setup := &engine.Setup{Seed: 1, Selection: uniform(t, 2, n),
		Availability: build(t, availability.KSubset, map[string]any{"k": int64(4)}, n)}
	law, err := engine.CohortLaw(setup, engine.Open(&fl.Roster{N: n}))
	if err != nil || len(law.Sets) != 15 || !law.Exact {
		t.Fatalf("%v, %d cohorts, exact = %t", err, len(law.Sets), law.Exact)
	}
	for j, q := range law.Q {
		if math.Abs(q-1./15) > 1e-15 {
			t.Errorf("q%v = %v, want 1/15", law.Sets[j], q)
		}
	}
	half := map[string]any{"rate": 0.5}
	setup.Availability = build(t, availability.Bernoulli, half, 3)
	setup.Selection = uniform(t, 1, 3)
	// Given a non-empty round, one, two or three of three are available with 3/7, 3/7, 1/7; the
	// selected one is equally likely to be any, and 1 of 8 rounds is empty.
	law, err = engine.CohortLaw(setup, engine.Open(&fl.Roster{N: 3}))
	if err != nil || !law.Exact || math.Abs(law.Empty-0.125) > 1e-15 {
		t.Fatalf("%v, exact = %t, P(empty) = %v", err, law.Exact, law.Empty)
	}
	for i := range 3 {
		if q := probability(law, i); math.Abs(q-1./3) > 1e-15 {
			t.Errorf("P(%d alone) = %v, want ⅓", i, q)
		}
		if math.Abs(law.Inclusion[i]-7./24) > 1e-15 {
			t.Errorf("π%d = %v, want 7/24", i, law.Inclusion[i])
		}
	}
}

// probability returns that of a cohort.
func probability(law fl.Law, cohort ...int) float64 {
	for j, set := range law.Sets {
		if slices.Equal(set, cohort) {
			return law.Q[j]
		}
	}
	return 0
}

func TestMoreThanThereAre(t *testing.T) {
	p := fl.NewParams(map[string]any{"k": int64(7)}, fl.Setting{Clients: 6}, nil)
	if _, err := selection.UniformK.New(p); err != nil {
		t.Fatal(err)
	}
	if got := p.Finish(); len(got) != 1 || got[0].Message != "k: 7 of 6 clients" {
		t.Errorf("problems: %v", got)
	}
}
