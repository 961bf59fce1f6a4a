package model

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A softLoss is the loss of samples whose targets are soft.
type softLoss struct {
	scaled, own fl.Vector // softmax(s/T), softmax(s)
}

// slope sets grad to the gradient at the scores of a label, given what the teacher says of it, and
// returns its loss. grad may be the scores.
func (k *softLoss) slope(grad, scores, teacher fl.Vector, t *fl.SoftTargets, label int) (
	loss float64) {
	n := len(scores)
	if cap(k.own) < n {
		k.own, k.scaled = make(fl.Vector, n), make(fl.Vector, n)
	}
	k.own, k.scaled = k.own[:n], k.scaled[:n]
	w, temperature := t.Weight, t.Temperature
	hard := kernel.Softmax(k.own, scores) - scores[label]
	copy(k.scaled, scores)
	k.scaled.Scale(1 / temperature)
	norm, soft := kernel.Softmax(k.scaled, k.scaled), 0.0
	for c, p := range teacher {
		if p > 0 { // 0·log 0 = 0
			soft += p * (math.Log(p) - (scores[c]/temperature - norm))
		}
	}
	for c, p := range teacher {
		grad[c] = (1-w)*k.own[c] + w*temperature*(k.scaled[c]-p)
	}
	grad[label] -= 1 - w
	return (1-w)*hard + w*temperature*temperature*soft
}

// guide is what a netWorker needs to follow Guidance.
type guide struct {
	*fl.Guidance // nil: none
	soft         softLoss
	row          fl.Vector // scores of a sample
	in           fl.PenaltyInput
	z, dz        fl.Vector
}

var (
	_ fl.GuidedWorker     = (*netWorker)(nil)
	_ fl.StatisticsWorker = (*netWorker)(nil)
)

// guided readies the gradient of the guided loss of a batch whose scores are given, after the
// gradient of its own loss, and returns the mean.
func (k *netWorker) guided(own float64, scores []float32, d *fl.Dataset, rows []int) float64 {
	g, n := &k.guide, k.tape.Len()
	if t := &g.Targets; t.Weight > 0 && k.model.classes > 0 {
		own = k.softly(scores, d, rows)
	}
	if g.Penalty != nil {
		own += k.penalise(d, rows) / float64(n)
	}
	return own
}

// softly readies the gradient of the loss by soft targets, and returns the mean over all labels.
func (k *netWorker) softly(scores []float32, d *fl.Dataset, rows []int) (mean float64) {
	g, c, labels := &k.guide, k.model.classes, k.model.labels
	slopes, n := k.tape.ScoreSlopes(), k.tape.Len()*labels
	g.row = vectorOf(g.row, c)
	for i := range n {
		for j := range c {
			g.row[j] = float64(scores[i*c+j])
		}
		r, at := rowOf(rows, i/labels), i%labels
		teacher := g.Targets.Prob.Row(r)[at*c : (at+1)*c]
		mean += g.soft.slope(g.row, g.row, teacher, &g.Targets, d.Y[r*labels+at]) / float64(n)
		for j := range c {
			slopes[i*c+j] = float32(g.row[j] / float64(n))
		}
	}
	return mean
}

// penalise readies the gradient of the penalty on features, and returns the sum.
func (k *netWorker) penalise(d *fl.Dataset, rows []int) (sum float64) {
	if k.FeatureLen() == 0 {
		return 0
	}
	g, n := &k.guide, k.tape.Len()
	z, slopes := k.tape.Features(), k.tape.FeatureSlopes()
	f := len(z) / n
	g.z, g.dz = vectorOf(g.z, f), vectorOf(g.dz, f)
	g.in = fl.PenaltyInput{Features: g.z, Grad: g.dz, Label: -1, Beside: &g.Beside}
	for i := range n {
		for j := range f {
			g.z[j] = float64(z[i*f+j])
		}
		g.in.Row = rowOf(rows, i)
		if d.Y != nil {
			g.in.Label = d.Y[g.in.Row]
		}
		sum += g.Penalty.Penalise(&g.in)
		for j := range f {
			slopes[i*f+j] = float32(g.dz[j] / float64(n))
		}
	}
	return sum
}

// vectorOf returns a vector of length n, in the memory of v where that is large enough.
func vectorOf(v fl.Vector, n int) fl.Vector {
	if cap(v) < n {
		return make(fl.Vector, n)
	}
	return v[:n]
}

// count returns how many rows there are, of d when they are nil.
func count(d *fl.Dataset, rows []int) int {
	if rows == nil {
		return d.Len()
	}
	return len(rows)
}

// rowOf returns the i-th of some rows, of all when they are nil.
func rowOf(rows []int, i int) int {
	if rows == nil {
		return i
	}
	return rows[i]
}

