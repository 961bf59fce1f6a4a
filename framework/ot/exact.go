package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Exact finds a plan T of least ⟨T, C⟩, by shortest paths that are added up one after the other
// (successive shortest paths; for uniform masses of equal number, where the plan is a
// permutation, that is the algorithm of Jonker and Volgenant. A shortest augmenting path
// algorithm for dense and sparse linear assignment problems. Computing, 1987). Masses are
// counted in whole units, so the search ends whatever the ties, and ties are decided by the
// order of rows and columns alone. n = m = 1000 takes seconds at most.
//
// The zero value is ready. Memory is kept from one problem to the next, and nothing is
// allocated for a problem that is no larger and no harder than one before.
type Exact struct {
	cost   tensor.Matrix
	f, g   tensor.Vector // potentials: Cᵢⱼ ≥ fᵢ + gⱼ, with equality where there is flow
	supply []int64       // what is left of each row's mass, in units
	demand []int64       // what is left of each column's
	unit   float64       // mass of a unit

	flows []flow  // in lists, one for each column, and one of those not in use
	first []int32 // of each column; −1 for none
	spare int32

	search
	sweeps    int
	undefined bool // the last problem had no answer
}

// A flow is what a row sends to the column in whose list it is.
type flow struct {
	row, next int32
	units     int64
}

// A search is a tree of shortest paths from a row, in costs Cᵢⱼ − fᵢ − gⱼ ≥ 0.
type search struct {
	far    tensor.Vector // distance of each column, as far as it is known
	reach  tensor.Vector // distance of each row
	parent []int32       // row from which each column is reached
	via    []int32       // column from which each row is reached; −1 for none, −2 not reached
	open   []int32       // columns whose distance is not final
	done   []int32       // columns whose distance is, nearest first
}

const (
	root      = -1
	unreached = -2
	// tight is what the gap of duality may be, in units of the largest cost, by rounding.
	tight = 1e-10
)

// Solve returns the answer to a problem and keeps the plan for Plan. The residual is the gap of
// duality |⟨T, C⟩ − ⟨f, a⟩ − ⟨g, b⟩| where f and g satisfy fᵢ + gⱼ ≤ Cᵢⱼ but for rounding, atoms
// without mass included; so no plan costs less by more than that. Converged says that it is at
// most 1e-10 of the largest cost, or 1e-300, and Sweeps counts shortest paths. There is no
// answer, as Coupling says, if the problem does not pass Check.
func (e *Exact) Solve(t Transport) Coupling {
	e.undefined = t.Check() != nil
	e.f, e.g = resize(e.f, t.Cost.Rows), resize(e.g, t.Cost.Cols)
	if e.undefined {
		return undefined(e.f, e.g)
	}
	e.start(t)
	for i := range e.supply {
		for e.supply[i] > 0 {
			e.augment(int32(i), e.nearest(int32(i)))
			e.sweeps++
		}
	}
	return e.answer(t)
}

// Plan sets dst, which is n×m, to the plan of the last problem.
func (e *Exact) Plan(dst tensor.Matrix) {
	if e.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	clear(dst.Data)
	for j, at := range e.first {
		for ; at >= 0; at = e.flows[at].next {
			dst.Row(int(e.flows[at].row))[j] = float64(e.flows[at].units) * e.unit
		}
	}
}

// start makes room and counts the masses, of which nothing is sent.
func (e *Exact) start(t Transport) {
	n, m := t.Cost.Rows, t.Cost.Cols
	e.cost, e.sweeps = t.Cost, 0
	e.measure(t)
	e.flows, e.spare, e.first = e.flows[:0], -1, resize(e.first, m)
	for j := range e.first {
		e.first[j] = -1
	}
	e.far, e.parent = resize(e.far, m), resize(e.parent, m)
	e.reach, e.via = resize(e.reach, n), resize(e.via, n)
	e.begin()
}

