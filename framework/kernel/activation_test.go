package kernel

import (
	"math"
	"testing"
)

func TestActivationsOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float32]) []float32 {
		x := m.slice(m.length())
		stretchOut(x, 20)
		y, slope := m.slice(len(x)), m.slice(len(x))
		curve32(p, y, x, 2, 2, -1)
		gelu32(p, y, slope, x)
		gelu32(p, y, slope, slope)
		curve32(p, x, x, 1, 1, 0)
		return nil
	})
}

func TestActivationsAgainstTheMathPackage(t *testing.T) {
	var x []float32
	for v := -100.0; v <= 100; v += 0.0037 {
		x = append(x, float32(v))
	}
	x = append(x, 0, float32(math.Inf(1)), -1e30, 1e-20)
	y, slope := make([]float32, len(x)), make([]float32, len(x))
	check := func(name string, got []float32, most float64, want func(x float64) float64) {
		t.Helper()
		for i, v := range x {
			if w := want(float64(v)); !(math.Abs(float64(got[i])-w) <= most*max(1, math.Abs(w))) {
				if !(math.IsInf(w, 1) && math.IsInf(float64(got[i]), 1)) {
					t.Fatalf("%s of %v is %v, want %v", name, v, got[i], w)
				}
			}
		}
	}
	Sigmoid32(y, x)
	check("sigmoid", y, 2e-7, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })
	Tanh32(y, x)
	check("tanh", y, 3e-7, math.Tanh)
	x = x[:len(x)-3] // ∞·0
	y, slope = y[:len(x)], slope[:len(x)]
	GELU32(y, slope, x)
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	check("gelu", y, 3e-7, func(x float64) float64 { return x * normal(x) })
	check("slope of gelu", slope, 5e-7, func(x float64) float64 {
		return normal(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	})
	nan := []float32{float32(math.NaN())}
	for _, f := range []func(dst, x []float32){Sigmoid32, Tanh32,
		func(dst, x []float32) { GELU32(dst, slope[:1], x) }} {
		if f(y[:1], nan); y[0] == y[0] {
			t.Errorf("a NaN became %v", y[0])
		}
	}
}
