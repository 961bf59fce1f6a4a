package audit

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A quadratic is F near a point, to the second order: its Hessian.
type quadratic struct{ hessian fl.Matrix }

func newQuadratic(f func(fl.Vector) float64, theta fl.Vector) *quadratic {
	d, at := len(theta), theta.Clone()
	h := 1e-3 * (1 + theta.Norm()/math.Sqrt(float64(d)))
	q := &quadratic{fl.NewMatrix(d, d)}
	shifted := func(i, j int, x, y float64) float64 {
		copy(at, theta)
		at[i] += x
		at[j] += y
		return f(at)
	}
	for i := range d {
		for j := range i + 1 {
			x := (shifted(i, j, h, h) - shifted(i, j, h, -h) - shifted(i, j, -h, h) +
				shifted(i, j, -h, -h)) / (4 * h * h)
			q.hessian.Row(i)[j], q.hessian.Row(j)[i] = x, x
		}
	}
	return q
}

// spread returns by how much F is higher in the mean where the model has covariance v: tr(Hv)/2.
func (q *quadratic) spread(v fl.Matrix) float64 {
	return fl.Vector(q.hessian.Data).Dot(v.Data) / 2
}
