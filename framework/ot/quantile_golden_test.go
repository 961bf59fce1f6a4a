package ot_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

func TestQuantileGolden(t *testing.T) {
	count := 0
	for _, g := range readGolden(t, "barycenter.json") {
		var in struct {
			Samples []tensor.Vector
			X, Y    tensor.Vector
			Weights tensor.Vector
		}
		g.inputs(t, &in)
		if in.X != nil {
			in.Samples = []tensor.Vector{in.X, in.Y}
		}
		if in.Samples == nil {
			continue
		}
		count++
		var ls []ot.Line
		for _, x := range in.Samples {
			ls = append(ls, sample(x))
		}
		b := between(t, in.Weights, ls...)
		ends, end := b.Mass.Clone(), 0.0
		for i := range ends {
			end += ends[i]
			ends[i] = end
		}
		for key := range g.Expected {
			g.check(t, key, map[string]any{"barycenter_samples": b.At, "barycenter_values": b.At,
				"atom_masses": b.Mass, "right_breakpoints": ends,
				"objective": dispersion(t, in.Weights, ls, b)}[key])
		}
	}
	if count != 2 {
		t.Errorf("%d cases, want 2", count)
	}
}

// TestOnSupportOrNot brackets the exact barycenter on a fixed support, a linear programme: without
// the support there is a better one, and the blurred one on it costs at most 2λ·log n more.
func TestOnSupportOrNot(t *testing.T) {
	for _, g := range readGolden(t, "barycenter.json") {
		var in struct {
			Support, Weights tensor.Vector
			Histograms       []tensor.Vector
		}
		if g.inputs(t, &in); in.Support == nil {
			continue
		}
		var ls []ot.Line
		for _, mass := range in.Histograms {
			ls = append(ls, ot.Line{At: in.Support, Mass: mass})
		}
		n, best := len(in.Support), g.Expected["objective"].(float64)
		free := dispersion(t, in.Weights, ls, between(t, in.Weights, ls...))
		if !(free < best) {
			t.Errorf("%v without a support, %v with it", free, best)
		}
		for _, lambda := range []float64{0.03, 0.01, 0.003} {
			m := mixture{ot.SquaredGrid(1, n), in.Weights, stack(in.Histograms...)}
			b := ot.Line{At: in.Support, Mass: mixed(t, m, lambda).Mass}
			got := dispersion(t, in.Weights, ls, b)
			if !(got > best-1e-9 && got < best+2*lambda*math.Log(float64(n))) {
				t.Errorf("λ = %g: %v, but the best is %v", lambda, got, best)
			}
		}
		return
	}
	t.Error("there is no such case")
}

// TestColourGolden has what solvers do for the alignment of colours.
func TestColourGolden(t *testing.T) {
	cases := readGolden(t, "colour_alignment.json")
	if len(cases) != 3 {
		t.Errorf("%d cases, want 3", len(cases))
	}
	for _, g := range cases {
		var in struct {
			Levels  tensor.Vector
			Source  tensor.Vector     `json:"source_histogram"`
			Target  tensor.Vector     `json:"target_histogram"`
			Samples [][]tensor.Vector `json:"channel_samples"`
			Pixels  []tensor.Vector   `json:"source_pixels"`
			Reg     float64           `json:"barycenter_reg"`
			Lambda  float64           `json:"transport_reg"`
		}
		g.inputs(t, &in)
		if in.Levels != nil {
			a, b := ot.Line{At: in.Levels, Mass: in.Source}, ot.Line{At: in.Levels, Mass: in.Target}
			p, e, cost := haulOf(t, a, b)
			g.check(t, "plan", rowsOf(planOf(e, p)))
			g.check(t, "cost", cost)
			g.check(t, "mapped_levels", moved(t, a, b))
			continue
		}
		n := len(in.Pixels)
		target := tensor.NewMatrix(n, len(in.Samples[0]))
		for c := range target.Cols {
			m := mixture{on: ot.SquaredGrid(1, n), w: even(len(in.Samples))}
			m.a = tensor.NewMatrix(len(in.Samples), n)
			for k, channels := range in.Samples {
				m.a.Row(k).AddScaled(1/channels[c].Sum(), channels[c])
			}
			for i, x := range mixed(t, m, in.Reg).Mass {
				target.Row(i)[c] = x
			}
		}
		g.check(t, "target_points", rowsOf(target))
		p := ot.Transport{Cost: tensor.NewMatrix(n, n), A: even(n), B: even(n)}
		for i, x := range in.Pixels {
			for j := range n {
				d := x.Distance(target.Row(j))
				p.Cost.Row(i)[j] = d * d
			}
		}
		e := &ot.Entropic{Lambda: in.Lambda, Epsilon: 1e-12, MaxSweeps: 10_000}
		if !e.Solve(p).Converged {
			t.Errorf("%s: no plan", g.Name)
		}
		plan, to := planOf(e, p), tensor.NewMatrix(n, target.Cols)
		g.check(t, "plan", rowsOf(plan))
		for i := range n {
			plan.Row(i).Scale(float64(n))
		}
		tensor.Mul(to, plan, target)
		g.check(t, "mapped_source_pixels", rowsOf(to))
	}
}
