package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// multinomial returns every way to draw k times with replacement, ascending, and how likely
// each is: k!/∏ cᵢ! · ∏ pᵢ^cᵢ for the counts cᵢ.
func multinomial(weights tensor.Vector, k int) (sets [][]int, q tensor.Vector) {
	total, orders := weights.Sum(), math.Gamma(float64(k+1))
	var draw func(from int, set []int, p float64)
	draw = func(from int, set []int, p float64) {
		if len(set) == k {
			sets, q = append(sets, append([]int(nil), set...)), append(q, p*orders)
			return
		}
		for i := from; i < len(weights); i++ {
			again, repeated := p, set
			for c := 1; len(repeated) < k; c++ {
				repeated = append(repeated, i)
				again *= weights[i] / total / float64(c)
				draw(i+1, repeated, again)
			}
		}
	}
	draw(0, nil, 1)
	return sets, q
}

func TestRepeatedDrawsAreMultinomial(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	for _, c := range []struct {
		r tensor.Vector
		k int
	}{
		{tensor.Vector{1}, 3},
		{tensor.Vector{1, 2, 3}, 0},
		{tensor.Vector{1, 2, 3}, 1},
		{tensor.Vector{1, 2, 3, 4, 5}, 3},
		{tensor.Vector{0, 3, 0, 1, 40, 0}, 4},
		{tensor.Vector{1e-300, 1e300, 1e300}, 2},
		{tensor.Vector{1, 1, 1, 1}, 4},
	} {
		sets, q := multinomial(c.r, c.k)
		tally, uniform := NewTally(sets), NewTally(sets)
		table, room := tree(c.r), make([]int, 0, c.k)
		for range 20_000 {
			tally.Add(DrawRepeated(room, table, c.k, rng))
			uniform.Add(DrawUniformRepeated(room, len(c.r), c.k, rng))
		}
		follows(t, tally, q)
		even := make(tensor.Vector, len(c.r))
		even.Fill(1)
		_, q = multinomial(even, c.k)
		follows(t, uniform, q)
	}
}

func TestRepeatedDrawsFromNoClients(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 2))
	for what, got := range map[string][]int{
		"no clients":      DrawRepeated(nil, nil, 3, rng),
		"weights of zero": DrawRepeated(nil, tree(tensor.Vector{0, 0}), 3, rng),
		"none, uniformly": DrawUniformRepeated(nil, 0, 3, rng),
	} {
		if len(got) != 0 {
			t.Errorf("%v was drawn from %s", got, what)
		}
	}
	table, room := tree(tensor.Vector{1, 2, 3}), make([]int, 0, 50)
	if n := testing.AllocsPerRun(100, func() {
		DrawRepeated(room, table, 50, rng)
		DrawUniformRepeated(room, 9, 50, rng)
	}); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
