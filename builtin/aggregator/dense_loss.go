package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// An ensembleLoss is the loss that a generator of DENSE descends on.
type ensembleLoss struct {
	worker            fl.InputWorker
	models            [][]float64
	moments, opposing float64 // λ₁, λ₂
	labels            []int   // y, of each row

	teacher fl.Matrix // scores D of the rows that were seen last
	own     fl.Matrix // those of one model
	slopes  fl.Matrix // gradients at scores
	p, q    fl.Vector // chances of a row, by ensemble and student
}

// build makes room for so many rows and classes.
func (e *ensembleLoss) build(rows, classes int) {
	e.labels = make([]int, rows)
	e.teacher, e.own = fl.NewMatrix(rows, classes), fl.NewMatrix(rows, classes)
	e.slopes = fl.NewMatrix(rows, classes)
	e.p, e.q = make(fl.Vector, classes), make(fl.Vector, classes)
}

// loss returns the loss of rows x, and adds its gradient there to grad.
func (e *ensembleLoss) loss(grad, x fl.Matrix, student fl.Vector) (loss float64) {
	share := 1 / float64(len(e.models))
	clear(e.teacher.Data)
	for _, theta := range e.models {
		e.worker.Scores(e.own, theta, x)
		fl.Vector(e.teacher.Data).AddScaled(share, e.own.Data)
	}
	e.worker.Scores(e.own, student, x)
	loss = e.ofScores(x.Rows)
	if e.opposing > 0 {
		e.worker.InputGradient(grad, student, x, e.own, 0)
	}
	fl.Vector(e.slopes.Data).Scale(share)
	for _, theta := range e.models {
		weight := share * e.moments
		loss += weight * e.worker.InputGradient(grad, theta, x, e.slopes, weight)
	}
	return loss
}

// ofScores returns the part of the loss that is of scores, and sets slopes to its gradient at those
// of the ensemble, and own to that at those of the student.
func (e *ensembleLoss) ofScores(n int) (loss float64) {
	share := 1 / float64(n)
	for i, y := range e.labels {
		d, s := e.teacher.Row(i), e.own.Row(i)
		logD, logS := tensor.Softmax(e.p, d), tensor.Softmax(e.q, s)
		loss += share * (logD - d[y])
		at := e.slopes.Row(i)
		copy(at, e.p)
		at[y]--
		at.Scale(share)
		if e.opposing == 0 || d.ArgMax() == s.ArgMax() {
			clear(s)
			continue
		}
		divergence := 0.0
		for c, p := range e.p {
			divergence += p * (d[c] - logD - s[c] + logS)
		}
		weight := -share * e.opposing
		loss += weight * divergence
		for c, p := range e.p {
			at[c] += weight * p * (d[c] - logD - s[c] + logS - divergence)
			s[c] = weight * (e.q[c] - p)
		}
	}
	if math.IsNaN(loss) {
		return math.Inf(1)
	}
	return loss
}
