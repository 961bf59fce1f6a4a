package local_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/framework/fl"
)

// contrastOf returns the penalty of MOON.
func contrastOf(t *testing.T, mu, temperature float64) fl.FeaturePenalty {
	t.Helper()
	p := fl.NewParams(map[string]any{"mu": mu, "temperature": temperature, "lr": 0.1},
		fl.Setting{Clients: 1}, nil)
	r, err := local.MOON.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return r.(fl.FeaturePenalty)
}

// The contrast is Equation 3 times μ, and its gradient that of it.
//
//hansa:verifies theorem local/moon
func TestContrastIsItsFormula(t *testing.T) {
	const n, mu, temperature = 5, 0.7, 0.5
	c, rng := contrastOf(t, mu, temperature), rand.New(rand.NewPCG(1, 2))
	var beside [2]fl.Matrix
	for k := range beside {
		beside[k] = fl.NewMatrix(3, n)
		for i := range beside[k].Data {
			beside[k].Data[i] = rng.NormFloat64()
		}
	}
	clear(beside[1].Row(2)) // features that are all 0 are like nothing
	for row := range 3 {
		z, grad, trash := make(fl.Vector, n), make(fl.Vector, n), make(fl.Vector, n)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		ask := func(z, grad fl.Vector) float64 {
			return c.Penalise(&fl.PenaltyInput{Features: z, Grad: grad, Row: row, Beside: &beside})
		}
		global, last := fl.Vector(beside[0].Row(row)), fl.Vector(beside[1].Row(row))
		near := math.Exp(z.Cosine(global) / temperature)
		want := -mu * math.Log(near/(near+math.Exp(z.Cosine(last)/temperature)))
		if got := ask(z, grad); math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", row, got, want)
		}
		for i := range z {
			const h = 1e-6
			up, down := z.Clone(), z.Clone()
			up[i] += h
			down[i] -= h
			if slope := (ask(up, trash) - ask(down, trash)) / (2 * h); math.Abs(slope-grad[i]) > 1e-8 {
				t.Errorf("row %d, element %d: %v, the slope is %v", row, i, grad[i], slope)
			}
		}
	}
}

// Of one model twice, and of features that are all 0, there is nothing to contrast.
func TestNothingToContrast(t *testing.T) {
	c := contrastOf(t, 2, 0.5)
	same := fl.Matrix{Rows: 1, Cols: 2, Data: []float64{3, -1}}
	for _, z := range []fl.Vector{{1, 2}, {0, 0}} {
		grad := fl.Vector{7, 7}
		value := c.Penalise(&fl.PenaltyInput{Features: z, Grad: grad, Beside: &[2]fl.Matrix{same, same}})
		if math.Abs(value-2*math.Log(2)) > 1e-12 || grad.Norm() > 1e-15 {
			t.Errorf("of %v: %v, gradient %v", z, value, grad)
		}
	}
}
