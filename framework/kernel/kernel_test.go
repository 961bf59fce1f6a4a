package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestGemvAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, n := rng.IntN(40), rng.IntN(100)
		a, x, y := random(rng, m*n), random(rng, n), random(rng, m)
		want, wantT := make([]float64, m), random(rng, n)
		gotT := append([]float64(nil), wantT...)
		for i := range m {
			for k := range n {
				want[i] += a[i*n+k] * x[k]
				wantT[k] += a[i*n+k] * y[i]
			}
		}
		got := random(rng, m)
		Gemv(got, a, x)
		near(t, "Gemv", got, want)
		GemvT(gotT, a, y)
		near(t, "GemvT", gotT, wantT)
	}
}

func TestWeightedSumAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		k, n := rng.IntN(11), rng.IntN(3000)
		w, dst := random(rng, k), random(rng, n)
		want := append([]float64(nil), dst...)
		xs := make([][]float64, k)
		for j := range xs {
			xs[j] = random(rng, n)
			for i := range want {
				want[i] += w[j] * xs[j][i]
			}
		}
		WeightedSum(dst, w, xs)
		near(t, "WeightedSum", dst, want)
	}
}

func TestFiniteFindsEveryBadElement(t *testing.T) {
	for n := range 20 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.MaxFloat64
		}
		if !Finite(x) {
			t.Fatalf("%d finite elements were called not finite", n)
		}
		for i := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				keep := x[i]
				x[i] = bad
				if Finite(x) {
					t.Fatalf("%v at %d of %d went unseen", bad, i, n)
				}
				x[i] = keep
			}
		}
	}
}

func TestKernelsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a, x, y := random(rng, 400), random(rng, 20), make([]float64, 20)
	xs := [][]float64{x, y, x, y, x}
	if n := testing.AllocsPerRun(10, func() {
		Gemv(y, a, x)
		GemvT(y, a, x)
		WeightedSum(y, x[:5], xs)
		Finite(a)
	}); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