// begin makes potentials of which one is tight in each row, and sends there what it can.
func (e *Exact) begin() {
	copy(e.g, e.cost.Row(0))
	for i := range e.f {
		for j, c := range e.cost.Row(i) {
			e.g[j] = min(e.g[j], c)
		}
	}
	for i := range e.f {
		row, j := e.cost.Row(i), 0
		for k, c := range row {
			if c-e.g[k] < row[j]-e.g[j] {
				j = k
			}
		}
		e.f[i] = row[j] - e.g[j]
		if amount := min(e.supply[i], e.demand[j]); amount > 0 {
			e.supply[i] -= amount
			e.demand[j] -= amount
			e.send(int32(i), int32(j), amount)
		}
	}
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

// nearest returns the nearest column from row i that can take more, and moves the potentials
// so that the paths to it and to all columns before it are tight.
func (e *Exact) nearest(i int32) (sink int32) {
	e.open, e.done = e.open[:0], e.done[:0]
	for j := range e.far {
		e.far[j] = math.Inf(1)
		e.open = append(e.open, int32(j))
	}
	for k := range e.via {
		e.via[k] = unreached
	}
	e.via[i] = root
	at := e.relax(i, 0)
	for {
		sink = e.open[at]
		distance := e.far[sink]
		e.open[at] = e.open[len(e.open)-1]
		e.open = e.open[:len(e.open)-1]
		if e.demand[sink] > 0 {
			e.tighten(distance)
			return sink
		}
		e.done = append(e.done, sink)
		at = e.expand(sink, distance)
	}
}

// expand goes on from a column to the rows that send to it, which can send elsewhere instead.
// It returns the place of the nearest open column.
func (e *Exact) expand(j int32, distance float64) (at int) {
	at = -1
	for p := e.first[j]; p >= 0; p = e.flows[p].next {
		if k := e.flows[p].row; e.via[k] == unreached {
			e.via[k] = j
			at = e.relax(k, distance)
		}
	}
	if at < 0 {
		at = 0
		for p, k := range e.open {
			if e.before(k, e.open[at]) {
				at = p
			}
		}
	}
	return at
}

// relax updates the distances of the columns from row i, which is at that distance. It returns the
// place of the nearest open column.
func (e *Exact) relax(i int32, distance float64) (at int) {
	e.reach[i] = distance
	row, distance := e.cost.Row(int(i)), distance-e.f[i]
	for p, j := range e.open {
		if d := row[j] - e.g[j] + distance; d < e.far[j] {
			e.far[j] = d
			e.parent[j] = i
		}
		if e.before(j, e.open[at]) {
			at = p
		}
	}
	return at
}

// before says that column j is nearer than k, or as near and can take more.
func (e *Exact) before(j, k int32) bool {
	return e.far[j] < e.far[k] || e.far[j] == e.far[k] && e.demand[j] > e.demand[k]
}

// tighten moves the potentials when the search has ended at such a distance.
func (e *Exact) tighten(distance float64) {
	for k, j := range e.via {
		if j != unreached {
			e.f[k] += distance - e.reach[k]
		}
	}
	for _, j := range e.done {
		e.g[j] -= distance - e.far[j]
	}
}

// augment sends as much as it can from row i to column sink, along the path of the search.
func (e *Exact) augment(i, sink int32) {
	amount := min(e.supply[i], e.demand[sink])
	for k := e.parent[sink]; k != i; k = e.parent[e.via[k]] {
		amount = min(amount, e.flows[e.find(k, e.via[k])].units)
	}
	e.supply[i] -= amount
	e.demand[sink] -= amount
	for j := sink; j != root; {
		k := e.parent[j]
		e.send(k, j, amount)
		if j = e.via[k]; j != root {
			e.send(k, j, -amount)
		}
	}
}

// find returns the place of what row i sends to column j, −1 if that is nothing.
func (e *Exact) find(i, j int32) int32 {
	at := e.first[j]
	for at >= 0 && e.flows[at].row != i {
		at = e.flows[at].next
	}
	return at
}

// send adds to what row i sends to column j.
func (e *Exact) send(i, j int32, amount int64) {
	at := e.find(i, j)
	switch {
	case at >= 0:
		if e.flows[at].units += amount; e.flows[at].units == 0 {
			e.remove(at, j)
		}
		return
	case e.spare >= 0:
		at = e.spare
		e.spare = e.flows[at].next
	default:
		at = int32(len(e.flows))
		e.flows = append(e.flows, flow{})
	}
	e.flows[at] = flow{row: i, next: e.first[j], units: amount}
	e.first[j] = at
}

// remove takes a flow from the list of column j.
func (e *Exact) remove(at, j int32) {
	link := &e.first[j]
	for *link != at {
		link = &e.flows[*link].next
	}
	*link = e.flows[at].next
	e.flows[at].next = e.spare
	e.spare = at
}

// answer makes the potentials as large as they can be, and compares both sides of duality.
func (e *Exact) answer(t Transport) Coupling {
	for i := range e.f {
		e.f[i] = math.Inf(1)
		for j, c := range t.Cost.Row(i) {
			e.f[i] = min(e.f[i], c-e.g[j])
		}
	}
	fill(e.g, math.Inf(1))
	for i, f := range e.f {
		for j, c := range t.Cost.Row(i) {
			e.g[j] = min(e.g[j], c-f)
		}
	}
	var cost float64
	for j, at := range e.first {
		for ; at >= 0; at = e.flows[at].next {
			cost += t.Cost.Row(int(e.flows[at].row))[j] * (float64(e.flows[at].units) * e.unit)
		}
	}
	gap := math.Abs(cost - e.f.Dot(t.A) - e.g.Dot(t.B))
	return Coupling{F: e.f, G: e.g, Cost: cost, Residual: gap, Sweeps: e.sweeps,
		Converged: gap <= max(tight*floats.Norm(t.Cost.Data, math.Inf(1)), 1/largestCost)}
}
