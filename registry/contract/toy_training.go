package contract

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

var _ fl.GuidedWorker = networkWorker{}

// Gradient implements fl.Worker.
func (w networkWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	w.GuidedGradient(grad, params, d, rows, &fl.Guidance{})
}

// GuidedGradient implements fl.GuidedWorker. Soft targets take the place of a share of its loss.
func (w networkWorker) GuidedGradient(grad, params fl.Vector, d *fl.Dataset, rows []int,
	g *fl.Guidance) (loss float64) {
	if rows == nil {
		rows = upTo(d.Len())
	}
	n, share := hidden*w.network.inputs, 1/float64(len(rows))
	said, top := w.hear(params, d.X)
	last := fl.Matrix{Rows: w.network.outputs, Cols: hidden, Data: params[n:]}
	below := fl.Matrix{Rows: hidden, Cols: w.network.inputs, Data: grad[:n]}
	above := fl.Matrix{Rows: w.network.outputs, Cols: hidden, Data: grad[n:]}
	line := w.Worker.(*lineWorker)
	heard := *d
	heard.X = said
	for _, r := range rows {
		slope, pull := make(fl.Vector, hidden), make(fl.Vector, hidden)
		offs := line.residuals(top, &heard, r)
		loss += share * taughtOff(offs, said.Row(r), last, &g.Targets, r)
		for c, off := range offs {
			above.Row(c).AddScaled(share*off, said.Row(r))
			slope.AddScaled(share*off, last.Row(c))
		}
		if g.Penalty != nil {
			in := fl.PenaltyInput{Features: said.Row(r), Grad: pull, Row: r, Label: -1,
				Beside: &g.Beside}
			if d.Y != nil {
				in.Label = d.Y[r]
			}
			loss += share * g.Penalty.Penalise(&in)
			slope.AddScaled(share, pull)
		}
		for k, h := range said.Row(r) {
			if h > 0 {
				below.Row(k).AddScaled(slope[k], d.X.Row(r))
			}
		}
	}
	return loss
}

// taughtOff returns the loss of a sample with these residuals, which become its gradient at the
// scores.
func taughtOff(offs, said fl.Vector, last fl.Matrix, t *fl.SoftTargets, r int) (loss float64) {
	w := t.Weight
	loss = (1 - w) * offs.Dot(offs) / 2
	offs.Scale(1 - w)
	if w == 0 {
		return loss
	}
	p := make(fl.Vector, len(offs))
	last.MulVec(p, said)
	p.Scale(1 / t.Temperature)
	tensor.Softmax(p, p)
	for c, q := range t.Prob.Row(r) {
		offs[c] += w * t.Temperature * (p[c] - q)
		if q > 0 {
			loss += w * t.Temperature * t.Temperature * q * math.Log(q/p[c])
		}
	}
	return loss
}

// FeatureLen implements fl.GuidedWorker.
func (networkWorker) FeatureLen() int { return hidden }

// Features implements fl.GuidedWorker.
func (w networkWorker) Features(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	said, _ := w.hear(params, x)
	copy(dst.Data, said.Data)
}

// Descend implements fl.Worker.
func (w networkWorker) Descend(d *fl.Descent) { d.Follow(w) }
