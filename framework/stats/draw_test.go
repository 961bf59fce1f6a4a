package stats

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// drawn returns the tally of many draws of subsets of k out of n clients. Every draw must
// be ascending and must fit into the slice it is given.
func drawn(t *testing.T, n, k, draws int, draw func(dst []int) []int) *Tally {
	t.Helper()
	tally, room := NewTally(Subsets(n, k)), make([]int, 0, k)
	for range draws {
		set := draw(room)
		if !slices.IsSorted(set) || cap(set) != k {
			t.Fatalf("%v is not ascending, or not in the room that was given", set)
		}
		tally.Add(set)
	}
	return tally
}

// follows fails when the draws do not follow the law.
func follows(t *testing.T, tally *Tally, q tensor.Vector) {
	t.Helper()
	if a := tally.Against(q); !(a.P > 1e-3) {
		t.Errorf("draws disagree with their law: %+v", a)
	}
}

// tree returns the table of DrawSuccessive.
func tree(r tensor.Vector) tensor.Vector {
	table := make(tensor.Vector, 2*len(r))
	SumTree(table, r)
	return table
}

// table returns the table of DrawConditional.
func table(r tensor.Vector, k int) tensor.Vector {
	table := make(tensor.Vector, 3*len(r))
	ConditionalTable(table, r, k)
	return table
}

func TestDrawSuccessiveFollowsItsLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 1))
	for _, c := range []struct {
		r tensor.Vector
		k int
	}{
		{tensor.Vector{1}, 1},
		{tensor.Vector{1, 2, 3}, 1},
		{tensor.Vector{1, 2, 3, 4, 5}, 2},
		{tensor.Vector{0, 3, 0, 1, 1, 40, 0}, 3},
		{tensor.Vector{1000, 1, 1, 10, 1, 5}, 4},
		{weights(rng, 9, 1), 8},
		{tensor.Vector{1, 1e-20, 1e-20, 3e-20}, 2},
		{tensor.Vector{1e-300, 1e300, 2e-300, 1e-300}, 3},
		{tensor.Vector{5e-324, 0, 5e-324, 5e-324, 0}, 2},
	} {
		table := tree(c.r)
		before := table.Clone()
		follows(t, drawn(t, len(c.r), c.k, 20_000, func(dst []int) []int {
			return DrawSuccessive(dst, table, c.k, rng)
		}), SuccessiveLaw(c.r, c.k))
		if !reflect.DeepEqual(table, before) {
			t.Errorf("the table was %v and is %v", before, table)
		}
	}
}

func TestDrawConditionalFollowsItsLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 2))
	for _, c := range []struct {
		r tensor.Vector
		k int
	}{
		{tensor.Vector{1}, 1},
		{tensor.Vector{1, 2, 3}, 1},
		{tensor.Vector{1, 2, 3, 4, 5}, 2},
		{tensor.Vector{0, 3, 0, 1, 1, 40, 0}, 3},
		{weights(rng, 9, 1), 8}, // almost never k different ones with replacement
		{weights(rng, 12, 0.5), 6},
		{tensor.Vector{1, 1e-20, 1e-20, 3e-20}, 2},
		{tensor.Vector{1e-300, 1e300, 2e-300, 1e-300}, 3},
	} {
		table := table(c.r, c.k)
		before := table.Clone()
		follows(t, drawn(t, len(c.r), c.k, 20_000, func(dst []int) []int {
			return DrawConditional(dst, table, rng)
		}), ConditionalLaw(c.r, c.k))
		if !reflect.DeepEqual(table, before) {
			t.Errorf("the table was %v and is %v", before, table)
		}
	}
}

// TestTheTwoDesignsDiffer shows that the test of agreement has power: it rejects each law for draws
// of the other design.
func TestTheTwoDesignsDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 3))
	r := tensor.Vector{1, 2, 3, 4, 5}
	one, other := tree(r), table(r, 2)
	for _, a := range []Agreement{
		drawn(t, 5, 2, 10_000, func(dst []int) []int {
			return DrawSuccessive(dst, one, 2, rng)
		}).Against(ConditionalLaw(r, 2)),
		drawn(t, 5, 2, 10_000, func(dst []int) []int {
			return DrawConditional(dst, other, rng)
		}).Against(SuccessiveLaw(r, 2)),
	} {
		if a.P > 1e-6 {
			t.Errorf("10,000 draws do not tell the designs apart: %+v", a)
		}
	}
}

func TestDrawUniformIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 4))
	for _, c := range [][2]int{{1, 0}, {1, 1}, {9, 1}, {13, 3}, {12, 3}, {8, 4}, {7, 7}, {20, 2}} {
		n, k := c[0], c[1]
		q := make(tensor.Vector, CountSubsets(n, k))
		for j := range q {
			q[j] = 1 / float64(len(q))
		}
		follows(t, drawn(t, n, k, 20_000, func(dst []int) []int {
			return DrawUniform(dst, n, k, rng)
		}), q)
		one, two := UniformInclusion(n, k)
		pairs := PairInclusion(Subsets(n, k), q, n)
		for i := range n {
			want := two
			if i == 0 {
				want = one
			}
			tolerance{1e-14, 1e-12}.one(t, "inclusion", pairs.Row(0)[i], want)
		}
	}
}

func TestDrawBernoulliFollowsItsLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 5))
	b := tensor.Vector{0.9, 0.5, 0, 0.2, 1, 0.01}
	sets, q, _ := BernoulliLaw(b)
	tally, room := NewTally(sets), make([]int, 0, len(b))
	for range 20_000 {
		tally.Add(DrawBernoulli(room, b, rng))
	}
	follows(t, tally, q)
	if set := DrawBernoulli(room, tensor.Vector{0, 0, 0}, rng); len(set) != 0 {
		t.Errorf("%v was drawn with probability 0", set)
	}
}

// TestDrawsOfTooFew returns all clients that can be drawn when these are fewer than k.
func TestDrawsOfTooFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 6))
	r := tensor.Vector{0, 3, 0, 1e-9}
	for _, k := range []int{0, 2, 3, 4, 5} {
		want := []int{1, 3}[:min(k, 2)]
		if got := DrawSuccessive([]int{}, tree(r), k, rng); !reflect.DeepEqual(got, want) {
			t.Errorf("successive sampling of %d: %v, want %v", k, got, want)
		}
		if got := DrawConditional([]int{}, table(r, k), rng); !reflect.DeepEqual(got, want) {
			t.Errorf("conditional sampling of %d: %v, want %v", k, got, want)
		}
	}
	if got := DrawSuccessive(nil, nil, 3, rng); len(got) != 0 {
		t.Errorf("%v was drawn from no clients", got)
	}
}

func TestDrawsAllocateNothing(t *testing.T) {
	const n, k = 1000, 60 // 60 with replacement differ once in six times
	rng := rand.New(rand.NewPCG(25, 7))
	r := weights(rng, n, 0.1)
	successive, conditional, room := tree(r), table(r, k), make([]int, 0, n)
	if allocations := testing.AllocsPerRun(100, func() {
		DrawSuccessive(room, successive, k, rng)
		DrawConditional(room, conditional, rng)
		DrawUniform(room, n, k, rng)
		DrawUniform(room, n, n/2, rng)
		DrawBernoulli(room, r, rng)
	}); allocations != 0 {
		t.Errorf("%v allocations per run", allocations)
	}
}

func BenchmarkDraw(b *testing.B) {
	const n, k = 1_000_000, 100
	rng := rand.New(rand.NewPCG(25, 8))
	r := weights(rng, n, 1)
	successive, conditional, room := tree(r), table(r, k), make([]int, 0, k)
	b.Run("successive", func(b *testing.B) {
		for b.Loop() {
			DrawSuccessive(room, successive, k, rng)
		}
	})
	b.Run("conditional", func(b *testing.B) {
		for b.Loop() {
			DrawConditional(room, conditional, rng)
		}
	})
	b.Run("uniform", func(b *testing.B) {
		for b.Loop() {
			DrawUniform(room, n, k, rng)
		}
	})
}
