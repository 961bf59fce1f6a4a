package ot

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Exact finds a plan T of least ⟨T, C⟩ by the network simplex method: as a spanning tree of rows
// and columns, so that it has at most n + m − 1 elements that are not 0. Masses are
// counted in whole units, and which of several edges leaves the tree is decided so that the search
// ends whatever the ties; among plans of equal cost the order of rows and columns decides. For
// n = m = 2000 it takes less than a second where costs are distances of random points.
//
// The zero value is ready. Memory is kept from one problem to the next, and nothing is
// allocated for a problem that is no larger and no harder than one before.
type Exact struct {
	f, g       tensor.Vector // potentials: Cᵢⱼ ≥ fᵢ + gⱼ, with equality where there is flow
	supply     []int64       // each row's mass, in units
	demand     []int64       // each column's
	unit       float64       // mass of a unit
	rows, cols []int         // those that have at least one
	part       tensor.Matrix // the costs of these, if there are others
	net        simplex
	undefined  bool // the last problem had no answer
}

// tight is what the gap of duality may be, in units of the largest cost, by rounding.
const tight = 1e-10

// Solve returns the answer to a problem and keeps the plan for Plan. The residual is the gap of
// duality |⟨T, C⟩ − ⟨f, a⟩ − ⟨g, b⟩| where f and g satisfy fᵢ + gⱼ ≤ Cᵢⱼ but for rounding, atoms
// without mass included; so no plan costs less by more than that. Converged says that it is at
// most 1e-10 of the largest cost, or 1e-300, and Sweeps counts pivots. There is no
// answer, as Coupling says, if the problem does not pass Check.
func (e *Exact) Solve(t Transport) Coupling {
	e.undefined = t.Check() != nil
	e.f, e.g = resize(e.f, t.Cost.Rows), resize(e.g, t.Cost.Cols)
	if e.undefined {
		return undefined(e.f, e.g)
	}
	e.measure(t)
	largest := size(t.Cost.Data)
	e.net.solve(e.restrict(t.Cost), largest)
	return e.answer(t, largest)
}

// Plan sets dst, which is n×m, to the plan of the last problem.
func (e *Exact) Plan(dst tensor.Matrix) {
	if e.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	clear(dst.Data)
	for v := range e.net.parent {
		if i, j := e.edge(v); i >= 0 {
			dst.Row(i)[j] = float64(e.net.flow[v]) * e.unit
		}
	}
}

// edge returns the row and the column of the edge between a node and its parent, −1 for the root.
func (e *Exact) edge(v int) (i, j int) {
	p := int(e.net.parent[v])
	switch n := e.net.n; {
	case p < 0:
		return -1, -1
	case v < n:
		return e.rows[v], e.cols[p-n]
	default:
		return e.rows[p], e.cols[v-n]
	}
}

// restrict gives the simplex the rows and columns with units, and returns their costs.
func (e *Exact) restrict(cost tensor.Matrix) tensor.Matrix {
	e.rows, e.net.supply = counted(e.rows, e.net.supply, e.supply)
	e.cols, e.net.demand = counted(e.cols, e.net.demand, e.demand)
	n, m := len(e.rows), len(e.cols)
	if n == cost.Rows && m == cost.Cols {
		return cost
	}
	e.part = tensor.Matrix{Rows: n, Cols: m, Data: resize(e.part.Data, n*m)}
	for k, i := range e.rows {
		row, from := e.part.Row(k), cost.Row(i)
		for l, j := range e.cols {
			row[l] = from[j]
		}
	}
	return e.part
}

// counted returns which masses are not 0, and how much they are, in the memory of where and mass.
func counted(where []int, mass, all []int64) ([]int, []int64) {
	where, mass = where[:0], mass[:0]
	for k, x := range all {
		if x > 0 {
			where, mass = append(where, k), append(mass, x)
		}
	}
	return where, mass
}

// size returns the largest |x|.
func size(x []float64) (largest float64) {
	for _, v := range x {
		if v = math.Abs(v); v > largest {
			largest = v
		}
	}
	return largest
}

// measure counts the masses in units. Where those of the rows are all the same, and those of
// the columns, as many as there are of the others make it exact.
func (e *Exact) measure(t Transport) {
	e.supply, e.demand = resize(e.supply, len(t.A)), resize(e.demand, len(t.B))
	n, evenA := even(t.A)
	m, evenB := even(t.B)
	if !evenA || !evenB {
		quantise(e.supply, t.A)
		quantise(e.demand, t.B)
		e.unit = 1. / units
		return
	}
	for i, mass := range t.A {
		if e.supply[i] = 0; mass > 0 {
			e.supply[i] = m
		}
	}
	for j, mass := range t.B {
		if e.demand[j] = 0; mass > 0 {
			e.demand[j] = n
		}
	}
	e.unit = 1 / float64(n*m)
}

// even returns how many masses there are, and whether they are the same.
func even(mass tensor.Vector) (count int64, same bool) {
	var one float64
	same = true
	for _, x := range mass {
		if x > 0 {
			same = same && (count == 0 || x == one)
			one = x
			count++
		}
	}
	return count, same
}

// answer makes the potentials as large as they can be, and compares both sides of duality.
func (e *Exact) answer(t Transport, largest float64) Coupling {
	fill(e.g, math.Inf(-1)) // columns without mass bound no potential
	for k, j := range e.cols {
		e.g[j] = e.net.g[k]
	}
	lowest(e.f, t.Cost, e.g)
	fill(e.g, math.Inf(1))
	for i, f := range e.f {
		row := t.Cost.Row(i)
		g := e.g[:len(row)]
		for j, c := range row {
			if r := c - f; r < g[j] {
				g[j] = r
			}
		}
	}
	var cost float64
	for v := range e.net.parent {
		if i, j := e.edge(v); i >= 0 {
			cost += t.Cost.Row(i)[j] * (float64(e.net.flow[v]) * e.unit)
		}
	}
	gap := math.Abs(cost - e.f.Dot(t.A) - e.g.Dot(t.B))
	return Coupling{F: e.f, G: e.g, Cost: cost, Residual: gap, Sweeps: e.net.pivots,
		Converged: gap <= max(tight*largest, 1/largestCost)}
}
