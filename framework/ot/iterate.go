package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A choice is a cohort distribution S as a function of weights e^a: the shares
//
//	Pᵢ(a) = E[1{i ∈ S} e^aᵢ / Σ_{k∈S} e^aₖ]
//
// and the symmetric Jacobian H(a) of that.
type choice interface {
	marginal(dst, a tensor.Vector) // sets dst to P(a)
	bend(diag, a tensor.Vector)    // fixes a for curve, sets diag to the diagonal of H(a)
	curve(dst, x tensor.Vector)    // sets dst to H(a)·x
}

// An iteration looks for the fixed point of
//
//	aᵢ ← κ(aᵢ + log pᵢ − log Pᵢ(a))
//
// For κ = 1 this is iterative proportional fitting (Algorithm 1 of FedAVOT), which is
// also the minorisation-maximisation of Zermelo, Ford and Hunter for Bradley–Terry
// models: it descends the convex Φ(a) = Σ_A q_A log Σ_{k∈A} e^aₖ − ⟨p, a⟩. For κ < 1 the
// row sums are soft, the map contracts by κ, and its fixed point minimises
// Φ(a) + ⟨p, a⟩ + λ Σ pᵢ e^{−aᵢ/λ}, λ = κ/(1−κ). Newton's method on the same functions
// (newton.go) shortens the way and does not change where it ends.
type iteration struct {
	law    choice
	p      tensor.Vector // target, length n
	kappa  float64       // [0, 1]
	stray  float64       // part of the residual that no a can change
	sweeps int           // passes over the cohorts since the first
	here   point
	newton *newton // nil as long as sweeps alone shall do it
}

// A point is a candidate a with all that one pass over the cohorts tells about it.
type point struct {
	a, marginal tensor.Vector
	next        tensor.Vector // where a sweep would lead
	defect      float64       // κ = 1: ‖P(a) − p‖₁ + stray; κ < 1: ‖next − a‖∞
}

func newPoint(n int) point {
	v := make(tensor.Vector, 3*n)
	return point{a: v[:n:n], marginal: v[n : 2*n : 2*n], next: v[2*n:]}
}

const (
	// patience is the number of sweeps before the first Newton step.
	patience = 32
	// stillness is the movement of P(a) that rounding may cause.
	stillness = 1e-14
)

// solve iterates from a = 0, the uniform plan, until the defect is at most epsilon,
// maxSweeps passes are used up, or P(a) has come to rest elsewhere. It reports whether
// it was the first of these.
//
// Newton steps are taken where sweeps alone take long, but for κ = 1 only if feasible
// says that there is a solution: otherwise they disturb the approach to the nearest p̃.
func (it *iteration) solve(epsilon float64, maxSweeps int, feasible func() bool) bool {
	it.here = newPoint(len(it.p))
	it.evaluate(&it.here)
	if it.run(epsilon, min(patience, maxSweeps)) || maxSweeps <= patience {
		return it.here.defect <= epsilon
	}
	if it.kappa < 1 || it.stray == 0 && feasible() {
		it.newton = newNewton(it.law, len(it.p))
	}
	return it.run(epsilon, maxSweeps)
}

// run goes on as solve says, with Newton steps if there is a newton. After one that
// failed it waits twice as long as before with the next.
//
// P(a) is at rest when it has not moved by epsilon since half as many sweeps: errors
// that die out geometrically, or like 1/sweeps, are then of that size too.
func (it *iteration) run(epsilon float64, maxSweeps int) bool {
	past, look := it.here.marginal.Clone(), 2*it.sweeps+1
	rested, wait := patience, patience
	for it.here.defect > epsilon && it.sweeps < maxSweeps {
		if it.newton != nil && rested >= wait {
			if !it.leap(maxSweeps) {
				rested, wait = 0, 2*wait
			}
			continue
		}
		it.sweep()
		rested++
		if it.kappa == 1 && it.sweeps >= look {
			if floats.Distance(past, it.here.marginal, 1) <= max(epsilon, stillness) {
				break
			}
			copy(past, it.here.marginal)
			look = 2 * it.sweeps
		}
	}
	return it.here.defect <= epsilon
}

// sweep rescales every client once.
func (it *iteration) sweep() {
	it.here.a, it.here.next = it.here.next, it.here.a
	it.evaluate(&it.here)
	it.sweeps++
}

// evaluate fills in what follows from pt.a, after shifting it, where that is free, so
// that its largest entry is 0.
func (it *iteration) evaluate(pt *point) {
	if it.kappa == 1 {
		recentre(pt.a)
	}
	it.law.marginal(pt.marginal, pt.a)
	var off, moved float64
	for i, p := range it.p {
		pt.next[i] = it.kappa * (pt.a[i] + logRatio(p, pt.marginal[i]))
		off += math.Abs(p - pt.marginal[i])
		moved = max(moved, math.Abs(pt.next[i]-pt.a[i]))
	}
	if pt.defect = moved; it.kappa == 1 {
		pt.defect = off + it.stray
	}
}

// recentre shifts a so that its largest element is 0, if it has a finite one.
func recentre(a tensor.Vector) {
	if len(a) == 0 {
		return
	}
	if top := floats.Max(a); !math.IsInf(top, 0) {
		floats.AddConst(-top, a)
	}
}

// logRatio returns log(p/m), and 0 for a share m that is lost to underflow or is 0 under the cohort
// distribution: such a client stays where it is.
func logRatio(p, m float64) float64 {
	const smallest = 0x1p-1022
	if m < smallest {
		return 0
	}
	return math.Log(p / m)
}
