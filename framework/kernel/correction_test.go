package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

// corrections are those that lack something, and one that lacks nothing.
func corrections(m *maker[float32], n int) []Correction {
	return []Correction{
		{}, {Shift: m.slice(n)}, {Anchor: m.slice(n), Pull: m.Float64()},
		{Shift: m.slice(n), Anchor: m.slice(n), Pull: m.Float64()},
	}
}

func TestCorrectionsOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float32]) []float32 {
		n := m.length()
		w, grad := m.slice(n), m.slice(n)
		for _, o := range corrections(m, n) {
			o.add(p, grad, w, -0.1)
			o.add(p, w, w, -0.1) // in place
		}
		return nil
	})
}

// A correction is its formula, element by element, and so are its parts.
func TestCorrectionsAreTheirFormula(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(8, 8))}
	const n, f = 37, -0.3
	for k, o := range corrections(m, n) {
		w, grad := m.slice(n), m.slice(n)
		want, parts := widen(grad), slices.Clone(grad)
		for i := range want {
			if o.Shift != nil {
				want[i] += f * float64(o.Shift[i])
			}
			if o.Anchor != nil {
				want[i] += f * o.Pull * (float64(w[i]) - float64(o.Anchor[i]))
			}
		}
		for lo := 0; lo < n; lo += 10 {
			hi := min(lo+10, n)
			part := o.Part(lo, hi)
			part.Add(parts[lo:hi], w[lo:hi], f)
		}
		o.Add(grad, w, f)
		close32(t, "corrected", grad, want, 1e-6)
		if !slices.Equal(parts, grad) {
			t.Errorf("correction %d: its parts make another one", k)
		}
		o.Add(w, w, f)
	}
}

// At the anchor, a proximal term changes nothing.
func TestNothingIsPulledAtTheAnchor(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(9, 9))}
	w := m.slice(100)
	was := slices.Clone(w)
	(&Correction{Anchor: was, Pull: 0.1}).Add(w, w, -0.3)
	if !slices.Equal(w, was) {
		t.Error("the anchor was pulled away from itself")
	}
}

func TestCorrectionsThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float32, 3), make([]float32, 4)
	kerneltest.Panics(t, map[string]func(){
		"parameters": func() { new(Correction).Add(x, y, 1) },
		"shift":      func() { (&Correction{Shift: y}).Add(x, x, 1) },
		"anchor":     func() { (&Correction{Anchor: y}).Add(x, x, 1) },
	})
}

func TestCorrectionsAllocateNothing(t *testing.T) {
	var x, y, z, v [64]float32
	kerneltest.None(t, func() {
		o := Correction{Shift: y[:], Anchor: z[:], Pull: 0.1}
		part := o.Part(0, 32)
		part.Add(x[:32], v[:32], 0.1)
		o.Add(x[:], x[:], -0.1)
	})
}
