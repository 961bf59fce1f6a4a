package availability_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
)

// When K = N all participate, and the law says so with certainty.
func TestEveryoneIsASubset(t *testing.T) {
	for _, design := range designs() {
		for _, r := range []fl.Vector{{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 1e-9, 1e-12, 5}} {
			x := open(t, availability.KSubset, subset(design, 4, r), 4)
			law := x.law(t)
			if !law.Everyone && !(len(law.Sets) == 1 && near(law.Q, fl.Vector{1}, 1e-14) &&
				near(law.Inclusion, fl.Vector{1, 1, 1, 1}, 1e-14)) {
				t.Errorf("%s, r = %v: law %+v", design, r, law)
			}
			for round := range 20 {
				if got := x.round(round); !slices.Equal(got, []int{0, 1, 2, 3}) {
					t.Fatalf("%s, r = %v: %v participated", design, r, got)
				}
			}
		}
	}
}

// A client of weight zero never participates. When there are too few others they all do, fewer than
// K, and there is no law; when there are just enough, they do with certainty.
func TestTooFewAvailable(t *testing.T) {
	r := fl.Vector{0, 3, 0, 1, 0, 0}
	for _, design := range designs() {
		for k := 2; k <= 4; k++ {
			x := open(t, availability.KSubset, subset(design, k, r), 6)
			for round := range 20 {
				if got := x.round(round); !slices.Equal(got, []int{1, 3}) {
					t.Fatalf("%s, k = %d: %v participated", design, k, got)
				}
			}
			law, ok := x.Law(x.reach.Roster)
			if ok != (k == 2) {
				t.Errorf("%s, k = %d: law = %t", design, k, ok)
			}
			if ok && !near(law.Inclusion, fl.Vector{0, 1, 0, 1, 0, 0}, 1e-14) {
				t.Errorf("%s: π = %v", design, law.Inclusion)
			}
		}
	}
}

// One client of a thousand, and a weight that hardly ever wins.
func TestOneClientComes(t *testing.T) {
	r := fl.Vector{1, 1e-300, 0}
	for _, design := range designs() {
		x := open(t, availability.KSubset, subset(design, 1, r), 3)
		if law := x.law(t); !near(law.Inclusion, fl.Vector{1, 1e-300, 0}, 1e-12) {
			t.Errorf("%s: π = %v", design, law.Inclusion)
		}
		for round := range 1000 {
			if got := x.round(round); !slices.Equal(got, []int{0}) {
				t.Fatalf("%s: %v participated", design, got)
			}
		}
	}
}

func TestMoreThanThereAre(t *testing.T) {
	p := fl.NewParams(map[string]any{"k": int64(7)}, fl.Setting{Clients: 6}, nil)
	if _, err := availability.KSubset.New(p); err != nil {
		t.Fatal(err)
	}
	if got := p.Finish(); len(got) != 1 || got[0].Message != "k: 7 of 6 clients" {
		t.Errorf("problems: %v", got)
	}
}

// bᵢ = min(1, rate·N·rᵢ), and the law follows from b.
func TestBernoulliProbabilities(t *testing.T) {
	for _, c := range []struct {
		rate       float64
		prior      fl.Vector
		b          fl.Vector
		empty, all float64 // P(empty), and P(all) given a non-empty cohort
	}{
		{0.5, fl.Vector{1, 1}, fl.Vector{.5, .5}, .25, 1. / 3},
		{0.3, fl.Vector{1, 2, 3}, fl.Vector{.15, .3, .45}, .85 * .7 * .55, .02025 / .67275},
		{0.5, fl.Vector{8, 1, 1}, fl.Vector{1, .15, .15}, 0, .0225}, // 0.5·3·0.8 is clipped
		{1, fl.Vector{1, 1, 1}, fl.Vector{1, 1, 1}, 0, 1},
		{1, fl.Vector{1, 0, 1}, fl.Vector{1, 0, 1}, 0, 0},
		{0.001, fl.Vector{1, 1}, fl.Vector{.001, .001}, .998001, 1e-6 / .001999},
	} {
		given := map[string]any{"rate": c.rate, "prior": listed(c.prior)}
		law := open(t, availability.Bernoulli, given, len(c.b)).law(t)
		if !near(law.Chance, c.b, 1e-15) || !near(law.Inclusion, c.b, 1e-15) {
			t.Errorf("%v: b = %v, π = %v, want %v", given, law.Chance, law.Inclusion, c.b)
		}
		last := law.Q[len(law.Q)-1] // everyone stands last
		if !near(fl.Vector{law.Empty, last, law.Q.Sum()}, fl.Vector{c.empty, c.all, 1}, 1e-13) {
			t.Errorf("%v: P(empty) = %v, P(all | not empty) = %v, Σq = %v",
				given, law.Empty, last, law.Q.Sum())
		}
		if want := 1<<len(c.b) - 1; len(law.Sets) != want || law.Size != 0 {
			t.Errorf("%v: %d cohorts, want %d; size %d", given, len(law.Sets), want, law.Size)
		}
	}
}

// At rate 1 and equal weights all participate in every round.
func TestRateOne(t *testing.T) {
	for _, n := range []int{1, 3, 49, 1000} {
		x := open(t, availability.Bernoulli, map[string]any{"rate": 1.0}, n)
		for round := range 10 {
			if got := x.round(round); len(got) != n {
				t.Fatalf("N = %d: %d participated", n, len(got))
			}
		}
		if law := x.law(t); law.Empty != 0 || math.Abs(law.Inclusion.Sum()-float64(n)) > 1e-12*float64(n) {
			t.Errorf("N = %d: P(empty) = %v, Σπ = %v", n, law.Empty, law.Inclusion.Sum())
		}
	}
}

// Too many cohorts to list are stated by their probabilities, and that of an empty round still is
// exact, where it is all but certain and where it is all but impossible.
func TestBernoulliOfMany(t *testing.T) {
	for _, c := range []struct {
		n           int
		rate, empty float64
	}{
		{13, 0.5, math.Pow(.5, 13)},
		{100, 0.01, math.Pow(.99, 100)},
		{1000, 1e-9, 1 - 1e-6 + 499.5e-15},
		{1000, 0.5, math.Pow(.5, 1000)},
	} {
		x := open(t, availability.Bernoulli, map[string]any{"rate": c.rate}, c.n)
		law := x.law(t)
		if law.Sets != nil || law.Size != 0 || len(law.Chance) != c.n {
			t.Errorf("N = %d: %d cohorts, size %d, %d probabilities", c.n, len(law.Sets), law.Size, len(law.Chance))
		}
		if !near(fl.Vector{law.Empty, law.Inclusion[c.n-1]}, fl.Vector{c.empty, c.rate}, 1e-10) {
			t.Errorf("N = %d, rate %v: P(empty) = %v, want %v; π = %v",
				c.n, c.rate, law.Empty, c.empty, law.Inclusion[c.n-1])
		}
	}
}
