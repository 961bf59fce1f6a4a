package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Probabilities of cohorts add up as in a map by what they are written as, of few clients as of
// many, in the order in which cohorts are first met; what is added may change afterwards.
func TestCohortsAreCounted(t *testing.T) {
	for _, clients := range []int{6, 64, 70, 300} {
		rng := rand.New(rand.NewPCG(uint64(clients), 1))
		want, order := map[string]float64{}, []string{}
		var sets [][]int
		var q fl.Vector
		for range 5000 {
			var set []int
			for i := clients - 1 - rng.IntN(3); i >= 0 && len(set) < 4; i -= 1 + rng.IntN(clients/3) {
				set = append([]int{i}, set...)
			}
			sets, q = append(sets, set), append(q, rng.Float64())
			text := fmt.Sprint(set)
			if _, met := want[text]; !met {
				order = append(order, text)
			}
			want[text] += q[len(q)-1]
		}
		sums := make(fl.Vector, 0, len(order))
		for _, text := range order {
			sums = append(sums, want[text])
		}
		sums.Scale(1 / sums.Sum())
		law := engine.Counted(sets, q)
		if len(law.Sets) != len(order) {
			t.Fatalf("%d clients: %d cohorts, want %d", clients, len(law.Sets), len(order))
		}
		for j, set := range law.Sets {
			if text := fmt.Sprint(set); text != order[j] ||
				law.Q[j] != sums[j] {
				t.Errorf("%d clients: %s has %v, want %s with %v", clients, text, law.Q[j], order[j],
					sums[j])
			}
		}
	}
}

// Counting cohorts again takes no memory.
func TestCountingCohortsAllocatesNothing(t *testing.T) {
	for _, last := range []int{20, 200} {
		set := []int{1, 5, last}
		if n := engine.CountingAllocates(set); n > 0 {
			t.Errorf("up to client %d: %v allocations", last, n)
		}
	}
}
