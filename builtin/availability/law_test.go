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

// inOrder returns the probability that the clients of a set are drawn one after another,
// in any order, each by its weight among those that are left: the definition.
func inOrder(r fl.Vector, set []int) float64 {
	if len(set) == 0 {
		return 1
	}
	sum := 0.0
	for at, i := range set {
		rest := slices.Delete(slices.Clone(set), at, at+1)
		left := 0.0
		for k, w := range r {
			if !slices.Contains(rest, k) {
				left += w
			}
		}
		sum += inOrder(r, rest) * r[i] / left
	}
	return sum
}

// product returns ∏ rᵢ over a set.
func product(r fl.Vector, set []int) float64 {
	p := 1.0
	for _, i := range set {
		p *= r[i]
	}
	return p
}

// definition is the law of k-subset on the listed cohorts, by its definition.
func definition(design string, r fl.Vector, sets [][]int) fl.Vector {
	q := make(fl.Vector, len(sets))
	for j, set := range sets {
		if design == "successive" {
			q[j] = inOrder(r, set)
		} else {
			q[j] = product(r, set)
		}
	}
	q.Scale(1 / q.Sum())
	return q
}

// priors are weights of six clients: some equal, some zero, some very far apart.
func priors() []fl.Vector {
	return []fl.Vector{
		{1, 1, 1, 1, 1, 1},
		{1, 2, 3, 4, 5, 6},
		{5, 1, 1, 2, .5, .5},
		{0, 1, 2, 0, 3, 4},
		{0, 0, 1, 2, 0, 7},
		{1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15},
		{1e300, 1e298, 1e297, 1, 1e296, 1e296},
	}
}

// The cohort distribution is its definition, summed over all orders of the draws.
//
//hansa:verifies theorem availability/k-subset
func TestLawsAreTheDefinitions(t *testing.T) {
	for _, design := range designs() {
		for _, r := range priors() {
			for k := 1; k <= 3; k++ {
				law := open(t, availability.KSubset, subset(design, k, r), 6).law(t)
				w := r.Clone()
				w.Scale(1 / slices.Max(r))
				want := definition(design, w, law.Sets)
				if !near(law.Q, want, 1e-12) {
					t.Errorf("%s, k = %d, r = %v: q = %v, want %v", design, k, r, law.Q, want)
				}
				if !near(law.Inclusion, stats.Inclusion(law.Sets, want, 6), 1e-13) {
					t.Errorf("%s, k = %d, r = %v: π = %v", design, k, r, law.Inclusion)
				}
			}
		}
	}
}

// Where a law gives Chance and Size, independent clients of which exactly Size come have the
// law that it lists: planners may use either.
func TestStructureIsTheList(t *testing.T) {
	uniform := open(t, availability.KSubset, map[string]any{"k": int64(3)}, 6)
	distinct := open(t, availability.KSubset, subset("distinct", 3, fl.Vector{0, 1, 2, 3, 4, 5}), 6)
	for name, law := range map[string]fl.Law{"uniform": uniform.law(t), "distinct": distinct.law(t)} {
		odds := make(fl.Vector, len(law.Chance))
		for i, b := range law.Chance {
			odds[i] = b / (1 - b)
		}
		if law.Size != 3 || !near(law.Q, definition("distinct", odds, law.Sets), 1e-14) {
			t.Errorf("%s: size %d and probabilities %v are not q", name, law.Size, law.Chance)
		}
	}
	given := subset("successive", 3, fl.Vector{0, 1, 2, 3, 4, 5})
	if law := open(t, availability.KSubset, given, 6).law(t); law.Chance != nil || law.Size != 0 {
		t.Error("successive sampling claims to be independent clients of a given number")
	}
}

// The two designs are different laws, but for equal weights.
func TestDesignsDiffer(t *testing.T) {
	for r, same := range map[[4]float64]bool{{1, 1, 1, 1}: true, {1, 2, 3, 4}: false} {
		a := open(t, availability.KSubset, subset("successive", 2, r[:]), 4).law(t)
		b := open(t, availability.KSubset, subset("distinct", 2, r[:]), 4).law(t)
		if near(a.Q, b.Q, 1e-3) != same {
			t.Errorf("r = %v: %v and %v", r, a.Q, b.Q)
		}
	}
}

