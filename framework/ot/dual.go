package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A dual is the problem of least variance in the vector λ of N numbers. Over plans Y of a block
// whose weights are convex in every cohort A,
//
//	minimise ½ Σ_A q_A ‖Y_A‖² + c ‖Σ_A q_A Y_A − p‖₁
//
// has the Lagrangian ½ Σ q_A‖Y_A‖² − λ·(Σ q_A Y_A − p) with |λᵢ| ≤ c. It separates by cohort: Y_A
// is the projection of λ on the simplex of A (Sparsemax), and what is left is to minimise
//
//	Ψ(λ) = Σ_A q_A max_Y (λ·Y − ½‖Y‖²) − p·λ,   ∇Ψ = P(λ) − p,   |λᵢ| ≤ c
//
// with P the marginal of these weights: the same function as that of Scale, with ½‖Y‖² in place of
// the entropy. Ψ is convex and piecewise quadratic, once differentiable. With S_A the clients of A
// that have weight, its generalised Hessian is Σ_A q_A (diag(1_S) − 1_S 1_Sᵀ/|S_A|). Newton's
// method with it ends after finitely many steps but for rounding, as the pieces are finitely many.
//
// For c = ∞ the marginal is p exactly, which has to be attainable. Ψ then has a minimum, at the
// boundary as well, as a convex piecewise quadratic function does that is bounded below.
type dual struct {
	*block
	bound float64       // c
	steps int           // passes over the cohorts
	here  dualPoint     // where the iteration stands
	probe dualPoint     // where a step would lead
	pi    tensor.Vector // inclusion probabilities
	fixed []bool        // clients that a bound holds

	step, rest, near, dir, bent, diag tensor.Vector // of Newton's equation, see newton
}

// A dualPoint is a candidate λ with all that one pass over the cohorts tells about it.
type dualPoint struct {
	lambda, marginal tensor.Vector
	nu               tensor.Vector // by cohort: Y_A = max(0, λ − ν)
	value, variance  float64       // Ψ, and Σ_A q_A ‖Y_A‖²
	defect           float64       // 1-norm of the gradient, but for what the bounds hold
}

// newDual returns the dual of a block at λᵢ = pᵢ/πᵢ: where these sum to 1 in every cohort, it is
// the solution.
func newDual(b *block, bound float64) *dual {
	n := len(b.ids)
	v := func() tensor.Vector { return make(tensor.Vector, n) }
	d := &dual{block: b, bound: bound, pi: v(), fixed: make([]bool, n),
		step: v(), rest: v(), near: v(), dir: v(), bent: v(), diag: v()}
	for _, pt := range []*dualPoint{&d.here, &d.probe} {
		*pt = dualPoint{lambda: v(), marginal: v(), nu: make(tensor.Vector, len(b.q))}
	}
	for j, q := range b.q {
		for _, i := range b.set(j) {
			d.pi[i] += q
		}
	}
	for i, pi := range d.pi {
		if pi > 0 {
			d.here.lambda[i] = min(1, b.p[i]/pi)
		}
	}
	return d
}

// evaluate fills in what follows from pt.lambda.
func (d *dual) evaluate(pt *dualPoint) {
	d.steps++
	clear(pt.marginal)
	pt.value, pt.variance = -d.p.Dot(pt.lambda), 0
	for j, q := range d.q {
		set := d.set(j)
		nu := threshold(pt.lambda, set)
		pt.nu[j] = nu
		var square, gain float64
		for _, i := range set {
			if y := pt.lambda[i] - nu; y > 0 {
				pt.marginal[i] += q * y
				square += y * y
				gain += y * pt.lambda[i]
			}
		}
		pt.value += q * (gain - square/2)
		pt.variance += q * square
	}
	pt.defect = 0
	for i, x := range pt.marginal {
		if g := x - d.p[i]; !d.holds(pt, i, g, 0) {
			pt.defect += math.Abs(g)
		}
	}
}

// threshold returns ν of a cohort: see sparsemax, which also takes infinite numbers.
func threshold(lambda tensor.Vector, set []int32) float64 {
	if len(set) == 2 {
		a, b := lambda[set[0]], lambda[set[1]]
		return max((a+b-1)/2, max(a, b)-1)
	}
	top := lambda[set[0]]
	for _, i := range set[1:] {
		top = max(top, lambda[i])
	}
	nu, count := top-1, -1
	for {
		sum, n := -1.0, 0
		for _, i := range set {
			if v := lambda[i]; v > nu {
				sum += v - top
				n++
			}
		}
		if n == count {
			return nu
		}
		nu, count = max(nu, top+sum/float64(n)), n
	}
}

// holds reports whether the bound keeps client i, whose gradient is g, from moving: it lies within
// slack of the bound to which descent leads.
func (d *dual) holds(pt *dualPoint, i int, g, slack float64) bool {
	l := pt.lambda[i]
	return g > 0 && l <= slack-d.bound || g < 0 && l >= d.bound-slack
}

// gap returns how far ½·variance + c‖p̃ − p‖₁ lies above its minimum at most. For c = ∞ it is the
// same for ½·variance alone, up to what the marginal misses: |λ·(p̃ − p)|.
func (d *dual) gap() (sum float64) {
	for i, x := range d.here.marginal {
		g := x - d.p[i]
		sum += g * d.here.lambda[i]
		if !math.IsInf(d.bound, 1) {
			sum += d.bound * math.Abs(g)
		}
	}
	return math.Abs(sum)
}

