package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// FusionOptions are what layer-wise transport did not have once.
type fusionOptions struct {
	coupling  string
	mass, rho float64
	marginals string
	measure   bool
}

// newFusionOptions declares the parameters, beside the solver and the unit of λ.
func newFusionOptions(p *fl.Params, solver string, unit ot.Unit) fusionOptions {
	o := fusionOptions{
		coupling: p.Choice("coupling", "balanced", "whether a plan moves all mass, the part that "+
			"is cheapest, or as much as is worth rho; a neuron without partner stays as the other "+
			"network has it", "balanced", "partial", "unbalanced"),
		mass: p.Float("mass", 0.9, fl.LeftOpen(0, 1), "the part that a partial plan moves"),
		rho: p.Float("rho", 1, fl.Above(0), "ρ, the price of what the marginals of an unbalanced "+
			"plan miss, in units of costs"),
		marginals: p.Choice("marginals", "sums", "what plans are divided by: their sums; these, "+
			"after they are rounded to have their marginals, as Definition 1 of CODE asks; or "+
			"numbers of neurons, as (23) and (25) print", "sums", "rounded", "printed"),
		measure: p.Bool("measure", false, "observe costs, half-steps beside the bound of Theorem "+
			"2 of CODE, and what rounding moves; that takes the cheapest plan, too"),
	}
	for _, name := range []string{"coupling", "mass", "rho", "marginals", "measure"} {
		p.Later(name)
	}
	switch {
	case o.coupling == "partial" && solver != "exact":
		p.Clash("coupling", "solver", `a partial plan is exact: solver = "exact"`)
	case o.coupling == "unbalanced" && solver != "entropic":
		p.Clash("coupling", "solver", `an unbalanced plan is entropic: solver = "entropic"`)
	case o.coupling == "unbalanced" && unit != ot.UnitNone:
		p.Clash("lambda_unit", "coupling", "λ of an unbalanced plan is in units of costs, as rho "+
			"is")
	case solver == "printed" && unit != ot.UnitNone:
		p.Clash("lambda_unit", "solver", "Algorithm 2 has λ in units of costs")
	case o.coupling != "balanced" && o.marginals != "sums":
		p.Clash("marginals", "coupling", "a plan that need not have its marginals is divided by "+
			"its sums")
	case o.coupling != "balanced" && o.measure:
		p.Clash("measure", "coupling", "Theorem 2 and Definition 1 are of plans with marginals")
	}
	return o
}

// FusionMeasures observe what CODE proves of its plans.
type fusionMeasures struct {
	notes   *fl.Notes
	epsilon float64
	exact   ot.Exact
}

// see observes one problem of the k-th layer: what its plan costs, what Definition 1 adds when it
// is rounded to its marginals, and half-steps beside 2 + 4R/ε, the bound that (49) proves, where
// R = ‖C‖∞/λ − ln min(a, b).
func (m *fusionMeasures) see(k int, t ot.Transport, found ot.Coupling, plan fl.Matrix) {
	observe := func(name string, x float64) {
		m.notes.Observe(fmt.Sprintf("%s in layer %d", name, k+1), x)
	}
	rounded := fl.NewMatrix(plan.Rows, plan.Cols)
	copy(rounded.Data, plan.Data)
	ot.Round(rounded, t.A, t.B)
	moved := 0.0
	for i, x := range rounded.Data {
		moved += math.Abs(x - plan.Data[i])
	}
	least := m.exact.Solve(t).Cost
	observe("cost of a plan", found.Cost)
	observe("mass that rounding moves", moved)
	observe("cost above the least of a plan that is rounded",
		fl.Vector(rounded.Data).Dot(t.Cost.Data)-least)
	if !(found.Lambda > 0) {
		return
	}
	largest, mass := 0.0, min(1/float64(plan.Rows), 1/float64(plan.Cols))
	for _, c := range t.Cost.Data {
		largest = max(largest, math.Abs(c))
	}
	half := float64(max(0, 2*found.Sweeps-1))
	bound := 2 + 4*(largest/found.Lambda-math.Log(mass))/m.epsilon
	observe("half-steps", half)
	observe("bound on half-steps", bound)
	observe("half-steps for each of the bound", half/bound)
}

// PrintedOT is Algorithm 2 of CODE to the letter: from f = g = 0 it goes on as long as (27) holds,
// and moves by (28) and (29), without λ. exp(−C/λ) all but never satisfies (27), so that it is the
// plan.
type printedOT struct {
	lambda, epsilon float64
	most            int // sweeps
	plan            fl.Matrix
	f, g            fl.Vector
}

// Solve returns what the algorithm ends with. Sweeps are pairs of half-steps, the last one maybe
// half of one.
func (s *printedOT) Solve(t ot.Transport) ot.Coupling {
	n, m := len(t.A), len(t.B)
	s.f, s.g, s.plan = make(fl.Vector, n), make(fl.Vector, m), fl.NewMatrix(n, m)
	steps := 0
	rows, cols := s.build(t)
	for ; miss(rows, t.A)+miss(cols, t.B) <= s.epsilon && steps < 2*s.most; steps++ {
		if steps%2 == 0 {
			for i, a := range t.A {
				s.f[i] += math.Log(a) - math.Log(rows[i])
			}
		} else {
			for j, b := range t.B {
				s.g[j] += math.Log(b) - math.Log(cols[j])
			}
		}
		rows, cols = s.build(t)
	}
	residual := miss(rows, t.A) + miss(cols, t.B)
	return ot.Coupling{F: s.f, G: s.g, Cost: fl.Vector(s.plan.Data).Dot(t.Cost.Data),
		Residual: residual, Sweeps: (steps + 1) / 2, Converged: residual <= s.epsilon,
		Lambda: s.lambda}
}

// build sets the plan (30) and returns its marginals.
func (s *printedOT) build(t ot.Transport) (rows, cols fl.Vector) {
	rows, cols = make(fl.Vector, len(t.A)), make(fl.Vector, len(t.B))
	for i := range t.A {
		row := s.plan.Row(i)
		for j, c := range t.Cost.Row(i) {
			row[j] = math.Exp((s.f[i] + s.g[j] - c) / s.lambda)
		}
		rows[i] = row.Sum()
		cols.Add(row)
	}
	return rows, cols
}

// Plan implements fuse.Solver.
func (s *printedOT) Plan(dst fl.Matrix) { copy(dst.Data, s.plan.Data) }

// miss returns ‖x − y‖₁.
func miss(x, y fl.Vector) (sum float64) {
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum
}
