package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

func TestRulesOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		n := m.length()
		x, y := m.slice(n), m.slice(n)
		before := gap64(p, x, y)
		exchange64(p, x, y)
		return []float64{before, gap64(p, x, y)}
	})
}

// What does not compare, or compares equal, stays to the bit.
func TestExchangeOrdersPairs(t *testing.T) {
	zero, nan := math.Copysign(0, -1), math.NaN()
	some := []float64{1, -1, 0, zero, nan, math.Inf(1), math.Inf(-1), 5e-324, math.MaxFloat64}
	var x, y, low, high []float64
	for _, a := range some {
		for _, b := range some {
			x, y = append(x, a), append(y, b)
			if b < a {
				a, b = b, a
			}
			low, high = append(low, a), append(high, b)
		}
	}
	for _, p := range usable() {
		a, b := append([]float64(nil), x...), append([]float64(nil), y...)
		exchange64(p, a, b)
		for _, pair := range [][2][]float64{{a, low}, {b, high}} {
			if err := sameBits(pair[0], pair[1]); err != nil {
				t.Errorf("%v: %v", p, err)
			}
		}
	}
}

func TestSquaredDistanceAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for range 300 {
		n := rng.IntN(200)
		x, y, want := random(rng, n), random(rng, n), 0.0
		for i := range x {
			want += (x[i] - y[i]) * (x[i] - y[i])
		}
		near(t, "SquaredDistance", []float64{SquaredDistance(x, y)}, []float64{want})
		if own := SquaredDistance(x, x); own != 0 {
			t.Errorf("the distance of a vector from itself is %v", own)
		}
	}
}

func TestAlignedBeginsAtACacheLine(t *testing.T) {
	room := make([]float64, 40)
	for from := range 9 {
		x := Aligned(room[from:])
		if at := uintptr(unsafe.Pointer(&x[0])) % 64; at != 0 || len(x) < 40-from-7 {
			t.Errorf("%d elements from %d bytes behind a line on", len(x), at)
		}
		if &x[len(x)-1] != &room[39] {
			t.Error("it is not the end of what was given")
		}
	}
	for n := range 9 {
		Aligned(room[1:][:n])
	}
}

func TestRulesWantWhatFits(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	kerneltest.Panics(t, map[string]func(){
		"Exchange":        func() { Exchange(x, y) },
		"SquaredDistance": func() { SquaredDistance(x, y) },
	})
	kerneltest.None(t, func() {
		Exchange(x, y[:3])
		SquaredDistance(x, y[:3])
	})
}
