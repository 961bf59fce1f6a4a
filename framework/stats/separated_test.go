package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// The law of a round stays what it is from one round to the next: with a separation of one round it
// is Σ over cohorts S′ of its probability times that of S after S′.
func TestSeparatedLawIsStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 5))
	for range 30 {
		n := 4 + rng.IntN(4)
		k := 1 + rng.IntN(n/2)
		r := weights(rng, n, 2)
		sets, q := Subsets(n, k), SeparatedLaw(r, k, 1)
		after := make(tensor.Vector, len(sets))
		for j, last := range sets {
			rest := r.Clone()
			for _, i := range last {
				rest[i] = 0
			}
			after.AddScaled(q[j], ConditionalLaw(rest, k))
		}
		tolerance{0, 1e-12}.all(t, "law after a round", after, q)
		pi := make(tensor.Vector, n)
		SeparatedInclusion(pi, r, k, 1)
		tolerance{0, 1e-12}.all(t, "inclusion", pi, Inclusion(sets, q, n))
	}
}

// Draws without some clients have the law of the others, where draws with replacement succeed and
// where they hardly ever do, and leave the table as it was.
func TestDrawConditionalWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 6))
	r := tensor.Vector{3, 1, 0, 2, 5, 1, 4, 0.5, 200}
	for _, c := range []struct {
		k       int
		without []int
	}{{2, nil}, {3, []int{1, 4}}, {5, []int{5}}, {1, []int{0, 3, 8}}, {4, []int{0, 6}}} {
		rest := r.Clone()
		for _, i := range c.without {
			rest[i] = 0
		}
		table, scratch := make(tensor.Vector, 3*len(r)), make(tensor.Vector, 2*len(r))
		ConditionalTable(table, r, c.k)
		before := table.Clone()
		tally := NewTally(Subsets(len(r), c.k))
		for range 20_000 {
			tally.Add(DrawConditionalWithout(make([]int, 0, c.k+1), table, c.without, scratch, rng))
		}
		if a := tally.Against(ConditionalLaw(rest, c.k)); a.P < 1e-4 {
			t.Errorf("%+v: χ² = %v with %d degrees of freedom", c, a.Statistic, a.Degrees)
		}
		if !slices.Equal(table, before) {
			t.Errorf("%+v: the table has changed", c)
		}
	}
	table := make(tensor.Vector, 3*len(r))
	ConditionalTable(table, r, 3)
	few := DrawConditionalWithout(nil, table, []int{0, 1, 3, 4, 5, 8}, make(tensor.Vector, 2*len(r)), rng)
	if !slices.Equal(few, []int{6, 7}) {
		t.Errorf("of two clients %v are drawn", few)
	}
}
