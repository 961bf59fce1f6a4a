package ot

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// The order of nodes is that of the tree, whatever pivots did to it: it goes through all nodes and
// back to the root, each subtree lies together in it, from its root to its last node, and its size
// is right.
func TestOrderIsThatOfTheTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var e Exact
	for trial := range 300 {
		n, m := 1+rng.IntN(12), 1+rng.IntN(12)
		p := Transport{A: make(tensor.Vector, n), B: make(tensor.Vector, m),
			Cost: tensor.NewMatrix(n, m)}
		for k := range p.Cost.Data {
			p.Cost.Data[k] = float64(rng.IntN(50)) // ties are common
		}
		for i := range p.A {
			p.A[i] = float64(1 + rng.IntN(1+trial%4))
		}
		for j := range p.B {
			p.B[j] = p.A.Sum() / float64(m)
		}
		p.A.Scale(1 / p.A.Sum())
		p.B.Scale(1 / p.B.Sum())
		if !e.Solve(p).Converged {
			t.Fatalf("trial %d is not solved", trial)
		}
		inOrder(t, &e.net)
		if t.Failed() {
			t.Fatalf("trial %d: %d×%d, %d pivots", trial, n, m, e.net.pivots)
		}
	}
}

// inOrder holds the order of a tree to its parents.
func inOrder(t *testing.T, s *simplex) {
	t.Helper()
	nodes := len(s.parent)
	order := []int32{s.root}
	for v := s.next[s.root]; v != s.root && len(order) <= nodes; v = s.next[v] {
		order = append(order, v)
	}
	if len(order) != nodes {
		t.Errorf("the order has %d nodes of %d", len(order), nodes)
		return
	}
	for at, v := range order {
		if s.before[s.next[v]] != v {
			t.Errorf("before what follows on %d is %d", v, s.before[s.next[v]])
		}
		below := func(w int32) bool {
			for w >= 0 && w != v {
				w = s.parent[w]
			}
			return w == v
		}
		together := order[at : at+int(s.size[v])]
		for i, w := range order {
			if below(w) != (i >= at && i < at+len(together)) {
				t.Errorf("%d is below %d: %v, against the order %v", w, v, below(w), order)
			}
		}
		if end := together[len(together)-1]; s.last[v] != end {
			t.Errorf("the last below %d is %d, not %d", v, s.last[v], end)
		}
	}
	slices.Sort(order)
	if len(slices.Compact(order)) != nodes {
		t.Error("a node is in the order twice")
	}
}
