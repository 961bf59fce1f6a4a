package ot

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Partial finds the cheapest plan that moves a part of the mass only:
//
//	minimise ⟨T, C⟩ over T ≥ 0 with T1 ≤ a, Tᵀ1 ≤ b and 1ᵀT1 = Mass                     (4)
//
// where a and b need not have the same mass. It is an exact problem with one more row and one more
// column, which take what is not moved at no cost, and between which nothing is sent as that would
// cost more than any plan saves (L. Chapel, M. Z. Alaya, G. Gasso. Partial optimal transport with
// applications on positive-unlabeled learning. NeurIPS 2020, Proposition 1).
//
// The zero value is ready but for the setting. Memory is kept from one problem to the next.
type Partial struct {
	Mass float64 // m: above 0, at most what a or b has

	exact      Exact
	wide       Transport // with one more row and column, of mass 1
	plan       tensor.Matrix
	f, g       tensor.Vector
	total      float64 // mass of the wide problem in units of the given one
	multiplier float64
	undefined  bool // the last problem had no answer
}

// Check reports what is wrong with the problem, as [Transport.CheckMeasures] does, or with Mass.
func (p *Partial) Check(t Transport) error {
	if err := t.CheckMeasures(); err != nil {
		return err
	}
	if a, b := t.A.Sum(), t.B.Sum(); !(p.Mass > 0 && p.Mass <= min(a, b)*(1+sumTolerance)) {
		return fmt.Errorf("the mass to move is %v, which must be above 0 and at most %v, what "+
			"the smaller of a and b has", p.Mass, min(a, b))
	}
	if size(t.Cost.Data) > largestCost/4 {
		return fmt.Errorf("a cost is larger than %v in size", largestCost/4)
	}
	return nil
}

// Solve returns the answer to a problem and keeps the plan for Plan. F and G are at most 0, and
// fᵢ + gⱼ + λ ≤ Cᵢⱼ for the λ that Multiplier returns, but for rounding; so no plan of (4) costs
// less than ⟨f, a⟩ + ⟨g, b⟩ + λ·Mass. The residual is what Cost is above that. Converged says that
// it is at most 1e-10 of the largest cost, for each unit of a's and b's mass; Sweeps counts pivots.
// There is no answer, as Coupling says, if the problem does not pass Check.
func (p *Partial) Solve(t Transport) Coupling {
	n, m := t.Cost.Rows, t.Cost.Cols
	p.f, p.g = resize(p.f, n), resize(p.g, m)
	if p.undefined = p.Check(t) != nil; p.undefined {
		p.multiplier = math.NaN()
		return undefined(p.f, p.g)
	}
	largest := size(t.Cost.Data)
	p.widen(t, largest)
	c := p.exact.Solve(p.wide)
	for i := range p.f {
		p.f[i] = min(0, c.F[i]+c.G[m])
	}
	for j := range p.g {
		p.g[j] = min(0, c.G[j]+c.F[n])
	}
	p.multiplier = -c.F[n] - c.G[m]
	p.plan = tensor.Matrix{Rows: n + 1, Cols: m + 1, Data: resize(p.plan.Data, (n+1)*(m+1))}
	p.exact.Plan(p.plan)
	tensor.Vector(p.plan.Data).Scale(p.total)
	var cost float64
	for i := range n {
		cost += p.plan.Row(i)[:m].Dot(t.Cost.Row(i))
	}
	gap := math.Abs(cost - p.f.Dot(t.A) - p.g.Dot(t.B) - p.multiplier*p.Mass)
	return Coupling{F: p.f, G: p.g, Cost: cost, Residual: gap, Sweeps: c.Sweeps,
		Converged: gap <= max(tight*largest*p.total, 1/largestCost)}
}

// widen adds a row and a column to a problem, which becomes one of mass 1.
func (p *Partial) widen(t Transport, largest float64) {
	n, m := t.Cost.Rows, t.Cost.Cols
	w := &p.wide
	w.Cost = tensor.Matrix{Rows: n + 1, Cols: m + 1, Data: resize(w.Cost.Data, (n+1)*(m+1))}
	clear(w.Cost.Row(n))
	for i := range n {
		copy(w.Cost.Row(i), t.Cost.Row(i))
		w.Cost.Row(i)[m] = 0
	}
	w.Cost.Row(n)[m] = 2 * largest
	if largest == 0 {
		w.Cost.Row(n)[m] = 1
	}
	a, b := t.A.Sum(), t.B.Sum()
	w.A = append(append(w.A[:0], t.A...), max(0, b-p.Mass))
	w.B = append(append(w.B[:0], t.B...), max(0, a-p.Mass))
	p.total = w.A.Sum()
	w.A.Scale(1 / p.total)
	w.B.Scale(1 / w.B.Sum())
}

// Multiplier returns λ of the last problem: what it would cost, for each unit of mass, to move a
// little more, or at a kink of the cost what the last one did.
func (p *Partial) Multiplier() float64 { return p.multiplier }

// Plan sets dst, which is n×m, to the plan of the last problem.
func (p *Partial) Plan(dst tensor.Matrix) {
	if p.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	for i := range dst.Rows {
		copy(dst.Row(i), p.plan.Row(i))
	}
}
