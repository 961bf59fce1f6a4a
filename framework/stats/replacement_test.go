package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// How often each is drawn agrees with its weight, and draws do not depend on each other.
func TestDrawWithReplacement(t *testing.T) {
	weights := tensor.Vector{3, 0, 1, 2, 4}
	tree := make(tensor.Vector, 2*len(weights))
	stats.SumTree(tree, weights)
	rng := rand.New(rand.NewPCG(1, 9))
	const n = 40_000
	var once [5]float64
	var twice [5][5]float64
	var ids []int
	for range n {
		ids = stats.DrawWithReplacement(ids, tree, 2, rng)
		once[ids[0]]++
		twice[ids[0]][ids[1]]++
	}
	near := func(what string, count, p float64) {
		if dev := math.Sqrt(p * (1 - p) * n); math.Abs(count-p*n) > 5*dev {
			t.Errorf("%s: %v of %d, want %v", what, count, n, p*n)
		}
	}
	for i, w := range weights {
		near(fmt.Sprint(i), once[i], w/10)
		for j, v := range weights {
			near(fmt.Sprint(i, " then ", j), twice[i][j], w*v/100)
		}
	}
	if got := testing.AllocsPerRun(50, func() { stats.DrawWithReplacement(ids, tree, 2, rng) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestDrawWithReplacementOfNobody(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for name, tree := range map[string]tensor.Vector{"no clients": nil, "no weights": make(tensor.Vector, 6)} {
		if ids := stats.DrawWithReplacement(nil, tree, 3, rng); len(ids) > 0 {
			t.Errorf("%s: %v", name, ids)
		}
	}
	one := tensor.Vector{0, 5}
	if ids := stats.DrawWithReplacement(nil, one, 3, rng); fmt.Sprint(ids) != "[0 0 0]" {
		t.Errorf("of one client: %v", ids)
	}
}

func ExampleDrawWithReplacement() {
	weights := tensor.Vector{1, 0, 0}
	tree := make(tensor.Vector, 2*len(weights))
	stats.SumTree(tree, weights)
	rng := rand.New(rand.NewPCG(1, 2))
	fmt.Println(stats.DrawWithReplacement(nil, tree, 4, rng))
	// Output: [0 0 0 0]
}
