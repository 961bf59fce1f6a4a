package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A newton holds what Newton's method needs, all vectors of the length of the problem.
type newton struct {
	law       choice
	probe     point         // where a step would lead
	step      tensor.Vector // d
	rest      tensor.Vector // what the Newton equation still lacks
	diag      tensor.Vector // preconditioner
	ridge     tensor.Vector // diagonal of R
	near, dir tensor.Vector // preconditioned rest; search direction of the inner iteration
	bent      tensor.Vector // (H + R)·dir
}

func newNewton(law choice, n int) *newton {
	v := func() tensor.Vector { return make(tensor.Vector, n) }
	return &newton{law, newPoint(n), v(), v(), v(), v(), v(), v(), v()}
}

const (
	attempts   = 4    // lengths tried along one Newton direction
	mostInside = 200  // conjugate-gradient iterations for one direction
	enough     = 1e-5 // reduction of the squared rest at which they stop
	thinnest   = 1e-3 // smallest entry of the preconditioner, relative to P
)

// leap tries a step of Newton's method on the convex function of the iteration: it solves
//
//	(H(a) + R)·d = p e^{−a/λ} − P(a),   R = diag(p e^{−a/λ})/λ
//
// roughly (for κ = 1 it is H(a)·d = p − P(a), the limit λ → ∞) and follows d as far as the
// defect shrinks in proportion. It reports whether it moved. A product with H counts as
// a sweep, since it costs a pass over the cohorts.
//
// A sweep is the same step with diag(P) for H + R, so sweeps are slow where H is badly
// conditioned: when a group of clients needs nearly all that its cohorts bring, or when
// cohorts link clients by long chains only. Conjugate gradients take it better, and in the
// limit of a group that needs all, log u diverges and Newton's method gains a factor of e
// per step where the error of sweeps falls like 1/sweeps.
func (it *iteration) leap(maxSweeps int) bool {
	it.direction(maxSweeps)
	w, length := it.newton, 1.0
	for try := 0; try < attempts && it.sweeps < maxSweeps; try++ {
		floats.AddScaledTo(w.probe.a, it.here.a, length, w.step)
		it.evaluate(&w.probe)
		it.sweeps++
		if w.probe.defect <= (1-length/2)*it.here.defect {
			it.here, w.probe = w.probe, it.here
			return true
		}
		length /= 2
	}
	return false
}

// direction solves the Newton equation by preconditioned conjugate gradients. It asks for
// no more than a moderate reduction: near the solution the right-hand side is small enough
// for rounding to leave the equation, whose matrix is singular for κ = 1, inconsistent.
func (it *iteration) direction(maxSweeps int) {
	it.linearise()
	w := it.newton
	clear(w.step)
	floats.DivTo(w.near, w.rest, w.diag)
	copy(w.dir, w.near)
	size := w.rest.Dot(w.near)
	goal := enough * size
	for k := 0; k < mostInside && size > goal && it.sweeps < maxSweeps; k++ {
		w.law.curve(w.bent, w.dir)
		it.sweeps++
		for i, r := range w.ridge {
			w.bent[i] += r * w.dir[i]
		}
		bend := w.dir.Dot(w.bent)
		if bend <= 0 {
			break
		}
		w.step.AddScaled(size/bend, w.dir)
		w.rest.AddScaled(-size/bend, w.bent)
		floats.DivTo(w.near, w.rest, w.diag)
		before := size
		size = w.rest.Dot(w.near)
		w.dir.Scale(size / before)
		w.dir.AddScaled(1, w.near)
	}
}

// linearise sets the right-hand side, the ridge and the preconditioner of the Newton
// equation where the iteration stands.
func (it *iteration) linearise() {
	w := it.newton
	w.law.bend(w.diag, it.here.a)
	lambda := it.kappa / (1 - it.kappa)
	for i, p := range it.p {
		if it.kappa < 1 {
			p *= math.Exp(-it.here.a[i] / lambda)
			w.ridge[i] = p / lambda
		}
		w.rest[i] = p - it.here.marginal[i]
		w.diag[i] = math.Max(w.diag[i], thinnest*it.here.marginal[i]) + w.ridge[i]
	}
}
