package contract

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

var _ fl.InputWorker = networkWorker{}

// InputGradient implements fl.InputWorker. There are no batch norms.
func (w networkWorker) InputGradient(dst fl.Matrix, params fl.Vector, x, slopes fl.Matrix,
	_ float64) (distance float64) {
	n := hidden * w.network.inputs
	said, _ := w.hear(params, x)
	first := fl.Matrix{Rows: hidden, Cols: w.network.inputs, Data: params[:n]}
	last := fl.Matrix{Rows: w.network.outputs, Cols: hidden, Data: params[n:]}
	for r := range x.Rows {
		for k, h := range said.Row(r) {
			if h <= 0 {
				continue
			}
			slope := 0.0
			for c, s := range slopes.Row(r) {
				slope += s * last.Row(c)[k]
			}
			dst.Row(r).AddScaled(slope, first.Row(k))
		}
	}
	return 0
}

// derivesInputs compares the gradient of an InputWorker with differences along random lines, of
// rows that are no tokens.
func derivesInputs(b *bench) string {
	w, ok := b.model.Worker().(fl.InputWorker)
	if !ok || b.data.Shape.Tokens > 0 {
		return ""
	}
	const weight, lines, rows, before = 0.5, 12, 6, 7.0
	rng, x := rand.New(rand.NewPCG(4, 9)), b.data.X.Slice(0, rows)
	scores, trash := fl.NewMatrix(rows, b.width()), fl.NewMatrix(rows, x.Cols)
	slopes := fl.Matrix{Rows: rows, Cols: b.width(), Data: normals(rng, rows*b.width(), 1)}
	value := func(theta fl.Vector, x fl.Matrix) float64 {
		w.Scores(scores, theta, x)
		return fl.Vector(scores.Data).Dot(slopes.Data) +
			weight*w.InputGradient(trash, theta, x, slopes, weight)
	}
	for k, theta := range b.points[:2] {
		grad := fl.NewMatrix(rows, x.Cols)
		fl.Vector(grad.Data).Fill(before)
		w.InputGradient(grad, theta, x, slopes, weight)
		g := fl.Vector(grad.Data)
		g.AddConst(-before)
		off, size := 0.0, 0.0
		h := 3e-4 / math.Sqrt(1+g.Norm()) // steep scores are bent, and float32 needs a difference
		for range lines {
			v := normals(rng, len(g), 1/math.Sqrt(float64(len(g))))
			if norm := g.Norm(); norm > 0 {
				v.AddScaled(1/norm, g) // else slopes drown in rounding
			}
			up, down := fl.Vector(x.Data).Clone(), fl.Vector(x.Data).Clone()
			up.AddScaled(h, v)
			down.AddScaled(-h, v)
			slope := (value(theta, fl.Matrix{Rows: rows, Cols: x.Cols, Data: up}) -
				value(theta, fl.Matrix{Rows: rows, Cols: x.Cols, Data: down})) / (2 * h)
			off += math.Abs(slope-g.Dot(v)) / lines
			size += math.Abs(slope) / lines
		}
		if !(off <= 2e-2*size+1e-4) {
			return fmt.Sprintf("point %d: off by %.2g where slopes are %.2g", k+1, off, size)
		}
	}
	return ""
}
