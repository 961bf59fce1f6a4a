package ot

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestCrowdCurvesAsItsListDoes compares the Jacobian of a law that is not listed with that
// of the same law, listed: pairs and triples of five clients.
func TestCrowdCurvesAsItsListDoes(t *testing.T) {
	const n = 5
	rng := rand.New(rand.NewPCG(32, 1))
	chance := tensor.Vector{0.2, 0.5, 0.7, 0.9, 0.4}
	for size := 2; size <= 3; size++ {
		b := newBlock(n, 0, 0)
		for i := range n {
			b.ids, b.p = append(b.ids, i), append(b.p, 1./n)
		}
		for bits := range 1 << n {
			q, members := 1.0, int32(0)
			for i, c := range chance {
				if bits>>i&1 == 1 {
					q *= c / (1 - c)
					b.members = append(b.members, int32(i))
					members++
				}
			}
			if int(members) != size {
				b.members = b.members[:len(b.members)-int(members)]
				continue
			}
			b.seal(q)
		}
		b.q.Scale(1 / b.q.Sum())
		list := newLuce(b)
		crowd := Independent{Chance: chance, Size: size}.crowd([]int{0, 1, 2, 3, 4})
		a, x := make(tensor.Vector, n), make(tensor.Vector, n)
		for i := range a {
			a[i], x[i] = 2*rng.NormFloat64(), 100*rng.NormFloat64()
		}
		got, want := make(tensor.Vector, n), make(tensor.Vector, n)
		crowd.bend(got, a)
		list.bend(want, a)
		near(t, "diagonal", got, want, 1e-12)
		crowd.curve(got, x)
		list.curve(want, x)
		near(t, "product", got, want, 1e-4)
		crowd.curve(got, make(tensor.Vector, n))
		near(t, "product with 0", got, make(tensor.Vector, n), 0)
	}
}

func near(t *testing.T, what string, got, want tensor.Vector, abs float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= abs) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
		}
	}
}

func TestCrowdAllocatesNothing(t *testing.T) {
	const n = 50
	rng := rand.New(rand.NewPCG(32, 2))
	for _, size := range []int{0, 7} {
		s := Independent{Chance: make(tensor.Vector, n), Size: size}
		a, dst, ids := make(tensor.Vector, n), make(tensor.Vector, n), make([]int, n)
		for i := range a {
			a[i], ids[i], s.Chance[i] = 30*rng.NormFloat64(), i, rng.Float64()
		}
		c := s.crowd(ids)
		if allocations := testing.AllocsPerRun(5, func() {
			c.marginal(dst, a)
			c.bend(dst, a)
			c.curve(dst, a)
		}); allocations != 0 {
			t.Errorf("%v allocations per run", allocations)
		}
	}
}
