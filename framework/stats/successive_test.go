package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// weights returns n positive weights whose logarithms have the given spread.
func weights(rng *rand.Rand, n int, spread float64) tensor.Vector {
	r := make(tensor.Vector, n)
	for i := range r {
		r[i] = math.Exp(spread * rng.NormFloat64())
	}
	return r
}

// oneByOne returns the probability of drawing the clients of set, by adding up all orders
// in which that can happen.
func oneByOne(r tensor.Vector, set []int, drawn map[int]bool) float64 {
	rest := 0.0
	for i, w := range r {
		if !drawn[i] {
			rest += w
		}
	}
	p, last := 0.0, true
	for _, i := range set {
		if !drawn[i] {
			last = false
			drawn[i] = true
			p += r[i] / rest * oneByOne(r, set, drawn)
			delete(drawn, i)
		}
	}
	if last {
		return 1
	}
	return p
}

func TestSuccessiveLawAddsUpAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, c := range []struct {
		n, k   int
		spread float64
	}{{1, 1, 1}, {5, 0, 1}, {5, 1, 2}, {7, 3, 0}, {8, 4, 2}, {7, 6, 1}, {6, 6, 1}, {9, 3, 20}} {
		r := weights(rng, c.n, c.spread)
		sets := Subsets(c.n, c.k)
		want := make(tensor.Vector, len(sets))
		for j, set := range sets {
			want[j] = oneByOne(r, set, map[int]bool{})
		}
		tolerance{0, 1e-13}.all(t, "law", SuccessiveLaw(r, c.k), want)
	}
}

func TestSuccessiveLawKnowsNoUnit(t *testing.T) {
	r := weights(rand.New(rand.NewPCG(21, 2)), 8, 1)
	want := SuccessiveLaw(r, 3)
	for _, unit := range []float64{1e-280, 1e280} {
		scaled := r.Clone()
		scaled.Scale(unit)
		tolerance{0, 1e-13}.all(t, "law", SuccessiveLaw(scaled, 3), want)
	}
}

// TestLawByClocksIsTheSameLaw compares two derivations that share nothing.
func TestLawByClocksIsTheSameLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 3))
	for range 200 {
		n := 1 + rng.IntN(11)
		r, k := weights(rng, n, 6*rng.Float64()), 1+rng.IntN(n)
		if k < n {
			r[rng.IntN(n)] = 0
		}
		tolerance{1e-14, 1e-12}.all(t, "law", lawByClocks(r, k), lawByRecursion(r, k))
	}
}

// TestSuccessiveLawOfNearlyAll would never end if it climbed up from smaller sets.
func TestSuccessiveLawOfNearlyAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	for _, n := range []int{30, 60} {
		r := weights(rng, n, 2)
		q := SuccessiveLaw(r, n-2)
		tolerance{1e-13, 0}.one(t, "total", q.Sum(), 1)
		pi := make(tensor.Vector, n)
		SuccessiveInclusion(pi, r, n-2)
		tolerance{1e-13, 0}.all(t, "inclusion", Inclusion(Subsets(n, n-2), q, n), pi)
	}
}

func TestSuccessiveInclusionAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 5))
	for range 400 {
		n := 1 + rng.IntN(12)
		r, k := weights(rng, n, 15*rng.Float64()*rng.Float64()), rng.IntN(n+1)
		got := weights(rng, n, 1)
		SuccessiveInclusion(got, r, k)
		want := Inclusion(Subsets(n, k), lawByRecursion(r, k), n)
		tolerance{0, 1e-13}.all(t, "inclusion", got, want)
	}
}

// TestSuccessiveInclusionAddsUp tests Σᵢ πᵢ = k where nothing can be enumerated, and the
// closed form for pairs: πᵢ = rᵢ + Σ_{j≠i} r_j rᵢ/(1 − r_j).
func TestSuccessiveInclusionAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 6))
	for _, k := range []int{1, 2, 3, 10, 100, 150, 298, 299, 300} {
		for _, spread := range []float64{0, 1, 5} {
			r, pi := weights(rng, 300, spread), make(tensor.Vector, 300)
			SuccessiveInclusion(pi, r, k)
			tolerance{0, 1e-13}.one(t, "sum", pi.Sum(), float64(k))
			if k == 2 {
				tolerance{0, 1e-12}.all(t, "inclusion", pi, pairsInclusion(r))
			}
		}
	}
}

func pairsInclusion(r tensor.Vector) tensor.Vector {
	total, pi := r.Sum(), make(tensor.Vector, len(r))
	for i, w := range r {
		pi[i] = w / total
		for j, first := range r {
			if j != i {
				pi[i] += first / total * w / (total - first)
			}
		}
	}
	return pi
}

func TestSuccessiveInclusionAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		r    tensor.Vector
		k    int
		want tensor.Vector
	}{
		{tensor.Vector{}, 0, tensor.Vector{}},
		{tensor.Vector{3}, 1, tensor.Vector{1}},
		{tensor.Vector{3, 0, 2}, 0, tensor.Vector{0, 0, 0}},
		{tensor.Vector{3, 0, 2}, 2, tensor.Vector{1, 0, 1}},
		{tensor.Vector{3, 0, 2}, 3, tensor.Vector{1, 0, 1}},
		{tensor.Vector{1e-300, 1, 1e-300}, 2, tensor.Vector{0.5, 1, 0.5}},
		{tensor.Vector{1e300, 1, 1}, 2, tensor.Vector{1, 0.5, 0.5}},
		{tensor.Vector{0, 2, 2, 2}, 1, tensor.Vector{0, 1. / 3, 1. / 3, 1. / 3}},
	} {
		got := make(tensor.Vector, len(c.r))
		SuccessiveInclusion(got, c.r, c.k)
		tolerance{0, 1e-13}.all(t, "inclusion", got, c.want)
	}
}

func BenchmarkSuccessiveInclusion(b *testing.B) {
	r, pi := weights(rand.New(rand.NewPCG(21, 7)), 1000, 1), make(tensor.Vector, 1000)
	for b.Loop() {
		SuccessiveInclusion(pi, r, 30)
	}
}
