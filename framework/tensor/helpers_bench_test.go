package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// BenchmarkHelpers measures helpers beside plain loops, on 400,000 coordinates and ten vectors.
func BenchmarkHelpers(b *testing.B) {
	const k, n = 10, 400_000
	rng := rand.New(rand.NewPCG(37, 1))
	xs, w := make([][]float64, k), make(tensor.Vector, k)
	for i := range xs {
		v := make(tensor.Vector, n)
		v.AddNoise(1, rng)
		xs[i] = v
	}
	w.Fill(1. / k)
	dst, mask := make(tensor.Vector, n), tensor.Vector(xs[1])
	x, y := tensor.Vector(xs[2]), tensor.Vector(xs[3])
	for _, c := range []struct {
		name   string
		helper func()
		loop   func(i int)
	}{
		{"Above", func() { copy(dst, x); dst.Above(0) }, func(i int) {
			dst[i] = 0
			if x[i] > 0 {
				dst[i] = 1
			}
		}},
		{"Select", func() { tensor.Select(dst, mask, x, y) }, func(i int) {
			dst[i] = x[i]
			if mask[i] == 0 {
				dst[i] = y[i]
			}
		}},
		{"Max", func() { dst.Max(x) }, func(i int) { dst[i] = max(dst[i], x[i]) }},
		{"Exp", func() { copy(dst, x); dst.Exp() }, func(i int) { dst[i] = math.Exp(x[i]) }},
		{"AddProduct", func() { dst.AddProduct(.1, x, y) }, func(i int) { dst[i] += .1 * x[i] * y[i] }},
		{"AddSquares", func() { clear(dst); dst.AddSquares(w, xs, y) }, func(i int) {
			dst[i] = 0
			for k, x := range xs {
				dst[i] += w[k] * (x[i] - y[i]) * (x[i] - y[i])
			}
		}},
		{"AddSigns", func() { clear(dst); dst.AddSigns(w, xs, y) }, func(i int) {
			dst[i] = 0
			for k, x := range xs {
				if x[i] > y[i] {
					dst[i] += w[k]
				} else if x[i] < y[i] {
					dst[i] -= w[k]
				}
			}
		}},
		{"Quantile", func() { tensor.Quantile(dst, xs, 0.3) }, func(i int) {
			dst[i] = type7(ascending(xs, i), 0.3)
		}},
		{"MeanAround", func() { tensor.MeanAround(dst, xs, y, 6) }, func(i int) {
			dst[i] = nearest(ascending(xs, i), y[i], 6)
		}},
	} {
		b.Run(c.name+"/helper", func(b *testing.B) {
			for b.Loop() {
				c.helper()
			}
		})
		b.Run(c.name+"/loop", func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					c.loop(i)
				}
			}
		})
	}
	b.Run("TopK/helper", func(b *testing.B) {
		for b.Loop() {
			copy(dst, x)
			dst.TopK(n / 100)
		}
	})
	b.Run("TopK/sorted", func(b *testing.B) {
		for b.Loop() {
			copy(dst, x)
			dst.Abs()
			slices.Sort(dst)
		}
	})
}
