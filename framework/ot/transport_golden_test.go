package ot_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A haulage is a case of the golden files of transport.
type haulage struct {
	A, B, X, Y tensor.Vector
	C          []tensor.Vector
	Lambda     float64
	Power      float64
	Halves     int `json:"half_steps"`
}

// problem returns the case as a problem. On a line, masses that are not given are uniform and
// costs are a power of distances.
func (h haulage) problem(t *testing.T) ot.Transport {
	t.Helper()
	for _, x := range h.X {
		row := make(tensor.Vector, len(h.Y))
		for j, y := range h.Y {
			row[j] = math.Pow(math.Abs(x-y), h.Power)
		}
		h.C = append(h.C, row)
	}
	p := ot.Transport{A: h.A, B: h.B}
	if p.A == nil {
		p.A, p.B = even(len(h.X)), even(len(h.Y))
	}
	p.Cost = tensor.Matrix{Rows: len(h.C), Cols: len(h.C[0]), Data: slices.Concat(plain(h.C)...)}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func plain(rows []tensor.Vector) (list [][]float64) {
	for _, row := range rows {
		list = append(list, row)
	}
	return list
}

// rowsOf returns the rows of a matrix as JSON has them.
func rowsOf(m tensor.Matrix) (rows []tensor.Vector) {
	for i := range m.Rows {
		rows = append(rows, m.Row(i))
	}
	return rows
}

// gibbs returns the plan exp((fᵢ + gⱼ − Cᵢⱼ)/λ).
func gibbs(f, g tensor.Vector, c tensor.Matrix, lambda float64) tensor.Matrix {
	plan := tensor.NewMatrix(c.Rows, c.Cols)
	for i := range f {
		for j := range g {
			plan.Row(i)[j] = math.Exp((f[i] + g[j] - c.Row(i)[j]) / lambda)
		}
	}
	return plan
}

// blur returns ⟨T, C⟩ + λ Σ T(log T − 1).
func blur(plan tensor.Matrix, p ot.Transport, lambda float64) float64 {
	sum := price(plan, p)
	for _, x := range plan.Data {
		if x > 0 {
			sum += lambda * x * (math.Log(x) - 1)
		}
	}
	return sum
}

func TestEntropicGolden(t *testing.T) {
	cases := readGolden(t, "entropic_ot.json")
	if len(cases) != 12 {
		t.Errorf("%d cases, want 12", len(cases))
	}
	for _, g := range cases {
		var in haulage
		g.inputs(t, &in)
		if in.Halves > 0 {
			checkHalves(t, g, in)
			continue
		}
		p := in.problem(t)
		e := &ot.Entropic{Lambda: in.Lambda, Epsilon: 1e-12, MaxSweeps: 100_000}
		c := e.Solve(p)
		plan := planOf(e, p)
		if !c.Converged || c.Lambda != in.Lambda {
			t.Errorf("%s: residual %g, λ %g after %d sweeps", g.Name, c.Residual, c.Lambda, c.Sweeps)
		}
		mean := c.F.Sum() / float64(len(c.F))
		f, h := c.F.Clone(), c.G.Clone()
		for i := range f {
			f[i] -= mean
		}
		for j := range h {
			h[j] += mean
		}
		for key := range g.Expected {
			g.check(t, key, map[string]any{"T": rowsOf(plan), "transport_cost": c.Cost,
				"regularised_objective": blur(plan, p, in.Lambda), "dual_f_centered": f,
				"dual_g_plus_mean_f": h, "marginal_error": off(plan, p)}[key])
		}
	}
}

// checkHalves: k sweeps end after 2k − 1 half-steps, the last of which was that of the rows.
// So f after six of them is that of three sweeps, and g that of four.
func checkHalves(t *testing.T, g golden, in haulage) {
	t.Helper()
	p := in.problem(t)
	e := &ot.Entropic{Lambda: in.Lambda}
	var f, h tensor.Vector
	var errs []float64
	for range in.Halves / 2 {
		e.MaxSweeps++
		c := e.Solve(p)
		f, errs = c.F.Clone(), append(errs, c.Residual)
		e.MaxSweeps++
		h = e.Solve(p).G
		e.MaxSweeps--
		errs = append(errs, off(gibbs(f, h, p.Cost, in.Lambda), p))
	}
	plan := gibbs(f, h, p.Cost, in.Lambda)
	g.check(t, "f", f)
	g.check(t, "g", h)
	g.check(t, "T", rowsOf(plan))
	g.check(t, "l1_error_after_each_half_step", errs)
	ot.Round(plan, p.A, p.B)
	g.check(t, "rounded_T", rowsOf(plan))
}

func TestExactGolden(t *testing.T) {
	cases := readGolden(t, "exact_ot.json")
	if len(cases) != 8 {
		t.Errorf("%d cases, want 8", len(cases))
	}
	for _, g := range cases {
		var in haulage
		g.inputs(t, &in)
		p, e := in.problem(t), new(ot.Exact)
		c := e.Solve(p)
		plan := planOf(e, p)
		if !c.Converged {
			t.Errorf("%s: a gap of %g", g.Name, c.Residual)
		}
		mapped := make(tensor.Vector, plan.Rows)
		for i, mass := range p.A {
			if in.Y != nil {
				mapped[i] = plan.Row(i).Dot(in.Y) / mass
			}
		}
		for key := range g.Expected {
			g.check(t, key, map[string]any{"T": rowsOf(plan), "cost": c.Cost,
				"wasserstein":          math.Pow(c.Cost, 1/in.Power),
				"barycentric_map_of_x": mapped}[key])
		}
	}
}
