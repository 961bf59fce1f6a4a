// Logistic — binary logistic regression: P(y = 1 | x) = σ(⟨β, x⟩ + b), log loss.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Section 7, synthetic federated logistic regression.
//
// Notation: θ = β (length d), followed by b where there is a bias; s = ⟨β, x⟩ + b, and
// σ(t) = 1/(1 + e⁻ᵗ). The loss of a sample is log(1 + eˢ) − ys for y ∈ {0, 1}.
// Departures: none. The optional penalty (l2/2)‖β‖² leaves b free. Softmax with two classes
// has two vectors where one decides; its penalty is shared by both.

package model

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Logistic describes the model to the registry.
var Logistic = fl.ModelEntry{
	Name:    "logistic",
	Summary: "binary logistic regression with one vector of coefficients",
	Paper:   "fedipw",
	New:     newLogistic,
	Traits: fl.ModelTraits{Loss: func(params map[string]any) fl.Loss {
		return penalised("cross-entropy", params) // the log loss is that of two classes
	}},
	Example: map[string]any{"l2": 0.1},
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes != 2 {
			return fmt.Errorf("needs two classes; these data have %d", s.Shape.Classes)
		}
		return nil
	},
}

type logistic struct {
	l2       float64 // weight of the penalty, ≥ 0
	bias     bool
	features int // d; 0 until For
}

var _ fl.Model = (*logistic)(nil)

func newLogistic(p *fl.Params) (fl.Model, error) {
	return &logistic{
		l2: p.Float("l2", 0, fl.AtLeast(0),
			"penalty (l2/2)‖β‖²; above 0 the optimum can be computed"),
		bias: p.Bool("bias", true, "add a constant b to ⟨β, x⟩"),
	}, nil
}

// For implements fl.Model.
func (m *logistic) For(in fl.Shape) (fl.Model, error) {
	sized := *m
	sized.features = in.Features
	return &sized, nil
}

// Layout implements fl.Model.
func (m *logistic) Layout() fl.Layout { return denseLayout(1, m.features, m.bias) }

// Init starts at zero: both classes are equally likely.
func (m *logistic) Init(*rand.Rand) fl.Vector { return make(fl.Vector, m.Layout().Len()) }

// Worker implements fl.Model.
func (m *logistic) Worker() fl.Worker { return &logisticWorker{model: m} }

// Facts implements fl.Model: the penalty makes the objective strongly convex.
func (m *logistic) Facts() fl.ModelFacts {
	if m.l2 == 0 {
		return fl.ModelFacts{Packed: true}
	}
	return fl.ModelFacts{Solve: m.solve, Packed: true}
}

// split returns β and b.
func (m *logistic) split(params fl.Vector) (beta fl.Vector, b float64) {
	if m.bias {
		b = params[m.features]
	}
	return params[:m.features], b
}

// score sets dst = X·β + b for the rows of X.
func (m *logistic) score(dst, params fl.Vector, x fl.Matrix) {
	beta, b := m.split(params)
	x.MulVec(dst, beta)
	dst.AddConst(b)
}

func (m *logistic) penalty(params fl.Vector) float64 {
	if m.l2 == 0 {
		return 0
	}
	beta, _ := m.split(params)
	return m.l2 / 2 * beta.Dot(beta)
}

// A logisticWorker keeps scratch space: the scores of a block and a batch.
type logisticWorker struct {
	model  *logistic
	scores [together]float64
	batch  kernel.Samples
	wide   wideRoom
}

var _ fl.PackedWorker = (*logisticWorker)(nil)

// Scores implements fl.Worker: 0 for class 0 and s for class 1, so that their softmax is σ(s).
func (k *logisticWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	for lo := 0; lo < x.Rows; lo += together {
		hi := min(lo+together, x.Rows)
		k.pairs(dst.Slice(lo, hi), params, x.Slice(lo, hi))
	}
}

// PackedScores implements fl.PackedWorker.
func (k *logisticWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	for lo := 0; lo < dst.Rows; lo += together {
		hi := min(lo+together, dst.Rows)
		k.pairs(dst.Slice(lo, hi), params, k.wide.packed(&rows, lo, hi))
	}
}

// pairs fills dst with the scores of both classes for the rows of a block.
func (k *logisticWorker) pairs(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	s := fl.Vector(k.scores[:x.Rows])
	k.model.score(s, params, x)
	for i, score := range s {
		row := dst.Row(i)
		row[0], row[1] = 0, score
	}
}

// Loss implements fl.Worker.
func (k *logisticWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	sum := 0.0
	for lo := 0; lo < d.Len(); lo += together {
		hi := min(lo+together, d.Len())
		s := fl.Vector(k.scores[:hi-lo])
		k.model.score(s, params, k.wide.slice(d, lo, hi))
		for i, score := range s {
			sum += logLoss(score, d.Y[lo+i])
		}
	}
	return overflown(sum/float64(d.Len()) + k.model.penalty(params))
}

// Gradient implements fl.Worker: Xᵀ(σ(s) − y)/n + l2·β.
func (k *logisticWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	beta, b := k.model.split(params)
	own := grad[:len(beta)]
	batch := k.gather(d, rows)
	slope := kernel.Logistic(own, beta, batch, b, 1/float64(len(batch.Y)))
	if k.model.bias {
		grad[len(beta)] += slope
	}
	if k.model.l2 > 0 {
		own.AddScaled(k.model.l2, beta)
	}
}

// gather returns the given rows of d, all when nil, one after another.
func (k *logisticWorker) gather(d *fl.Dataset, rows []int) kernel.Samples {
	k.batch.Y = k.batch.Y[:0]
	if rows == nil {
		for _, y := range d.Y {
			k.batch.Y = append(k.batch.Y, float64(y))
		}
	}
	for _, r := range rows {
		k.batch.Y = append(k.batch.Y, float64(d.Y[r]))
	}
	k.batch.X = k.wide.pick(d, rows).Data
	return k.batch
}

// Descend implements fl.Worker.
func (k *logisticWorker) Descend(d *fl.Descent) { d.Follow(k) }