// GuidedGradient implements fl.GuidedWorker.
func (k *netWorker) GuidedGradient(grad, params fl.Vector, d *fl.Dataset, rows []int,
	g *fl.Guidance) float64 {
	k.guide.Guidance, k.loss = g, 0
	k.Gradient(grad, params, d, rows)
	k.guide.Guidance = nil
	return k.loss / float64(count(d, rows))
}

// Statistics implements fl.StatisticsWorker.
func (k *netWorker) Statistics(params fl.Vector, d *fl.Dataset, size int) {
	k.take(params)
	n := d.Len()
	if size = min(size, n, k.model.most); size == 0 {
		size = min(n, k.model.most)
	}
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		part := d.Rows(lo, hi)
		k.tape.Train(k.params, k.gather(&part, nil), hi-lo)
		k.tape.TrackBy(k.params, float64(hi-lo)/float64(hi))
	}
	k.give(params, k.model.net.Trained())
}

// Trained implements fl.StatisticsWorker.
func (k *netWorker) Trained() int { return k.model.net.Trained() }

// FeatureLen implements fl.GuidedWorker.
func (k *netWorker) FeatureLen() int { return k.tape.FeatureLen() }

// Features implements fl.GuidedWorker.
func (k *netWorker) Features(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	k.take(params)
	for lo := 0; lo < x.Rows; lo += k.model.most {
		hi := min(lo+k.model.most, x.Rows)
		k.tape.Forward(k.params, k.tape.Gather(x.Slice(lo, hi).Data, nil), hi-lo)
		for i, z := range k.tape.Features() {
			dst.Data[lo*dst.Cols+i] = float64(z)
		}
	}
}

// DenseInputs implements fl.DenseWorker.
func (k *netWorker) DenseInputs(params fl.Vector, x fl.Matrix,
	see func(weight *fl.Block, inputs fl.Matrix)) {
	k.inputs(params, x, k.tape.DenseInputs, func(w *fl.Block) int { return w.Cols }, see)
}

// LayerInputs implements fl.LayerWorker.
func (k *netWorker) LayerInputs(params fl.Vector, x fl.Matrix,
	see func(weight *fl.Block, inputs fl.Matrix)) {
	l := k.model.Layout()
	channels := map[int]int{} // by number of a weight
	for i := range l.Layers {
		switch w := l.Block(i, fl.Weight); l.Layers[i].Kind {
		case fl.KindDense:
			channels[w.Layer] = w.Cols
		case fl.KindConv:
			channels[w.Layer] = l.Layers[i].In.C
		}
	}
	layers := func(see func(w *fl.Block, z []float32)) {
		k.tape.LayerInputs(func(w *fl.Block, z []float32) {
			if channels[w.Layer] > 0 { // else it is of an embedding, which scores tokens
				see(w, z)
			}
		})
	}
	k.inputs(params, x, layers, func(w *fl.Block) int { return channels[w.Layer] }, see)
}

// inputs shows what enters layers, in rows as long as width says.
func (k *netWorker) inputs(params fl.Vector, x fl.Matrix,
	of func(func(w *fl.Block, z []float32)), width func(w *fl.Block) int,
	see func(weight *fl.Block, inputs fl.Matrix)) {
	k.take(params)
	for lo := 0; lo < x.Rows; lo += k.model.most {
		hi := min(lo+k.model.most, x.Rows)
		k.tape.Forward(k.params, k.tape.Gather(x.Slice(lo, hi).Data, nil), hi-lo)
		of(func(w *fl.Block, z []float32) {
			k.wide = k.wide[:0]
			for _, v := range z {
				k.wide = append(k.wide, float64(v))
			}
			see(w, fl.Matrix{Rows: len(z) / width(w), Cols: width(w), Data: k.wide})
		})
	}
}

// GuidedGradient implements fl.GuidedWorker.
func (k tracked) GuidedGradient(grad, params fl.Vector, d *fl.Dataset, rows []int,
	g *fl.Guidance) float64 {
	loss := k.netWorker.GuidedGradient(grad, params, d, rows, g)
	k.track()
	return loss
}

var _ fl.GuidedWorker = (*softmaxWorker)(nil)

// GuidedGradient implements fl.GuidedWorker.
func (k *softmaxWorker) GuidedGradient(grad, params fl.Vector, d *fl.Dataset, rows []int,
	g *fl.Guidance) float64 {
	k.guide, k.sum, k.list = g, 0, rows
	k.Gradient(grad, params, d, rows)
	k.guide = nil
	return k.sum + k.model.penalty(params)
}

// FeatureLen implements fl.GuidedWorker: the features are the data.
func (k *softmaxWorker) FeatureLen() int { return 0 }

// Features implements fl.GuidedWorker.
func (k *softmaxWorker) Features(fl.Matrix, fl.Vector, fl.Matrix) {}
