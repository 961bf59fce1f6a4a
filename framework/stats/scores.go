package stats

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

const (
	scoresTolerance = 1e-12 // residual at which Newton's method ends
	scoresSteps     = 200   // after which it gives up
	scoresBlock     = 256   // rows that one matrix product takes
)

// A shape is φ, a convex function of scores.
type shape interface {
	// at returns φ(s) and sets slope = ∇φ(s). It sets bend so that ∇²φ(s) is diag(bend), less
	// slope·slopeᵀ where the descent is normalised. Nothing overlaps.
	at(slope, bend, s tensor.Vector) float64
}

// A descent is Newton's method for a function of few variables and the scores of many rows,
//
//	f(β) = φ(Z·β) − ⟨pull, β⟩ + ½ Σⱼ ridge[j]·β[j]².
//
// Its slices keep their room from one problem to the next.
type descent struct {
	z           tensor.Matrix // a row of features for each score
	pull, ridge tensor.Vector
	size        tensor.Vector // by which ∂f/∂βⱼ is measured, > 0
	normalised  bool          // φ is a log-sum-exp

	beta, trial, grad, step tensor.Vector
	unit                    tensor.Vector // √∂²f/∂βⱼ²
	scores, slope, bend     tensor.Vector
	hess                    tensor.Matrix
	block                   tensor.Vector
	eigen                   tensor.Eigen
	space                   kernel.Workspace
}

// A descended says how a descent ended.
type descended struct {
	value     float64
	residual  float64 // maxⱼ |∂f/∂βⱼ| / size[j]
	steps     int
	converged bool
	free      int // directions in which f is flat to rounding
}

// resize makes room for n rows of m features, and clears pull and ridge.
func (d *descent) resize(n, m int) {
	d.z = tensor.Matrix{Rows: n, Cols: m, Data: sized(d.z.Data, n*m)}
	d.hess = tensor.Matrix{Rows: m, Cols: m, Data: sized(d.hess.Data, m*m)}
	for _, v := range []*tensor.Vector{&d.pull, &d.ridge, &d.size, &d.beta, &d.trial, &d.grad,
		&d.step, &d.unit} {
		*v = sized(*v, m)
	}
	for _, v := range []*tensor.Vector{&d.scores, &d.slope, &d.bend} {
		*v = sized(*v, n)
	}
	d.block = sized(d.block, min(n, scoresBlock)*m)
	clear(d.pull)
	clear(d.ridge)
	d.size.Fill(1)
}

// sized returns a slice of length n, v itself if it has the room.
func sized[S ~[]float64](v S, n int) S { return slices.Grow(v[:0], n)[:n] }

// run descends from β = 0. It leaves the minimum in beta, ∇φ there in slope, and the last step
// that it took in step.
func (d *descent) run(phi shape) descended {
	clear(d.beta)
	clear(d.step)
	end := descended{value: d.value(phi, d.beta)}
	for ; ; end.steps++ {
		end.residual = d.differentiate()
		end.converged = end.residual <= scoresTolerance
		if end.converged || end.steps == scoresSteps || !kernel.Finite(d.grad) {
			return end
		}
		free, ok := d.solve(end.residual)
		end.free = free
		if !ok || !d.search(phi, &end.value) {
			d.value(phi, d.beta)
			return end
		}
	}
}

// value returns f(β), and leaves the derivatives of φ there.
func (d *descent) value(phi shape, beta tensor.Vector) float64 {
	d.z.MulVec(d.scores, beta)
	f := phi.at(d.slope, d.bend, d.scores) - d.pull.Dot(beta)
	for j, x := range beta {
		f += float64(d.ridge[j] / 2 * x * x)
	}
	return f
}

// differentiate sets grad = ∇f where value was last asked for, and returns the residual.
func (d *descent) differentiate() (residual float64) {
	for j, x := range d.beta {
		d.grad[j] = float64(d.ridge[j]*x) - d.pull[j]
	}
	d.z.AddMulTVec(d.grad, d.slope)
	for j, g := range d.grad {
		residual = max(residual, math.Abs(g)/d.size[j])
	}
	return residual
}

// curve sets hess = ∇²f where value was last asked for.
func (d *descent) curve() {
	m := d.z.Cols
	clear(d.hess.Data)
	into := kernel.RowMajor(d.hess.Data, m, m)
	for lo := 0; lo < d.z.Rows; lo += scoresBlock {
		rows := d.z.Slice(lo, min(lo+scoresBlock, d.z.Rows))
		bent := d.block[:len(rows.Data)]
		for i, c := range d.bend[lo:][:rows.Rows] {
			for j, x := range rows.Row(i) { // few: a call for each row would cost more
				bent[i*m+j] = c * x
			}
		}
		kernel.Gemm64(&d.space, into, kernel.RowMajor(bent, rows.Rows, m).T(),
			kernel.RowMajor(rows.Data, rows.Rows, m), true)
	}
	if d.normalised {
		clear(d.trial)
		d.z.AddMulTVec(d.trial, d.slope)
		for j, g := range d.trial {
			d.hess.Row(j).AddScaled(-g, d.trial)
		}
	}
	for j, r := range d.ridge {
		d.hess.Row(j)[j] += r
	}
}

// solve sets step to Newton's, and counts the directions in which f is flat. A little curvature
// is added, in proportion to the residual: convergence is superlinear even where minima are many
// (Li, Fukushima, Qi, Qi, SIAM J. Optim. 14, 2004). In units of the diagonal of the Hessian, the
// scales of features do not matter.
func (d *descent) solve(residual float64) (free int, ok bool) {
	const flat = 1e-12
	d.curve()
	d.measure()
	for j := range d.unit {
		d.hess.Row(j).Div(d.unit)
		d.hess.Row(j).Scale(1 / d.unit[j])
		d.trial[j] = d.grad[j] / d.unit[j]
	}
	values, vectors, err := d.eigen.Factor(d.hess)
	if err != nil {
		return 0, false
	}
	clear(d.step)
	for k, x := range values {
		if x <= flat {
			free++
		}
		added := 1e-3*math.Min(1, residual) + 1e-14
		d.step.AddScaled(-vectors.Row(k).Dot(d.trial)/(max(x, 0)+added), vectors.Row(k))
	}
	d.step.Div(d.unit)
	return free, true
}

// measure sets the units. A curvature of φ that is none but for rounding makes no unit.
func (d *descent) measure() {
	most := 0.0 // of curvatures of φ, by size
	for j, size := range d.size {
		d.unit[j] = math.Sqrt(max(0, d.hess.Row(j)[j]))
		most = max(most, math.Sqrt(max(0, d.hess.Row(j)[j]-d.ridge[j]))/size)
	}
	for j, size := range d.size {
		if d.unit[j] <= 1e-9*most*size {
			d.unit[j] = most * size
		}
		if d.unit[j] == 0 {
			d.unit[j] = 1
		}
	}
}

// search moves β along the step, half as far until f descends enough (Armijo).
func (d *descent) search(phi shape, f *float64) bool {
	slope := d.grad.Dot(d.step)
	for alpha := 1.0; alpha > 1e-12; alpha /= 2 {
		copy(d.trial, d.beta)
		d.trial.AddScaled(alpha, d.step)
		// Near the minimum the decrease drowns in rounding.
		v := d.value(phi, d.trial)
		if v <= *f+float64(1e-4*alpha*slope)+float64(1e-14*(1+math.Abs(*f))) {
			d.beta, d.trial = d.trial, d.beta
			*f = v
			return true
		}
	}
	return false
}