const (
	softest   = 1e-11 // smallest ridge of the Newton equation, relative to π
	stiffest  = 1e3   // largest: steps are then those of scaled gradient descent
	halvings  = 8     // lengths tried along a direction
	armijo    = 1e-4  // part of the expected descent that a step has to bring
	flatValue = 1e-14 // differences of Ψ, relative to it, that may be rounding
)

// solve minimises Ψ from where the iteration stands, until the defect is at most epsilon, maxSteps
// more passes are used up, or no step leads on. It reports whether it was the first of these.
func (d *dual) solve(epsilon float64, maxSteps int) bool {
	for i, l := range d.here.lambda {
		d.here.lambda[i] = max(-d.bound, min(d.bound, l))
		if d.pi[i] == 0 && !math.IsInf(d.bound, 1) {
			d.here.lambda[i] = d.bound // a client in no cohort, which gets nothing
		}
	}
	last := d.steps + maxSteps
	d.evaluate(&d.here)
	for ridge := 1e-3; d.here.defect > epsilon && d.steps < last && ridge <= stiffest; {
		d.newton(ridge, last)
		switch length := d.search(last); length {
		case 1:
			ridge = max(ridge/10, softest)
		case 0:
			ridge *= 100
		default:
			ridge *= 4
		}
	}
	return d.here.defect <= epsilon
}

// search follows the direction, back into the bounds, as far as Ψ descends. It returns the length
// of the step as a part of the direction, 0 if nothing was found.
func (d *dual) search(last int) float64 {
	length := 1.0
	for try := 0; try < halvings && d.steps < last; try++ {
		slope := 0.0
		for i, l := range d.here.lambda {
			to := max(-d.bound, min(d.bound, l+length*d.step[i]))
			d.probe.lambda[i] = to
			slope += (to - l) * (d.here.marginal[i] - d.p[i])
		}
		d.evaluate(&d.probe)
		noise := flatValue * (1 + math.Abs(d.here.value))
		descends := d.probe.value <= d.here.value+armijo*slope && -slope > noise
		closer := d.probe.defect <= 0.5*d.here.defect && d.probe.value <= d.here.value+noise
		if descends || closer {
			d.here, d.probe = d.probe, d.here
			return length
		}
		length /= 4
	}
	return 0
}

// newton solves (H + ridge·diag(π))·step = p − P(λ) for the clients that no bound holds, by
// preconditioned conjugate gradients. Those that one holds take a gradient step.
func (d *dual) newton(ridge float64, last int) {
	near := min(1e-3, d.here.defect)
	clear(d.step)
	d.curvature()
	for i := range d.rest {
		g := d.here.marginal[i] - d.p[i]
		d.fixed[i] = d.pi[i] == 0 || d.holds(&d.here, i, g, near)
		d.rest[i] = -g
		if d.fixed[i] {
			d.rest[i] = 0
		}
		d.diag[i] += (ridge + 1e-6) * d.pi[i]
	}
	d.precondition()
	copy(d.dir, d.near)
	size := d.rest.Dot(d.near)
	for k, goal := 0, 1e-12*size; k < mostInside && size > goal && d.steps < last; k++ {
		d.bend(ridge)
		curve := d.dir.Dot(d.bent)
		if curve <= 0 {
			break
		}
		d.step.AddScaled(size/curve, d.dir)
		d.rest.AddScaled(-size/curve, d.bent)
		d.precondition()
		before := size
		size = d.rest.Dot(d.near)
		d.dir.Scale(size / before)
		d.dir.AddScaled(1, d.near)
	}
	for i, held := range d.fixed {
		if held && d.pi[i] > 0 {
			d.step[i] = (d.p[i] - d.here.marginal[i]) / d.pi[i]
		}
	}
}

// precondition sets near to rest divided by the diagonal, 0 for clients that are fixed.
func (d *dual) precondition() {
	floats.DivTo(d.near, d.rest, d.diag)
	for i, held := range d.fixed {
		if held {
			d.near[i] = 0
		}
	}
}

// curvature sets diag to the diagonal of the generalised Hessian.
func (d *dual) curvature() {
	clear(d.diag)
	for j, q := range d.q {
		n, nu := 0, d.here.nu[j]
		for _, i := range d.set(j) {
			if d.here.lambda[i] > nu {
				n++
			}
		}
		part := q * (1 - 1/float64(n))
		for _, i := range d.set(j) {
			if d.here.lambda[i] > nu {
				d.diag[i] += part
			}
		}
	}
}

// bend sets bent to (H + ridge·diag(π))·dir, 0 for clients that are fixed.
func (d *dual) bend(ridge float64) {
	d.steps++
	for i, pi := range d.pi {
		d.bent[i] = ridge * pi * d.dir[i]
	}
	for j, q := range d.q {
		set, nu := d.set(j), d.here.nu[j]
		var sum float64
		n := 0
		for _, i := range set {
			if d.here.lambda[i] > nu {
				sum += d.dir[i]
				n++
			}
		}
		mean := sum / float64(n)
		for _, i := range set {
			if d.here.lambda[i] > nu {
				d.bent[i] += q * (d.dir[i] - mean)
			}
		}
	}
	for i, held := range d.fixed {
		if held {
			d.bent[i] = 0
		}
	}
}
