package aggregator

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// coverable reports whether f vertices have one end of every edge: of the first edge that there is,
// one end or the other.
func coverable(edges [][2]int, f int) bool {
	if len(edges) == 0 {
		return true
	}
	if f == 0 {
		return false
	}
	for _, v := range edges[0] {
		left := slices.DeleteFunc(slices.Clone(edges), func(e [2]int) bool {
			return e[0] == v || e[1] == v
		})
		if coverable(left, f-1) {
			return true
		}
	}
	return false
}

// On random graphs of every density, and on Petersen's, the question of MDA has the answer of plain
// branching, for vertices in one word of bits and in several.
func TestVertexCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	var g apart
	for trial := range 2000 {
		n := 4 + rng.IntN(14)
		of := rng.Perm([]int{n, 70, 130}[rng.IntN(3)])
		if len(of) < n {
			of = rng.Perm(n)
		}
		var edges [][2]int
		for range rng.IntN(2 * n) {
			if i, j := rng.IntN(n), rng.IntN(n); i != j {
				edges = append(edges, [2]int{of[i], of[j]})
			}
		}
		if trial%100 == 0 && n >= 10 {
			edges = nil
			for i := range 5 {
				edges = append(edges, [2]int{of[i], of[(i+1)%5]}, [2]int{of[i], of[5+i]},
					[2]int{of[5+i], of[5+(i+2)%5]})
			}
		}
		far := tensor.NewMatrix(len(of), len(of))
		for _, e := range edges {
			far.Row(e[0])[e[1]], far.Row(e[1])[e[0]] = 1, 1
		}
		g.link(far, 0)
		for f := range 10 {
			if got, want := g.coveredBy(f), coverable(edges, f); got != want {
				t.Fatalf("%v is covered by %d: %v, want %v", edges, f, got, want)
			}
		}
	}
}
