package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// crossEntropy is the objective Σ wᵢ fᵢ of softmax regression as a convex function.
type crossEntropy struct {
	model *softmax
	pop   *fl.Population
	share fl.Vector // w, by client
	prob  fl.Matrix // P at the last Gradient, one row per sample
	v     fl.Vector // scratch, length C
	room  fl.Vector // for a row that is packed
}

var _ stats.Convex = (*crossEntropy)(nil)

// each calls visit for every sample with its weight in the objective.
func (f *crossEntropy) each(visit func(row int, weight float64)) {
	for i, w := range f.share {
		lo, hi := f.pop.Start[i], f.pop.Start[i+1]
		for r := lo; r < hi && w > 0; r++ {
			visit(r, w/float64(hi-lo))
		}
	}
}

// Value implements stats.Convex.
func (f *crossEntropy) Value(x fl.Vector) float64 {
	d, s, sum := f.pop.Train, make(fl.Vector, f.model.classes), 0.0
	f.each(func(r int, weight float64) {
		f.model.score(s, x, d.Row(r, f.room))
		own := s[d.Y[r]]
		sum += weight * (toProbabilities(s) - own)
	})
	return sum + f.model.penalty(x)
}

// Gradient implements stats.Convex.
func (f *crossEntropy) Gradient(dst, x fl.Vector) {
	d := f.pop.Train
	if f.prob.Data == nil {
		f.prob, f.v = fl.NewMatrix(d.Len(), f.model.classes), make(fl.Vector, f.model.classes)
	}
	f.penalise(dst, x)
	f.each(func(r int, weight float64) {
		p := f.prob.Row(r)
		row := d.Row(r, f.room)
		f.model.score(p, x, row)
		toProbabilities(p)
		copy(f.v, p)
		f.v[d.Y[r]]--
		f.v.Scale(weight)
		f.model.addOuter(dst, f.v, row)
	})
}

// Curve implements stats.Convex: the Hessian of one sample maps scores s to P∘(s − ⟨P, s⟩).
func (f *crossEntropy) Curve(dst, v fl.Vector) {
	d := f.pop.Train
	f.penalise(dst, v)
	f.each(func(r int, weight float64) {
		p := f.prob.Row(r)
		row := d.Row(r, f.room)
		f.model.score(f.v, v, row)
		mean := p.Dot(f.v)
		for c := range f.v {
			f.v[c] = weight * p[c] * (f.v[c] - mean)
		}
		f.model.addOuter(dst, f.v, row)
	})
}

// penalise sets dst to the gradient of the penalty at x.
func (f *crossEntropy) penalise(dst, x fl.Vector) {
	clear(dst)
	w, _ := f.model.split(x)
	dst[:len(w.Data)].AddScaled(f.model.l2, w.Data)
}
