// Linear — linear regression by least squares: ŷ = ⟨w, x⟩ (+ b).
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Section 4, linear regression.
//
// Notation: θ = w (length d), followed by b where there is an intercept; n samples.
// Departures: the paper names no scale of the loss. "mse" is (1/n)Σ(ŷ−y)², whose gradient
// has a factor 2; "half-mse" is half of both, the convention of most theory.

package model

import (
	"errors"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Linear describes the model to the registry.
var Linear = fl.ModelEntry{
	Name:       "linear",
	Summary:    "linear regression with squared loss",
	Paper:      "fedavot",
	Deviations: "the paper leaves the factor of the loss open: loss = \"mse\" or \"half-mse\"",
	New:        newLinear,
	Traits: fl.ModelTraits{Loss: func(params map[string]any) fl.Loss {
		name, _ := params["loss"].(string)
		return fl.Loss{Name: name}
	}},
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes > 0 {
			return errors.New("needs a regression target; these data have classes")
		}
		return nil
	},
}

type linear struct {
	scale     float64 // 1 for mse, ½ for half-mse
	intercept bool
	features  int // d; 0 until For
}

var _ fl.Model = (*linear)(nil)

func newLinear(p *fl.Params) (fl.Model, error) {
	m := &linear{scale: 1}
	loss := p.Choice("loss", "mse", "mean squared error, or half of it", "mse", "half-mse")
	if loss == "half-mse" {
		m.scale = 0.5
	}
	m.intercept = p.Bool("intercept", false, "add a constant b to ⟨w, x⟩")
	return m, nil
}

// For implements fl.Model.
func (m *linear) For(in fl.Shape) (fl.Model, error) {
	sized := *m
	sized.features = in.Features
	return &sized, nil
}

// Layout implements fl.Model.
func (m *linear) Layout() fl.Layout {
	return denseLayout(1, m.features, m.intercept)
}

// Init starts at zero, as Algorithm 2 does.
func (m *linear) Init(*rand.Rand) fl.Vector { return make(fl.Vector, m.Layout().Len()) }

// Worker implements fl.Model.
func (m *linear) Worker() fl.Worker {
	return &linearWorker{model: m, product: make(fl.Vector, m.features)}
}

// linearWorker keeps scratch space: A·w by moments, residuals by samples, and a batch.
type linearWorker struct {
	model    *linear
	product  fl.Vector // length d
	residual fl.Vector // grows to the number of samples
	batch    kernel.Samples
	wide     wideRoom
}

var _ fl.PackedWorker = (*linearWorker)(nil)

// split returns w and b.
func (m *linear) split(params fl.Vector) (w fl.Vector, b float64) {
	if m.intercept {
		b = params[m.features]
	}
	return params[:m.features], b
}

// Scores implements fl.Worker: one column, ŷ.
func (k *linearWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	w, b := k.model.split(params)
	x.MulVec(dst.Data, w)
	for i := range dst.Data {
		dst.Data[i] += b
	}
}

// PackedScores implements fl.PackedWorker.
func (k *linearWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	for lo := 0; lo < dst.Rows; lo += together {
		hi := min(lo+together, dst.Rows)
		k.Scores(dst.Slice(lo, hi), params, k.wide.packed(&rows, lo, hi))
	}
}

// residuals returns ŷ − y on all rows of d.
func (k *linearWorker) residuals(params fl.Vector, d *fl.Dataset) fl.Vector {
	if n := d.Len(); cap(k.residual) < n {
		k.residual = make(fl.Vector, n)
	}
	r := k.residual[:d.Len()]
	scores := fl.Matrix{Rows: len(r), Cols: 1, Data: r}
	if d.Packed.Any() {
		k.PackedScores(scores, params, d.Packed)
	} else {
		k.Scores(scores, params, d.X)
	}
	for i, y := range d.Target {
		r[i] -= y
	}
	return r
}

