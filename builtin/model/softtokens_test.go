package model

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Soft targets of every position that are its labels give the gradient of cross-entropy and its loss,
// of any rows of a batch; and those that are the model's own scores give none.
//
//hansa:verifies invariance model/lstm
func TestSoftTargetsOfEveryPosition(t *testing.T) {
	const tokens, length, n = 5, 4, 6
	shape := fl.Shape{Features: length, Classes: tokens, Tokens: tokens, Labels: length}
	for _, e := range []fl.ModelEntry{LSTM, Transformer} {
		m := made(t, e, map[string]any{"layers": int64(1)}, shape)
		rng := fl.NewStream(3, "tokens").Rand()
		theta := m.Init(rng)
		d := &fl.Dataset{Shape: shape, X: fl.NewMatrix(n, length)}
		hard, own := fl.NewMatrix(n, length*tokens), fl.NewMatrix(n, length*tokens)
		for i := range d.X.Data {
			d.X.Data[i] = float64(rng.IntN(tokens))
			d.Y = append(d.Y, rng.IntN(tokens))
			hard.Data[i*tokens+d.Y[i]] = 1
		}
		w := m.Worker().(fl.GuidedWorker)
		w.Scores(own, theta, d.X)
		for i := range n * length {
			softened(own.Data[i*tokens : (i+1)*tokens])
		}
		for _, rows := range [][]int{nil, {4, 1, 1}} {
			want, got := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
			w.Gradient(want, theta, d, rows)
			guide := fl.Guidance{Targets: fl.SoftTargets{Prob: hard, Temperature: 1, Weight: 1}}
			loss := w.GuidedGradient(got, theta, d, rows, &guide)
			if off := got.Distance(want); off > 1e-6*want.Norm() {
				t.Errorf("%s: gradients are %v apart, of length %v", e.Name, off, want.Norm())
			}
			some := d
			if rows != nil {
				some = d.Pick(rows)
			}
			if l := w.Loss(theta, some); loss < l-1e-5 || loss > l+1e-5 {
				t.Errorf("%s: the loss is %v, want %v", e.Name, loss, l)
			}
			none := make(fl.Vector, len(theta))
			guide.Targets.Prob = own
			if loss := w.GuidedGradient(none, theta, d, rows, &guide); none.Norm() > 1e-6*want.Norm() ||
				loss > 1e-5 {
				t.Errorf("%s: where teacher and student agree, a gradient of %v and a loss of %v", e.Name,
					none.Norm(), loss)
			}
		}
	}
}

// softened makes probabilities of scores, in plain loops.
func softened(s fl.Vector) {
	for i, v := range s {
		s[i] = math.Exp(v)
	}
	s.Scale(1 / s.Sum())
}
