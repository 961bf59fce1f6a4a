package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestSecularAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 300 {
		n := 8 * rng.IntN(20)
		d, z, got := random(rng, n), random(rng, n), make([]float64, n)
		for i := range z {
			z[i] = max(z[i], -z[i])
			d[i] *= 10
		}
		origin, tau := rng.NormFloat64(), rng.NormFloat64()/100
		delta, size := make([]float64, n), 1.0
		var want [4]float64
		for i := range d {
			delta[i] = d[i] - origin - tau
			ratio, side := z[i]/delta[i], 0
			if ratio > 0 {
				side = 2
			}
			want[side] += ratio * z[i]
			want[side+1] += ratio * ratio
			size += ratio*ratio + max(ratio, -ratio)*z[i]
		}
		sums := Secular(got, d, z, origin, tau)
		near(t, "delta", got, delta)
		for k := range sums {
			sums[k], want[k] = sums[k]/size, want[k]/size
		}
		near(t, "sums", sums[:], want[:])
	}
}

func TestSymvAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	for range 200 {
		n := 8 * rng.IntN(10)
		stride := n + rng.IntN(9)
		a, x := random(rng, n*stride), random(rng, n)
		want, got := make([]float64, n), random(rng, n)
		for i := range n {
			for j := range n {
				switch row := a[i*stride:]; {
				case j < i:
					want[i] += row[j] * x[j]
					want[j] += row[j] * x[i]
				case j == i:
					want[i] += row[i] * x[i]
				case j < i|7+1:
					row[j] = a[j*stride+i]
				default:
					row[j] = 1e300 // it is not read
				}
			}
		}
		Symv(got, a, stride, x)
		near(t, "Symv", got, want)
	}
}

func TestEigenKernelsOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		n := 8 + 8*m.IntN(20)
		sums, delta, d, z := m.slice(4), m.slice(n), m.slice(n), m.slice(n)
		secular64(p, sums, delta, d, z, m.slice(2))
		n = 8 * m.IntN(8)
		stride := n + m.IntN(9)
		symv(p, m.slice(n), m.slice(n*stride), stride, m.slice(n))
		return nil
	})
}

func TestEigenKernelsOfOtherLengthsPanic(t *testing.T) {
	x, y := make([]float64, 8), make([]float64, 9)
	kerneltest.Panics(t, map[string]func(){
		"Secular":           func() { Secular(y, y, y, 0, 0) },
		"Secular, d":        func() { Secular(x, y, x, 0, 0) },
		"Secular, z":        func() { Secular(x, x, y, 0, 0) },
		"Symv":              func() { Symv(y, make([]float64, 81), 9, y) },
		"Symv, dst":         func() { Symv(y, make([]float64, 64), 8, x) },
		"Symv, matrix":      func() { Symv(x, make([]float64, 63), 8, make([]float64, 8)) },
		"Symv, stride":      func() { Symv(x, make([]float64, 64), 7, make([]float64, 8)) },
		"GemvStrided":       func() { GemvStrided(x, make([]float64, 78), 10, y) },
		"GemvStrided, less": func() { GemvStrided(x, make([]float64, 99), 8, y) },
		"GemvTStrided":      func() { GemvTStrided(y, make([]float64, 78), 10, x) },
	})
}

func TestEigenKernelsAllocateNothing(t *testing.T) {
	var x, y, z [16]float64
	var a [256]float64
	kerneltest.None(t, func() {
		Secular(x[:], y[:], z[:], 0, 1)
		Symv(x[:], a[:], 16, y[:])
		GemvStrided(x[:12], a[:], 20, y[:])
		GemvTStrided(x[:], a[:], 20, y[:12])
	})
}
