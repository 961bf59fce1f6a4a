package kernel

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

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

// Rows that are apart give the same bits as rows that are not.
func TestStridesDoNotShow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 300 {
		m, n := rng.IntN(40), rng.IntN(100)
		stride := n + rng.IntN(9)
		a, x, y := random(rng, m*n), random(rng, n), random(rng, m)
		apart := random(rng, m*stride)
		for i := range m {
			copy(apart[i*stride:], a[i*n:][:n])
		}
		want, got := make([]float64, m), make([]float64, m)
		Gemv(want, a, x)
		GemvStrided(got, apart, stride, x)
		wantT, gotT := append([]float64(nil), x...), append([]float64(nil), x...)
		GemvT(wantT, a, y)
		GemvTStrided(gotT, apart, stride, y)
		if err := errors.Join(sameBits(got, want), sameBits(gotT, wantT)); err != nil {
			t.Fatalf("%d×%d, %d apart: %v", m, n, stride, err)
		}
	}
}

func TestMatricesOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		rows, cols := m.IntN(30), m.length()
		stride := cols + m.IntN(9)
		a, x, y := m.slice(rows*stride), m.slice(cols), m.slice(rows)
		gemv(p, y, a, stride, x)
		gemvT(p, x, a, stride, y)
		return nil
	})
}

func TestFusedPassesOnAllPaths(t *testing.T) {
	samePaths(t, 1500, func(p path, m *maker[float64]) []float64 {
		rows, cols := m.length(), m.length()
		x, y, w, grad := m.slice(rows*cols), m.slice(rows), m.slice(cols), m.slice(cols)
		model := linearModel{grad, w, m.number(), 0.5, false}
		square := learn(p, &model, Samples{x, y})
		model.logistic = true
		logistic := learn(p, &model, Samples{x, y})
		mass := m.slice(rows)
		sinkhorn(p, y, grad, x, [2][]float64{w, mass})
		whole := cols &^ 7 // the fewer columns that fill registers
		sinkhorn(p, y, grad[:whole], x[:rows*whole], [2][]float64{w[:whole], mass})
		return []float64{square, logistic}
	})
}

// TestGradientsOfLinearModels compares with naive loops.
func TestGradientsOfLinearModels(t *testing.T) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(11, 11))}
	for range 300 {
		rows, cols := m.length(), m.length()
		x, y, w, grad := m.slice(rows*cols), m.slice(rows), m.slice(cols), m.slice(cols)
		bias, scale := m.number(), m.number()
		want, wantL := append([]float64(nil), grad...), append([]float64(nil), grad...)
		gradL, sum, sumL := append([]float64(nil), grad...), 0.0, 0.0
		for i := range y {
			product := bias
			for k := range w {
				product += x[i*cols+k] * w[k]
			}
			r, rL := scale*(product-y[i]), scale*(1/(1+math.Exp(-product))-y[i])
			sum, sumL = sum+r, sumL+rL
			for k := range w {
				want[k] += r * x[i*cols+k]
				wantL[k] += rL * x[i*cols+k]
			}
		}
		got := LeastSquares(grad, w, Samples{x, y}, bias, scale)
		gotL := Logistic(gradL, w, Samples{x, y}, bias, scale)
		size := float64(1 + rows)
		near(t, "sums", []float64{got / size, gotL / size}, []float64{sum / size, sumL / size})
		for k := range grad {
			grad[k], want[k] = grad[k]/(size*10), want[k]/(size*10)
			gradL[k], wantL[k] = gradL[k]/size, wantL[k]/size
		}
		near(t, "LeastSquares", grad, want)
		near(t, "Logistic", gradL, wantL)
	}
}

func TestLogisticDoesNotOverflow(t *testing.T) {
	inf := math.Inf(1)
	for _, p := range usable() {
		chance := []float64{-inf, -1e4, -800, 0, 800, inf}
		sigmoid(p, chance)
		for i, want := range []float64{0, 0, 0, 0.5, 1, 1} {
			if chance[i] != want {
				t.Errorf("%v: probability %d is %v, want %v", p, i, chance[i], want)
			}
		}
	}
}

// TestSinkhornReachesBothMarginals iterates on a random problem.
func TestSinkhornReachesBothMarginals(t *testing.T) {
	m := &maker[float64]{Rand: rand.New(rand.NewPCG(12, 12))}
	const rows, cols = 83, 130
	k, a, b := m.slice(rows*cols), m.slice(rows), m.slice(cols)
	for i := range k {
		k[i] = math.Exp(-m.Float64())
	}
	for i := range a {
		a[i] = 1.0 / rows
	}
	u, ktu, v := m.slice(rows), m.slice(cols), m.slice(cols)
	for j := range b {
		b[j], v[j] = 1.0/cols, 1
	}
	for range 50 {
		Sinkhorn(u, ktu, k, v, a)
		for j := range v {
			v[j] = b[j] / ktu[j]
		}
	}
	gotA, gotB := make([]float64, rows), make([]float64, cols)
	for i := range rows {
		for j := range cols {
			mass := u[i] * k[i*cols+j] * v[j]
			gotA[i] += mass
			gotB[j] += mass
		}
	}
	near(t, "row sums", gotA, a)
	near(t, "column sums", gotB, b)
}

func TestMatricesThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	kerneltest.Panics(t, map[string]func(){
		"Gemv":               func() { Gemv(y, make([]float64, 13), x) },
		"GemvT":              func() { GemvT(y, make([]float64, 13), x) },
		"LeastSquares":       func() { LeastSquares(x, y, Samples{make([]float64, 8), x[:2]}, 0, 1) },
		"Logistic":           func() { Logistic(x, x, Samples{make([]float64, 8), x[:2]}, 0, 1) },
		"Sinkhorn":           func() { Sinkhorn(x, y, make([]float64, 12), y, y) },
		"Sinkhorn, marginal": func() { Sinkhorn(x, x, make([]float64, 12), y, x) },
	})
}

func TestMatricesAllocateNothing(t *testing.T) {
	var a [600]float64
	var x, w, grad [20]float64
	var y, u [30]float64
	kerneltest.None(t, func() {
		Gemv(y[:], a[:], x[:])
		GemvT(x[:], a[:], y[:])
		LeastSquares(grad[:], w[:], Samples{a[:], y[:]}, 0, 1)
		Logistic(grad[:], w[:], Samples{a[:], y[:]}, 0, 1)
		Sinkhorn(u[:], grad[:], a[:], w[:], y[:])
	})
}
