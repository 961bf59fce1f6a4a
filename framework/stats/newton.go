package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Convex is a smooth convex function on ℝᵈ.
type Convex interface {
	// Value returns f(x).
	Value(x tensor.Vector) float64
	// Gradient sets dst = ∇f(x). It is called before Curve for the same x.
	Gradient(dst, x tensor.Vector)
	// Curve sets dst = ∇²f(x)·v for the x of the last Gradient.
	Curve(dst, v tensor.Vector)
}

// A Minimum is what Newton's method found.
type Minimum struct {
	X         tensor.Vector
	Value     float64
	Residual  float64 // ‖∇f(X)‖
	Steps     int
	Converged bool // Residual ≤ ε
}

// Minimise runs a line-search Newton–CG method (Nocedal, Wright, Numerical Optimization,
// 2nd ed., Algorithm 7.1) from x until ‖∇f‖ ≤ epsilon. The Newton system is solved by
// conjugate gradients, ever more exactly as the gradient shrinks, which makes the outer
// iteration superlinear. It reports, and does not hide, a minimum that it did not reach.
func Minimise(f Convex, x tensor.Vector, epsilon float64, maxSteps int) Minimum {
	m := Minimum{X: x.Clone(), Value: f.Value(x)}
	grad, step := make(tensor.Vector, len(x)), make(tensor.Vector, len(x))
	trial := make(tensor.Vector, len(x))
	cg := newConjugate(len(x))
	for ; ; m.Steps++ {
		f.Gradient(grad, m.X)
		m.Residual = grad.Norm()
		m.Converged = m.Residual <= epsilon
		if m.Converged || m.Steps == maxSteps {
			return m
		}
		cg.solve(step, grad, f, math.Min(0.5, math.Sqrt(m.Residual))*m.Residual)
		slope := grad.Dot(step)
		moved := false
		for alpha := 1.0; alpha > 1e-10; alpha /= 2 {
			copy(trial, m.X)
			trial.AddScaled(alpha, step)
			// Near the minimum the decrease drowns in rounding; a full step that does not
			// visibly increase f is then the right one.
			if v := f.Value(trial); v <= m.Value+1e-4*alpha*slope+1e-14*math.Abs(m.Value) {
				copy(m.X, trial)
				m.Value, moved = v, true
				break
			}
		}
		if !moved {
			return m
		}
	}
}

// conjugate is scratch space for conjugate gradients.
type conjugate struct{ r, p, hp tensor.Vector }

func newConjugate(n int) *conjugate {
	return &conjugate{make(tensor.Vector, n), make(tensor.Vector, n), make(tensor.Vector, n)}
}

// solve sets dst to a direction d with ‖∇²f·d + grad‖ ≤ tolerance, or to the last one
// before the curvature vanished.
func (c *conjugate) solve(dst, grad tensor.Vector, f Convex, tolerance float64) {
	clear(dst)
	copy(c.r, grad)
	for i, g := range grad {
		c.p[i] = -g
	}
	rr := c.r.Dot(c.r)
	for k := 0; k < 10*len(dst) && math.Sqrt(rr) > tolerance; k++ {
		f.Curve(c.hp, c.p)
		curvature := c.p.Dot(c.hp)
		if curvature <= 1e-16*c.p.Dot(c.p) {
			if k == 0 {
				copy(dst, c.p)
			}
			return
		}
		alpha := rr / curvature
		dst.AddScaled(alpha, c.p)
		c.r.AddScaled(alpha, c.hp)
		next := c.r.Dot(c.r)
		c.p.Scale(next / rr)
		c.p.AddScaled(-1, c.r)
		rr = next
	}
}
