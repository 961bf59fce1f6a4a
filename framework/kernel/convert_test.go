package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestConversionsOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		n := m.length()
		single, x := make([]float32, n+3), m.slice(n)
		narrow(p, single[1:1+n], x)
		sum := make([]float32, n+3)
		narrowSum(p, sum[2:2+n], x, m.number(), m.slice(n))
		now := make([]float32, n)
		for i := range now {
			now[i] = float32(m.number())
		}
		moved(p, x, now)
		single = append(single, sum...)
		out := make([]float64, len(single))
		for i, v := range single {
			out[i] = float64(v)
		}
		return out
	})
}

// A copy in float32 that stands still moves nothing, and one that moves a step moves what
// it is a copy of by that step, but for one rounding.
func TestMoved(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	x := random(rng, 1003)
	before, now := append([]float64(nil), x...), make([]float32, len(x))
	Narrow(now, x)
	Moved(x, now)
	if err := sameBits(x, before); err != nil {
		t.Fatalf("nothing moved, but %v", err)
	}
	for i := range now {
		now[i] += 0.125
	}
	step := make([]float64, len(x))
	for i := range step {
		step[i] = float64(now[i]) - float64(float32(before[i]))
	}
	Moved(x, now)
	for i := range x {
		if off := math.Abs(x[i] - before[i] - step[i]); off > 1e-15 {
			t.Fatalf("element %d moved by %g instead of %g", i, x[i]-before[i], step[i])
		}
	}
}

// Bytes are divided as they are in Go, by every path and for any length.
func TestQuotientsOnAllPaths(t *testing.T) {
	samePaths(t, 300, func(p path, m *maker[float64]) []float64 {
		n := m.length()
		x, dst := make([]uint8, n+1), make([]float32, n+2)
		for i := range x {
			x[i] = uint8(i*i + n)
		}
		by := float32(1 + n%300)
		quotients(p, dst[1:1+n], x[1:], by)
		out := []float64{float64(dst[0]), float64(dst[n+1])}
		for i, v := range x[1:] {
			if got := dst[1+i]; got != float32(v)/by {
				t.Fatalf("%d/%v is %v", v, by, got)
			}
			out = append(out, float64(dst[1+i]))
		}
		return out
	})
}
