// Softmax — multinomial logistic regression: scores W·x + b, cross-entropy loss.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Section 4, MNIST classification.
//
// Notation: θ = W (C×d, one row per class), then b (C); P softmax of the scores.
// Departures: none. The optional penalty (l2/2)‖W‖² leaves b free; Σb then keeps the
// value it started with, zero, and the optimum is the one with Σb = 0.
//
// double_softmax is for parity with code that hands the probabilities P to a cross-entropy which
// takes its input for scores, as that of SLOT-Align does: the loss is −log softmax(P)_y, the
// scores are P. That loss is not convex, and never below log(1 + (C − 1)/e).

package model

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Softmax describes the model to the registry.
var Softmax = fl.ModelEntry{
	Name:    "softmax",
	Summary: "multinomial logistic regression with cross-entropy loss",
	Paper:   "fedavot",
	New:     newSoftmax,
	Traits: fl.ModelTraits{Loss: func(params map[string]any) fl.Loss {
		if params["double_softmax"] == true {
			return penalised("cross-entropy of a softmax of probabilities", params)
		}
		return penalised("cross-entropy", params)
	}},
	Example: map[string]any{"l2": 0.1},
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes == 0 {
			return errors.New("needs classes; these data have a regression target")
		}
		return nil
	},
}

type softmax struct {
	l2       float64 // weight of the penalty, ≥ 0
	bias     bool
	double   bool // scores are probabilities
	features int  // d; 0 until For
	classes  int  // C
}

var _ fl.Model = (*softmax)(nil)

func newSoftmax(p *fl.Params) (fl.Model, error) {
	return &softmax{
		l2: p.Float("l2", 0, fl.AtLeast(0),
			"penalty (l2/2)‖W‖²; above 0 the optimum can be computed"),
		bias: p.Bool("bias", true, "add a constant to every score"),
		double: p.Bool("double_softmax", false, "parity with code that takes probabilities for "+
			"scores: the loss is −log softmax(softmax(W·x + b))"),
	}, nil
}

// For implements fl.Model.
func (m *softmax) For(in fl.Shape) (fl.Model, error) {
	sized := *m
	sized.features, sized.classes = in.Features, in.Classes
	return &sized, nil
}

// Layout implements fl.Model.
func (m *softmax) Layout() fl.Layout {
	return denseLayout(m.classes, m.features, m.bias)
}

// Init starts at zero: every class is equally likely.
func (m *softmax) Init(*rand.Rand) fl.Vector { return make(fl.Vector, m.Layout().Len()) }

// Worker implements fl.Model.
func (m *softmax) Worker() fl.Worker { return &softmaxWorker{model: m} }

// together is how many samples softmax takes at a time: their features stay in the cache
// between the product that scores them and the one that yields the gradient.
const together = 64

// A softmaxWorker takes samples in blocks.
type softmaxWorker struct {
	model  *softmax
	space  kernel.Workspace
	scores []float64 // of a block, C of each sample
	prob   []float64 // of a block: probabilities that are scores
	wide   wideRoom  // for the rows of a block that is gathered or packed
	labels []int

	guide *fl.Guidance // nil: none
	list  []int        // the rows of the gradient that is guided
	sum   float64      // the mean loss of it
	soft  softLoss
}

var _ fl.PackedWorker = (*softmaxWorker)(nil)

// split returns W and b; b is nil without a bias.
func (m *softmax) split(params fl.Vector) (w fl.Matrix, b fl.Vector) {
	n := m.classes * m.features
	if m.bias {
		b = params[n:]
	}
	return fl.Matrix{Rows: m.classes, Cols: m.features, Data: params[:n]}, b
}

// score sets dst = W·x + b.
func (m *softmax) score(dst, params, x fl.Vector) {
	w, b := m.split(params)
	w.MulVec(dst, x)
	for c := range b {
		dst[c] += b[c]
	}
}

// block sets dst = X·Wᵀ + b for the rows of X, or to the softmax of that.
func (k *softmaxWorker) block(dst []float64, params fl.Vector, x fl.Matrix) {
	w, b := k.model.split(params)
	kernel.Gemm64(&k.space, kernel.RowMajor(dst, x.Rows, w.Rows),
		kernel.RowMajor(x.Data, x.Rows, x.Cols), kernel.RowMajor(w.Data, w.Rows, w.Cols).T(), false)
	for i := range x.Rows {
		for c := range b {
			dst[i*w.Rows+c] += b[c]
		}
		if k.model.double {
			row := dst[i*w.Rows:][:w.Rows]
			kernel.Softmax(row, row)
		}
	}
}

// A part is a block of the n samples of a gradient, from sample lo on.
type part struct{ lo, n int }

// lossSlopes turns scores of a block into the gradient of the mean loss at them.
func (k *softmaxWorker) lossSlopes(scores []float64, y []int, p part) {
	if k.guide == nil || k.guide.Targets.Weight == 0 {
		k.sum += kernel.CrossEntropy(scores, scores, y, 1/float64(p.n)) / float64(p.n)
		return
	}
	for i, label := range y {
		s := fl.Vector(scores[i*k.model.classes:][:k.model.classes])
		k.sum += k.soft.slope(s, s, k.guide.Targets.Prob.Row(rowOf(k.list, p.lo+i)),
			&k.guide.Targets, label) / float64(p.n)
		s.Scale(1 / float64(p.n))
	}
}