// Inclusion probabilities sum to K and rise with the weights, also where cohorts are far
// too many to list.
func TestInclusionSumsToK(t *testing.T) {
	for _, c := range []struct {
		n, k   int
		listed bool
	}{
		{6, 3, true}, {100, 2, true}, {100, 3, true},
		{1000, 2, false}, {400, 20, false}, {2000, 100, false},
	} {
		for _, design := range designs() {
			given := map[string]any{"k": int64(c.k), "design": design, "prior": rising()}
			law := open(t, availability.KSubset, given, c.n).law(t)
			what := fmt.Sprintf("%s, %d of %d", design, c.k, c.n)
			if sum := law.Inclusion.Sum(); math.Abs(sum-float64(c.k)) > 1e-10*float64(c.k) {
				t.Errorf("%s: Σπ = %v", what, sum)
			}
			for i := 1; i < c.n; i++ {
				if law.Inclusion[i] <= law.Inclusion[i-1] {
					t.Fatalf("%s: π falls at client %d", what, i)
				}
			}
			if (law.Sets != nil) != c.listed || len(law.Sets) != len(law.Q) {
				t.Errorf("%s: %d cohorts, %d probabilities", what, len(law.Sets), len(law.Q))
			}
		}
	}
}

// Pairs of 1000 clients cannot be listed, but their inclusion probabilities have closed
// forms: successive π_i = rᵢ + Σ_{j≠i} rⱼ rᵢ/(1 − rⱼ); distinct π_i ∝ rᵢ (1 − rᵢ).
func TestInclusionOfManyPairs(t *testing.T) {
	const n = 1000
	r := make(fl.Vector, n)
	odds := 0.0
	for i := range r {
		r[i] = float64(i+1) / (n * (n + 1) / 2)
		odds += r[i] / (1 - r[i])
	}
	successive, distinct := make(fl.Vector, n), make(fl.Vector, n)
	for i, x := range r {
		successive[i] = x + x*(odds-x/(1-x))
		distinct[i] = x * (1 - x)
	}
	distinct.Scale(2 / distinct.Sum())
	for design, want := range map[string]fl.Vector{"successive": successive, "distinct": distinct} {
		given := map[string]any{"design": design, "prior": rising()}
		if law := open(t, availability.KSubset, given, n).law(t); !near(law.Inclusion, want, 1e-13) {
			t.Errorf("%s: π₁₀₀₀ = %v, want %v", design, law.Inclusion[n-1], want[n-1])
		}
	}
}

// Astronomically many cohorts have an exact law all the same, or none is claimed.
func TestAstronomicalLaws(t *testing.T) {
	const n, k = 1_000_000, 100
	for _, prior := range []any{"uniform", rising()} {
		for _, design := range designs() {
			given := map[string]any{"k": int64(k), "design": design, "prior": prior}
			x := open(t, availability.KSubset, given, n)
			law, ok := x.Law(x.reach.Roster)
			what := fmt.Sprintf("%s, prior %v", design, prior)
			if exact := prior == "uniform" || design == "distinct"; ok != exact {
				t.Errorf("%s: law = %t", what, ok)
			} else if !ok {
				continue
			}
			if sum := law.Inclusion.Sum(); !law.Exact || math.Abs(sum-k) > 1e-8 {
				t.Errorf("%s: exact = %t, Σπ = %v", what, law.Exact, sum)
			}
			if law.Sets != nil || law.Size != k || len(law.Chance) != n {
				t.Errorf("%s: %d sets, size %d, %d probabilities", what, len(law.Sets), law.Size, len(law.Chance))
			}
		}
	}
	x := open(t, availability.KSubset, map[string]any{"k": int64(k)}, n)
	if law := x.law(t); law.Inclusion[77] != 1e-4 {
		t.Errorf("uniform: π = %v", law.Inclusion[77])
	}
}
