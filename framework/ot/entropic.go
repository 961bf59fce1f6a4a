package ot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Entropic finds the plan that minimises ⟨T, C⟩ + λ Σ T(log T − 1), the ε-OT of CODE (equations
// 26 to 30, whose printed form omits λ). It has the form
//
//	Tᵢⱼ = exp((fᵢ + gⱼ − Cᵢⱼ)/λ)                                                     (2)
//
// and alternating half-steps f ← f + λ(log a − log T1) and g ← g + λ(log b − log Tᵀ1) lead to
// it, from f = g = 0; where λ is small beside the costs, by way of larger λ. The plan is
// blurred: it costs up to λ log(nm) more than the cheapest.
//
// The zero value is ready but for the settings. Memory is kept from one problem to the next,
// and nothing is allocated for a problem that is no larger than one before.
type Entropic struct {
	Lambda    float64 // λ > 0, in units of Unit
	Unit      Unit    // what λ is measured in; "" is UnitNone
	Epsilon   float64 // ε ≥ 0: how wrong the marginals may be, ‖T1 − a‖₁ + ‖Tᵀ1 − b‖₁
	MaxSweeps int     // pairs of half-steps at most; less than 1 counts as 1

	// Cold has the half-steps begin at λ, as Algorithm 2 of CODE does, and not at larger λ. The
	// first is one of the rows, and the marginals are looked at after each of these, so that there
	// are 2·Sweeps − 1 half-steps: at most one more than where they are looked at after each.
	Cold bool

	work       sinkhorn
	rows, cols []int // the atoms of positive mass
	f, g       tensor.Vector
	undefined  bool // the last problem had no answer
}

// A Unit is what λ is measured in. To measure it in the largest cost has the same effect as to
// divide the costs by that. A unit that would be zero is 1.
type Unit string

// The units. Costs of atoms without mass do not count.
const (
	UnitNone   Unit = "none"   // 1
	UnitMax    Unit = "max"    // the largest |Cᵢⱼ|
	UnitMean   Unit = "mean"   // the mean of |Cᵢⱼ|
	UnitMedian Unit = "median" // the median of |Cᵢⱼ|, the lower one of two
)

// of returns the unit for these costs; scratch is as long. It is NaN if there is no such unit.
func (u Unit) of(cost, scratch []float64) float64 {
	if u == UnitNone || u == "" {
		return 1
	}
	for k, c := range cost {
		scratch[k] = math.Abs(c)
	}
	size := math.NaN()
	switch u {
	case UnitMax:
		size = floats.Max(scratch)
	case UnitMean:
		size = floats.Sum(scratch) / float64(len(scratch))
	case UnitMedian:
		slices.Sort(scratch)
		size = scratch[(len(scratch)-1)/2]
	}
	if size == 0 {
		return 1
	}
	return size
}

const (
	// hot is the range of the costs in units of the first λ, unless the one asked for is
	// larger; cooling is the ratio of the next λ and the one before.
	hot     = 100
	cooling = 0.25
	// rough is how wrong the marginals may be when λ falls, and brief how many sweeps there
	// are at each λ to make them so.
	rough = 0.01
	brief = 100
	// finest is what λ must be in units of the range of the costs for float64 to show it.
	finest = 1e-15
)

// Solve returns the answer to a problem and keeps the plan for Plan. The residual is
// ‖T1 − a‖₁ + ‖Tᵀ1 − b‖₁ of that plan (27); Converged says that it is at most ε. The rows are
// exact but for rounding, so Round has little to do.
//
// Atoms without mass are left out: their potential is −Inf and their part of the plan 0.
// Sweeps counts pairs of half-steps, those at larger λ too. If they are used up before λ has
// come down to what was asked for, or that is too small for float64, Lambda is what it came to,
// and the answer, which is one for that λ, has not converged.
//
// There is no answer, as Coupling says, if the problem does not pass Check, λ is not positive
// or the unit unknown.
func (e *Entropic) Solve(t Transport) Coupling {
	e.undefined = t.Check() != nil
	if e.undefined {
		return e.fail(t)
	}
	low, spread, target := e.load(t)
	if e.undefined = !(target > 0 && target <= largestCost); e.undefined {
		return e.fail(t)
	}
	lambda := max(target, finest*spread, 1/largestCost)
	if e.Cold {
		spread = 0
	}
	residual := e.work.descend(lambda, spread, e.Epsilon, e.MaxSweeps)
	return e.answer(t, low, residual, residual <= e.Epsilon && e.work.lambda == target)
}

// load gives the masses that are not 0, and their costs less the lowest, to the iteration. It
// returns that lowest cost, the range of the costs, and λ in their units.
func (e *Entropic) load(t Transport) (low, spread, lambda float64) {
	s := &e.work
	e.rows, s.a = atoms(e.rows, s.a, t.A)
	e.cols, s.b = atoms(e.cols, s.b, t.B)
	n, m := len(e.rows), len(e.cols)
	s.start(n, m)
	s.cost = tensor.Matrix{Rows: n, Cols: m, Data: resize(s.cost.Data, n*m)}
	for k, i := range e.rows {
		row, from := s.cost.Row(k), t.Cost.Row(i)
		if m == len(from) {
			copy(row, from)
			continue
		}
		for l, j := range e.cols {
			row[l] = from[j]
		}
	}
	lambda = e.Lambda * e.Unit.of(s.cost.Data, s.k.Data[:n*m])
	low, high := s.cost.Data[0], s.cost.Data[0]
	for _, c := range s.cost.Data {
		if c < low {
			low = c
		} else if c > high {
			high = c
		}
	}
	floats.AddConst(-low, s.cost.Data)
	return low, high - low, lambda
}

// atoms returns where the mass is that is not 0, and how much there, of 1 in all, in the
// memory of the slices given.
func atoms(where []int, mass, all tensor.Vector) ([]int, tensor.Vector) {
	where, mass = where[:0], mass[:0]
	for i, x := range all {
		if x > 0 {
			where, mass = append(where, i), append(mass, x)
		}
	}
	mass.Scale(1 / mass.Sum())
	return where, mass
}

// answer reads the potentials from the iteration.
func (e *Entropic) answer(t Transport, low, residual float64, converged bool) Coupling {
	s := &e.work
	e.f, e.g = resize(e.f, t.Cost.Rows), resize(e.g, t.Cost.Cols)
	fill(e.f, math.Inf(-1))
	fill(e.g, math.Inf(-1))
	for k, i := range e.rows {
		e.f[i] = low + s.lambda*(math.Log(s.u[k])-s.s[k])
	}
	for l, j := range e.cols {
		e.g[j] = s.g[l] + s.lambda*math.Log(s.v[l])
	}
	return Coupling{F: e.f, G: e.g, Cost: low + s.price(), Residual: residual,
		Sweeps: s.sweeps, Converged: converged, Lambda: s.lambda}
}

func (e *Entropic) fail(t Transport) Coupling {
	e.f, e.g = resize(e.f, t.Cost.Rows), resize(e.g, t.Cost.Cols)
	return undefined(e.f, e.g)
}

// Plan sets dst, which is n×m, to the plan of the last problem.
func (e *Entropic) Plan(dst tensor.Matrix) {
	if e.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	clear(dst.Data)
	s := &e.work
	for k, i := range e.rows {
		row, from := dst.Row(i), s.k.Row(k)
		for l, j := range e.cols {
			row[j] = s.u[k] * from[l] * s.v[l]
		}
	}
}