// slopes turns scores of a block into what the mean loss changes by as W·x + b does.
func (k *softmaxWorker) slopes(scores []float64, y []int, p part) {
	if !k.model.double {
		k.lossSlopes(scores, y, p)
		return
	}
	k.prob = append(k.prob[:0], scores...)
	k.lossSlopes(scores, y, p)
	k.through(scores)
}

// through turns the gradient at the probabilities of a block into that at W·x + b.
func (k *softmaxWorker) through(slopes []float64) {
	for lo := 0; lo < len(slopes); lo += k.model.classes {
		s, p := fl.Vector(slopes[lo:][:k.model.classes]), fl.Vector(k.prob[lo:][:k.model.classes])
		s.AddConst(-s.Dot(p))
		s.Mul(p) // the derivative of p by the scores beneath is Diag(p) − ppᵀ
	}
}

// room returns space for the scores of n samples.
func (k *softmaxWorker) room(n int) []float64 {
	if size := n * k.model.classes; size > len(k.scores) {
		k.scores = make([]float64, size)
	}
	return k.scores[:n*k.model.classes]
}

// Scores implements fl.Worker.
func (k *softmaxWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	for lo := 0; lo < x.Rows; lo += together {
		hi := min(lo+together, x.Rows)
		k.block(dst.Slice(lo, hi).Data, params, x.Slice(lo, hi))
	}
}

// PackedScores implements fl.PackedWorker.
func (k *softmaxWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	for lo := 0; lo < dst.Rows; lo += together {
		hi := min(lo+together, dst.Rows)
		k.block(dst.Slice(lo, hi).Data, params, k.wide.packed(&rows, lo, hi))
	}
}

// Loss implements fl.Worker.
func (k *softmaxWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	sum := 0.0
	for lo := 0; lo < d.Len(); lo += together {
		hi := min(lo+together, d.Len())
		scores := k.room(hi - lo)
		k.block(scores, params, k.wide.slice(d, lo, hi))
		sum += kernel.CrossEntropy(scores, scores, d.Y[lo:hi], 1)
	}
	return overflown(sum/float64(d.Len()) + k.model.penalty(params))
}

func (m *softmax) penalty(params fl.Vector) float64 {
	if m.l2 == 0 {
		return 0
	}
	w, _ := m.split(params)
	return m.l2 / 2 * fl.Vector(w.Data).Dot(w.Data)
}

// Gradient implements fl.Worker: (P − Y)ᵀX/n + l2·W.
func (k *softmaxWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	n := len(rows)
	if rows == nil {
		n = d.Len()
	}
	w, b := k.model.split(grad)
	for lo := 0; lo < n; lo += together {
		hi := min(lo+together, n)
		x, y := k.gather(d, rows, lo, hi)
		slopes := k.room(hi - lo)
		k.block(slopes, params, x)
		k.slopes(slopes, y, part{lo, n})
		by := kernel.RowMajor(slopes, hi-lo, w.Rows)
		kernel.Gemm64(&k.space, kernel.RowMajor(w.Data, w.Rows, w.Cols), by.T(),
			kernel.RowMajor(x.Data, x.Rows, x.Cols), true)
		for i := range hi - lo {
			for c := range b {
				b[c] += slopes[i*w.Rows+c]
			}
		}
	}
	if k.model.l2 > 0 {
		own, _ := k.model.split(params)
		fl.Vector(w.Data).AddScaled(k.model.l2, own.Data)
	}
}

// gather returns features and labels of rows lo to hi of a list, of all rows when it is nil.
func (k *softmaxWorker) gather(d *fl.Dataset, rows []int, lo, hi int) (fl.Matrix, []int) {
	if rows == nil {
		return k.wide.slice(d, lo, hi), d.Y[lo:hi]
	}
	k.labels = k.labels[:0]
	for _, r := range rows[lo:hi] {
		k.labels = append(k.labels, d.Y[r])
	}
	return k.wide.pick(d, rows[lo:hi]), k.labels
}

// Descend implements fl.Worker.
func (k *softmaxWorker) Descend(d *fl.Descent) { d.Follow(k) }

// addOuter adds s·xᵀ to the weights of dst and s to its bias.
func (m *softmax) addOuter(dst, s, x fl.Vector) {
	w, b := m.split(dst)
	for c, v := range s {
		w.Row(c).AddScaled(v, x)
	}
	for c := range b {
		b[c] += s[c]
	}
}

// toProbabilities turns scores into softmax probabilities in place and returns their
// log-sum-exp.
func toProbabilities(scores fl.Vector) float64 {
	top := math.Inf(-1)
	for _, s := range scores {
		top = math.Max(top, s)
	}
	sum := 0.0
	for c, s := range scores {
		scores[c] = math.Exp(s - top)
		sum += scores[c]
	}
	scores.Scale(1 / sum)
	return top + math.Log(sum)
}

// Facts implements fl.Model: the penalty makes the objective strongly convex.
func (m *softmax) Facts() fl.ModelFacts {
	if m.l2 == 0 || m.double {
		return fl.ModelFacts{Packed: true}
	}
	return fl.ModelFacts{Solve: m.solve, Packed: true}
}

// solve runs Newton's method to a gradient of 1e-12.
func (m *softmax) solve(pop *fl.Population, w fl.Vector) (fl.Optimum, error) {
	return newton(&crossEntropy{model: m, pop: pop, share: w,
		room: make(fl.Vector, m.features)}, m.Layout().Len())
}
