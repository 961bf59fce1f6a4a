package ot_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestPOTsPlans compares partial, unbalanced and Gromov-Wasserstein plans with those of POT, from
// testdata/other_plans.py.
func TestPOTsPlans(t *testing.T) {
	cases := readGolden(t, "other_plans.json")
	if len(cases) != 10 {
		t.Errorf("%d cases, want 10", len(cases))
	}
	for _, g := range cases {
		c, plan := otherPlan(t, g)
		if !c.Converged {
			t.Errorf("%s: a residual of %g after %d sweeps", g.Name, c.Residual, c.Sweeps)
		}
		for key := range g.Expected {
			g.check(t, key, map[string]any{"T": rowsOf(plan), "cost": c.Cost,
				"mass": tensor.Vector(plan.Data).Sum()}[key])
		}
	}
}

// otherPlan solves a case of that file.
func otherPlan(t *testing.T, g golden) (ot.Coupling, tensor.Matrix) {
	t.Helper()
	var in struct {
		A, B              tensor.Vector
		C, X, Y           []tensor.Vector
		Mass, Lambda, Rho float64
	}
	g.inputs(t, &in)
	plan := tensor.NewMatrix(len(in.A), len(in.B))
	if in.X != nil {
		e := &ot.Gromov{Epsilon: 1e-13, MaxSteps: 10_000}
		c := e.Solve(ot.Spaces{X: stacked(in.X), Y: stacked(in.Y), A: in.A, B: in.B})
		e.Plan(plan)
		return c, plan
	}
	var s solver = &ot.Partial{Mass: in.Mass}
	if in.Rho > 0 {
		s = &ot.Unbalanced{Lambda: in.Lambda, Rho: in.Rho, Epsilon: 1e-12, MaxSweeps: 10_000}
	}
	c := s.Solve(ot.Transport{Cost: stacked(in.C), A: in.A, B: in.B})
	s.Plan(plan)
	return c, plan
}

// stacked returns the matrix of these rows.
func stacked(rows []tensor.Vector) tensor.Matrix {
	m := tensor.NewMatrix(len(rows), len(rows[0]))
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}
