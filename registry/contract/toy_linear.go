package contract

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// toyLinear is the model of fixtures: scores W·x + b, and the loss ½‖W·x + b − y‖², where y is the
// target or, for classes, 1 for the right one and 0 for the others.
type toyLinear struct {
	features int
	outputs  int // rows of W
}

var _ fl.Model = toyLinear{}

func newToyLinear(in fl.Shape) toyLinear { return toyLinear{in.Features, max(1, in.Classes)} }

// For implements fl.Model.
func (toyLinear) For(in fl.Shape) (fl.Model, error) { return newToyLinear(in), nil }

// Layout implements fl.Model.
func (m toyLinear) Layout() fl.Layout {
	vector := func(n int) fl.Image { return fl.Image{C: n, H: 1, W: 1} }
	return fl.Layout{
		Blocks: []fl.Block{
			{Name: fl.Weight, Rows: m.outputs, Cols: m.features},
			{Name: fl.Bias, Rows: m.outputs, Cols: 1, Offset: m.outputs * m.features},
		},
		Layers: []fl.Layer{{Kind: fl.KindDense, From: []int{-1}, In: vector(m.features),
			Out: vector(m.outputs), Blocks: []int{0, 1}}},
	}
}

// Init implements fl.Model.
func (m toyLinear) Init(rng *rand.Rand) fl.Vector { return normals(rng, m.Layout().Len(), 0.1) }

// Worker implements fl.Model.
func (m toyLinear) Worker() fl.Worker { return &lineWorker{m, make(fl.Vector, m.outputs)} }

// split returns W and b, which share memory with params.
func (m toyLinear) split(params fl.Vector) (w fl.Matrix, b fl.Vector) {
	n := m.outputs * m.features
	return fl.Matrix{Rows: m.outputs, Cols: m.features, Data: params[:n]}, params[n:]
}

// Facts implements fl.Model.
func (m toyLinear) Facts() fl.ModelFacts { return fl.ModelFacts{Solve: m.solve, Moments: true} }

// solve solves the normal equations Σ w x̃x̃ᵀ (W, b)ᵀ = Σ w x̃yᵀ for x̃ = (x, 1).
func (m toyLinear) solve(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
	n := m.features + 1
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, m.outputs, nil)
	for i, weight := range w {
		d := pop.Client(i).Data
		for r := range d.Len() {
			x := mat.NewVecDense(n, append(d.X.Row(r).Clone(), 1))
			y := mat.NewVecDense(m.outputs, m.wanted(&d, r))
			a.RankOne(a, weight/float64(d.Len()), x, x)
			b.RankOne(b, weight/float64(d.Len()), x, y)
		}
	}
	params := make(fl.Vector, m.Layout().Len())
	var solution mat.Dense
	if err := solution.Solve(a, b); err != nil {
		return fl.Optimum{}, err
	}
	weights, biases := m.split(params)
	for c := range m.outputs {
		mat.Col(weights.Row(c), c, solution.Slice(0, m.features, 0, m.outputs))
		biases[c] = solution.At(m.features, c)
	}
	best := fl.Optimum{Params: params, Unique: true}
	for i, weight := range w {
		d := pop.Client(i).Data
		best.Value += weight * m.Worker().Loss(params, &d)
	}
	return best, nil
}

// wanted returns y of row r.
func (m toyLinear) wanted(d *fl.Dataset, r int) fl.Vector {
	y := make(fl.Vector, m.outputs)
	if d.Y != nil {
		y[d.Y[r]] = 1
	} else {
		y[0] = d.Target[r]
	}
	return y
}

type lineWorker struct {
	toyLinear
	residual fl.Vector // of one row
}

var _ fl.Worker = (*lineWorker)(nil)

// Scores implements fl.Worker.
func (k *lineWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	w, b := k.split(params)
	for r := range x.Rows {
		for c := range k.outputs {
			dst.Row(r)[c] = w.Row(c).Dot(x.Row(r)) + b[c]
		}
	}
}

// residuals returns W·x + b − y of row r.
func (k *lineWorker) residuals(params fl.Vector, d *fl.Dataset, r int) fl.Vector {
	k.Scores(fl.Matrix{Rows: 1, Cols: k.outputs, Data: k.residual}, params, d.X.Slice(r, r+1))
	k.residual.AddScaled(-1, k.wanted(d, r))
	return k.residual
}

// Loss implements fl.Worker. Of moments alone it is ½(wᵀAw + 2w·(b·x̄ − Xᵀy/n) + b² − 2bȳ +
// yᵀy/n) with W = (w, b) and A = XᵀX/n.
func (k *lineWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	if m := d.Moments; m != nil && d.Len() == 0 {
		w, b, product := params[:k.features], params[k.features], make(fl.Vector, k.features)
		m.XX.MulVec(product, w)
		return (w.Dot(product) + 2*(b*w.Dot(m.X)-w.Dot(m.XY)) + b*(b-2*m.Y) + m.YY) / 2
	}
	sum := 0.0
	for r := range d.Len() {
		away := k.residuals(params, d, r)
		sum += away.Dot(away) / 2
	}
	return sum / float64(d.Len())
}

// Descend implements fl.Worker.
func (k *lineWorker) Descend(d *fl.Descent) { d.Follow(k) }

// Gradient implements fl.Worker.
func (k *lineWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	if rows == nil {
		rows = upTo(d.Len())
	}
	w, b := k.split(grad)
	for _, r := range rows {
		for c, away := range k.residuals(params, d, r) {
			away /= float64(len(rows))
			w.Row(c).AddScaled(away, d.X.Row(r))
			b[c] += away
		}
	}
}
