package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestVectorsOnAllPaths(t *testing.T) {
	const times = 3000
	samePathsOfBoth(t, times,
		func(p path, m *maker[float32]) []float32 {
			n := m.length()
			y, z := m.slice(n), m.slice(n)
			axpy32(p, y, m.number(), z)
			scale32(p, z, m.number())
			return nil
		},
		func(p path, m *maker[float64]) []float64 {
			n, k := m.length(), m.IntN(11)
			w, xs := m.slice(k), vectorsOf(m, k, n)
			x, y, z := m.slice(n), m.slice(n), m.slice(n)
			weightedSum64(p, x, w, xs)
			axpy64(p, y, m.number(), z)
			scale64(p, z, m.number())
			return []float64{dot64(p, y, z)}
		})
}

func TestLongSumsOnAllPaths(t *testing.T) {
	samePaths(t, 3, func(p path, m *maker[float64]) []float64 {
		n := 2*stretch + m.length()
		w, xs := m.slice(5), vectorsOf(m, 5, n)
		weightedSum64(p, m.slice(n), w, xs)
		return nil
	})
}

func vectorsOf[T float](m *maker[T], k, n int) (xs [][]T) {
	for range k {
		xs = append(xs, m.slice(n))
	}
	return xs
}

func TestWeightedSumAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		k, n := rng.IntN(11), rng.IntN(3000)
		if i%50 == 0 {
			k, n = 7, 2*stretch+n
		}
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

func TestVectorsAgainstNaiveLoops(t *testing.T) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(2, 2))}
	for range 300 {
		n := m.length()
		x, y, alpha := m.slice(n), m.slice(n), m.number()
		sum, size, added := 0.0, 0.0, make([]float64, n)
		for i := range x {
			sum += x[i] * y[i]
			size += math.Abs(x[i] * y[i])
			added[i] = y[i] + alpha*x[i]
		}
		near(t, "Dot", []float64{Dot(x, y) / (1 + size)}, []float64{sum / (1 + size)})
		Axpy(y, alpha, x)
		near(t, "Axpy", y, added)
		for i := range x {
			added[i] *= alpha
		}
		Scale(y, alpha)
		near(t, "Scale", y, added)
	}
}

func TestVectors32AreThoseOf64Rounded(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(3, 3))}
	for range 300 {
		n := m.length()
		x, y, alpha := m.slice(n), m.slice(n), m.number()
		x64, y64 := widen(x), widen(y)
		Axpy32(y, alpha, x)
		Axpy(y64, float64(alpha), x64)
		close32(t, "Axpy32", y, y64, 1e-6)
		Scale32(y, alpha)
		Scale(y64, float64(alpha))
		close32(t, "Scale32", y, y64, 1e-6)
	}
}

func TestASumOfZerosIsPositive(t *testing.T) {
	zero := math.Copysign(0, -1)
	for n := range 70 {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = 5e-324, zero
		}
		for _, p := range usable() {
			if sum := dot64(p, x, y); sum != 0 || math.Signbit(sum) {
				t.Fatalf("%v: the sum of %d zeros is %v", p, n, sum)
			}
		}
	}
}

func TestVectorsThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	x32, y32 := make([]float32, 3), make([]float32, 4)
	kerneltest.Panics(t, map[string]func(){
		"Axpy":                 func() { Axpy(x, 1, y) },
		"Axpy32":               func() { Axpy32(x32, 1, y32) },
		"Dot":                  func() { Dot(y, x) },
		"WeightedSum, vectors": func() { WeightedSum(x, y[:2], [][]float64{x, y}) },
		"WeightedSum, weights": func() { WeightedSum(x, y, [][]float64{x}) },
	})
}

func TestVectorsAllocateNothing(t *testing.T) {
	var x, y [50]float64
	var x32, y32 [50]float32
	xs := [][]float64{x[:], x[:], x[:], x[:], x[:]}
	kerneltest.None(t, func() {
		Axpy(x[:], Dot(x[:], y[:]), y[:])
		Axpy32(x32[:], 3, y32[:])
		WeightedSum(y[:], x[:5], xs)
		Scale(x[:], 2)
		Scale32(x32[:], 2)
		Finite(x[:])
	})
}