// Loss implements fl.Worker. With moments it is wᵀAw + 2w·(b·x̄ − Xᵀy/n) + b² − 2bȳ + yᵀy/n.
func (k *linearWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	if d.Moments == nil {
		r := k.residuals(params, d)
		return k.model.scale * r.Dot(r) / float64(d.Len())
	}
	w, b := k.model.split(params)
	m := d.Moments
	m.XX.MulVec(k.product, w)
	square := w.Dot(k.product) + 2*(b*w.Dot(m.X)-w.Dot(m.XY)) + b*(b-2*m.Y) + m.YY
	return k.model.scale * overflown(square)
}

// Gradient implements fl.Worker. All rows of a data set with moments cost O(d²).
func (k *linearWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	if rows == nil && d.Moments != nil {
		k.momentGradient(grad, params, d.Moments)
		return
	}
	w, b := k.model.split(params)
	batch := k.gather(d, rows)
	slope := kernel.LeastSquares(grad[:len(w)], w, batch, b,
		2*k.model.scale/float64(len(batch.Y)))
	if k.model.intercept {
		grad[len(w)] += slope
	}
}

// gather returns the given rows of d, all when nil, one after another.
func (k *linearWorker) gather(d *fl.Dataset, rows []int) kernel.Samples {
	if rows == nil {
		return kernel.Samples{X: k.wide.slice(d, 0, d.Len()).Data, Y: d.Target}
	}
	k.batch.Y = k.batch.Y[:0]
	for _, r := range rows {
		k.batch.Y = append(k.batch.Y, d.Target[r])
	}
	k.batch.X = k.wide.pick(d, rows).Data
	return k.batch
}

// Descend implements fl.Worker.
func (k *linearWorker) Descend(d *fl.Descent) { d.Follow(k) }

func (k *linearWorker) momentGradient(grad, params fl.Vector, m *fl.Moments) {
	w, b := k.model.split(params)
	m.XX.MulVec(k.product, w)
	c := 2 * k.model.scale
	g, product, xy := grad[:len(w)], k.product[:len(w)], m.XY[:len(w)]
	for i := range g {
		g[i] += c * (product[i] - xy[i])
	}
	if k.model.intercept {
		g.AddScaled(c*b, m.X)
		grad[k.model.features] += c * (w.Dot(m.X) + b - m.Y)
	}
}

// Facts implements fl.Model: the loss is a quadratic in θ.
func (m *linear) Facts() fl.ModelFacts {
	return fl.ModelFacts{Solve: m.solve, Moments: true, Packed: true}
}

// solve solves the normal equations, by Cholesky, or for the solution of least norm where
// they are singular.
func (m *linear) solve(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
	mix := pop.Mix(w)
	a, b := m.normal(mix)
	theta, unique, err := solve(a, b)
	if err != nil {
		return fl.Optimum{}, err
	}
	value := m.Worker().Loss(theta, &fl.Dataset{Moments: mix})
	gap := func(params fl.Vector) float64 {
		return m.scale * overflown(quadratic(a, params, theta))
	}
	return fl.Optimum{Params: theta, Unique: unique, Value: value, Gap: gap}, nil
}

// quadratic returns (θ−θ*)ᵀA(θ−θ*), which is F(θ) − F(θ*) but for the scale of the loss.
func quadratic(a fl.Matrix, theta, best fl.Vector) float64 {
	sum := 0.0
	for i := range theta {
		row, inner := a.Row(i), 0.0
		for j, x := range row {
			inner += x * (theta[j] - best[j])
		}
		sum += inner * (theta[i] - best[i])
	}
	return max(0, sum) // A is positive semidefinite: what is below 0 is rounding
}

// normal returns the matrix and the right-hand side of the normal equations.
func (m *linear) normal(s *fl.Moments) (fl.Matrix, fl.Vector) {
	d, n := m.features, m.Layout().Len()
	a := fl.NewMatrix(n, n)
	for i := range d {
		copy(a.Row(i), s.XX.Row(i))
	}
	b := s.XY.Clone()
	if m.intercept {
		for i, x := range s.X {
			a.Row(i)[d], a.Row(d)[i] = x, x
		}
		a.Row(d)[d] = 1
		b = append(b, s.Y)
	}
	return a, b
}
