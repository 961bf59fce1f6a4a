package ot

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Unbalanced finds the plan T ≥ 0 that minimises
//
//	⟨T, C⟩ + λ Σ T(log T − 1) + ρ KL(T1 | a) + ρ KL(Tᵀ1 | b)                             (5)
//
// where KL(x | y) = Σ x log(x/y) − x + y. Its marginals need not be a and b, which need not have
// the same mass: to miss them has a price, ρ. The plan has the form (2), and half-steps in turn,
//
//	fᵢ ← ρ/(ρ+λ) · λ(log aᵢ − log Σⱼ exp((gⱼ − Cᵢⱼ)/λ))
//
// and likewise g, lead to it from f = g = 0 (L. Chizat, G. Peyré, B. Schmitzer, F.-X. Vialard.
// Scaling algorithms for unbalanced optimal transport problems. Mathematics of Computation, 2018).
// They are done in the log domain, so nothing under- or overflows. Each brings the potentials
// nearer to their fixed point by the factor ρ/(ρ+λ), in the largest of their errors, because log
// Σ exp never moves by more than its arguments do. Where ρ is many times λ that is slow.
//
// The zero value is ready but for the settings. Memory is kept from one problem to the next, and
// nothing is allocated for a problem that is no larger than one before.
type Unbalanced struct {
	Lambda    float64 // λ > 0, in units of C
	Rho       float64 // ρ > 0, in units of C
	Epsilon   float64 // ε ≥ 0: how far the potentials may be from their fixed point, in units of λ
	MaxSweeps int     // pairs of half-steps at most; less than 1 counts as 1

	rows, cols   []int         // the atoms of positive mass
	logA, logB   tensor.Vector // log of theirs
	down, across tensor.Matrix // −C/λ of these, and its transpose
	u, v         tensor.Vector // f/λ and g/λ of these
	room         tensor.Vector
	f, g         tensor.Vector
	undefined    bool // the last problem had no answer
}

// Check reports what is wrong with the problem, as [Transport.CheckMeasures] does, or with the
// settings.
func (e *Unbalanced) Check(t Transport) error {
	if err := t.CheckMeasures(); err != nil {
		return err
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"λ", e.Lambda}, {"ρ", e.Rho}} {
		if !(x.value > 0 && x.value <= largestCost) {
			return fmt.Errorf("%s is %v, which must be above 0 and at most 1e300", x.name, x.value)
		}
	}
	if most := size(t.Cost.Data); !(most/e.Lambda <= largestCost) {
		return fmt.Errorf("λ is %v, too small for costs up to %v", e.Lambda, most)
	}
	return nil
}

// Solve returns the answer to a problem and keeps the plan for Plan. The residual bounds how far
// any element of f and g is from the fixed point, in units of λ, but for rounding; log T, where T
// is positive, is at most twice as far. Converged says that it is at most ε, and Sweeps counts
// pairs of half-steps, first f, then g. Atoms without mass are left out: their potential is
// −Inf and their part of the plan 0. There is no answer, as Coupling says, if the problem does
// not pass Check.
func (e *Unbalanced) Solve(t Transport) Coupling {
	e.f, e.g = resize(e.f, t.Cost.Rows), resize(e.g, t.Cost.Cols)
	if e.undefined = e.Check(t) != nil; e.undefined {
		return undefined(e.f, e.g)
	}
	e.load(t)
	// With p for ρ/(ρ+λ), g moves from one sweep to the next by p² of what it moved before at most.
	share := e.Rho / (e.Rho + e.Lambda)
	rest := e.Lambda / (e.Rho + e.Lambda) // 1 − p
	bound := share / (rest * (1 + share))
	c := Coupling{Lambda: e.Lambda}
	for !c.Converged && (c.Sweeps == 0 || c.Sweeps < e.MaxSweeps) {
		c.Sweeps++
		e.half(e.u, e.logA, e.down, e.v)
		c.Residual = bound * e.half(e.v, e.logB, e.across, e.u)
		c.Converged = c.Residual <= e.Epsilon
	}
	c.F, c.G, c.Cost = e.potentials(e.f, e.rows, e.u), e.potentials(e.g, e.cols, e.v), e.price(t)
	return c
}

// load takes the masses that are not 0 and their costs in units of λ.
func (e *Unbalanced) load(t Transport) {
	e.rows, e.logA = logs(e.rows, e.logA, t.A)
	e.cols, e.logB = logs(e.cols, e.logB, t.B)
	n, m := len(e.rows), len(e.cols)
	e.down = tensor.Matrix{Rows: n, Cols: m, Data: resize(e.down.Data, n*m)}
	e.across = tensor.Matrix{Rows: m, Cols: n, Data: resize(e.across.Data, n*m)}
	for k, i := range e.rows {
		row, from := e.down.Row(k), t.Cost.Row(i)
		for l, j := range e.cols {
			row[l] = -from[j] / e.Lambda
			e.across.Data[l*n+k] = row[l]
		}
	}
	e.u, e.v, e.room = resize(e.u, n), resize(e.v, m), resize(e.room, max(n, m))
	clear(e.u)
	clear(e.v)
}

// logs returns where the mass is that is not 0, and the logarithms of it, in the memory given.
func logs(where []int, log, all tensor.Vector) ([]int, tensor.Vector) {
	where, log = where[:0], log[:0]
	for i, x := range all {
		if x > 0 {
			where, log = append(where, i), append(log, math.Log(x))
		}
	}
	return where, log
}

// half sets u, which belongs to the rows of cost, from v. It returns by how much an element of u
// has moved at most.
func (e *Unbalanced) half(u, mass tensor.Vector, cost tensor.Matrix, v tensor.Vector) float64 {
	share, moved := e.Rho/(e.Rho+e.Lambda), 0.0
	x := e.room[:len(v)]
	for i := range u {
		copy(x, v)
		x.Add(cost.Row(i))
		next := share * (mass[i] - kernel.LogSumExp(x))
		moved = max(moved, math.Abs(next-u[i]))
		u[i] = next
	}
	return moved
}

// potentials sets all to λ times those of the atoms with mass.
func (e *Unbalanced) potentials(all tensor.Vector, where []int, some tensor.Vector) tensor.Vector {
	fill(all, math.Inf(-1))
	for k, i := range where {
		all[i] = e.Lambda * some[k]
	}
	return all
}

// row sets the room to the plan's row of the k-th row with mass, at its columns with mass.
func (e *Unbalanced) row(k int) tensor.Vector {
	x := e.room[:len(e.v)]
	copy(x, e.v)
	x.Add(e.down.Row(k))
	for l := range x {
		x[l] += e.u[k]
	}
	kernel.Exp(x, x)
	return x
}

// price returns ⟨T, C⟩.
func (e *Unbalanced) price(t Transport) (sum float64) {
	for k, i := range e.rows {
		from := t.Cost.Row(i)
		for l, x := range e.row(k) {
			sum += x * from[e.cols[l]]
		}
	}
	return sum
}

// Plan sets dst, which is n×m, to the plan of the last problem.
func (e *Unbalanced) Plan(dst tensor.Matrix) {
	if e.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	clear(dst.Data)
	for k, i := range e.rows {
		row := dst.Row(i)
		for l, x := range e.row(k) {
			row[e.cols[l]] = x
		}
	}
}
