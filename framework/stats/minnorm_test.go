package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// vectors returns n vectors of d numbers, and their inner products.
func vectors(rng *rand.Rand, n, d int) (g, gram tensor.Matrix) {
	g, gram = tensor.NewMatrix(n, d), tensor.NewMatrix(n, n)
	for k := range g.Data {
		g.Data[k] = rng.NormFloat64()
	}
	for i := range n {
		for j := range n {
			gram.Row(i)[j] = g.Row(i).Dot(g.Row(j))
		}
	}
	return g, gram
}

// The certificate of shortest combinations is near the precision of floats, for vectors that are
// independent, many more than dimensions, equal, or nearly so; weights keep to their bounds.
func TestMinNormIsCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var m stats.MinNorm
	for trial := range 400 {
		n, d := 1+rng.IntN(40), 1+rng.IntN(60)
		g, gram := vectors(rng, n, d)
		if trial%4 == 1 { // nearly the same
			for i := range n {
				g.Row(i).Scale(1e-4)
				g.Row(i)[0]++
			}
		}
		if trial%4 == 2 && n > 1 {
			copy(g.Row(1), g.Row(0))
		}
		for i := range n {
			for j := range n {
				gram.Row(i)[j] = g.Row(i).Dot(g.Row(j))
			}
		}
		eps, low, high := 1.0, make(tensor.Vector, n), make(tensor.Vector, n)
		if trial%3 > 0 {
			eps = rng.Float64() / float64(n)
		}
		for i := range n {
			low[i], high[i] = max(0, 1/float64(n)-eps), min(1, 1/float64(n)+eps)
		}
		lambda := make(tensor.Vector, n)
		gap := m.Solve(lambda, gram, low, high)
		if !(gap <= 1e-12) || math.Abs(lambda.Sum()-1) > 1e-12 {
			t.Errorf("trial %d, %d×%d: gap %v, weights sum to %v", trial, n, d, gap, lambda.Sum())
		}
		for i, x := range lambda {
			if x < low[i]-1e-12 || x > high[i]+1e-12 {
				t.Errorf("trial %d: weight %v is not from %v to %v", trial, x, low[i], high[i])
			}
		}
	}
}

// The shortest combination of two vectors is the foot of a perpendicular, or an end.
func TestMinNormOfTwo(t *testing.T) {
	var m stats.MinNorm
	for _, c := range []struct {
		g, lambda tensor.Vector
	}{
		{tensor.Vector{1, 0, 0, 1}, tensor.Vector{0.5, 0.5}},
		{tensor.Vector{1, 0, 0, 2}, tensor.Vector{0.8, 0.2}},
		{tensor.Vector{1, 0, 2, 1}, tensor.Vector{1, 0}},
		{tensor.Vector{1, 1, -1, -1}, tensor.Vector{0.5, 0.5}},
	} {
		g := tensor.Matrix{Rows: 2, Cols: 2, Data: c.g}
		gram := tensor.NewMatrix(2, 2)
		for k := range gram.Data {
			gram.Data[k] = g.Row(k / 2).Dot(g.Row(k % 2))
		}
		lambda := make(tensor.Vector, 2)
		m.Solve(lambda, gram, make(tensor.Vector, 2), tensor.Vector{1, 1})
		if lambda.Distance(c.lambda) > 1e-15 {
			t.Errorf("of %v: %v, want %v", c.g, lambda, c.lambda)
		}
	}
}

// A second problem takes no memory.
func TestMinNormAllocatesNothing(t *testing.T) {
	var m stats.MinNorm
	_, gram := vectors(rand.New(rand.NewPCG(5, 6)), 12, 20)
	lambda, low, high := make(tensor.Vector, 12), make(tensor.Vector, 12), make(tensor.Vector, 12)
	high.Fill(0.2)
	solve := func() { m.Solve(lambda, gram, low, high) }
	solve()
	if n := testing.AllocsPerRun(5, solve); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
