package model

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/nn"
)

// A network is a model whose scores a neural network computes, in float32: cross-entropy
// where there are classes, else the squared error of one score. Parameters are float64
// outside, so that servers add them up in float64; a Worker works on a copy.
type network struct {
	// layers is the architecture for samples of a shape and so many scores.
	layers func(in nn.Shape, scores int) []nn.Layer
	// tokens is that for rows of tokens; nil: there are none.
	tokens func(in fl.Shape) ([]nn.Layer, error)
	// images is layers where it can fail, and says how many samples run together; nil: it cannot.
	images func(in nn.Shape, scores int) (list []nn.Layer, most int, err error)

	net     *nn.Net // nil until For
	classes int     // 0 for regression
	labels  int     // of a row
	most    int     // samples that run through the network together where there is a choice
}

var _ fl.Model = (*network)(nil)

// Network returns the model of an architecture that has no name in the menu: layers are those
// for samples of a shape and so many scores.
func Network(layers func(in nn.Shape, scores int) []nn.Layer) fl.Model {
	return &network{layers: layers}
}

// ShapeOf returns rows as networks take them: images, or sequences of tokens, or vectors.
func ShapeOf(in fl.Shape) nn.Shape {
	if in.Tokens > 0 {
		return nn.Shape{H: in.Features, W: 1, C: 1}
	}
	if in.Image == (fl.Image{}) {
		return nn.Shape{H: 1, W: 1, C: in.Features}
	}
	return nn.Shape{H: in.Image.H, W: in.Image.W, C: in.Image.C}
}

// For implements fl.Model.
func (m *network) For(in fl.Shape) (fl.Model, error) {
	sized := *m
	sized.classes, sized.labels, sized.most = in.Classes, in.PerRow(), atOnce
	shape, layers, err := ShapeOf(in), []nn.Layer(nil), error(nil)
	switch {
	case m.tokens != nil:
		layers, err = m.tokens(in)
		sized.most = min(atOnce, max(1, positionsAtOnce/in.Features))
	case m.images != nil:
		layers, sized.most, err = m.images(shape, max(1, in.Classes))
	default:
		layers = m.layers(shape, max(1, in.Classes))
	}
	if err != nil {
		return nil, err
	}
	net, err := nn.New(shape, layers...)
	sized.net = net
	return &sized, err
}

// Layout implements fl.Model.
func (m *network) Layout() fl.Layout { return m.net.Layout() }

// Init implements fl.Model: as PyTorch does by default.
func (m *network) Init(rng *rand.Rand) fl.Vector {
	theta := make(fl.Vector, m.net.Params())
	for i, x := range m.net.Init(rng) {
		theta[i] = float64(x)
	}
	return theta
}

// Facts implements fl.Model: nothing is known of the loss.
func (m *network) Facts() fl.ModelFacts { return fl.ModelFacts{Single: true, Packed: true} }

// Worker implements fl.Model.
func (m *network) Worker() fl.Worker {
	n := m.net.Params()
	k := &netWorker{model: m, tape: m.net.Tape(1),
		params: make([]float32, n), grad: make([]float32, n)}
	if m.net.Masks() {
		k.masks = rand.NewPCG(0, 0)
	}
	return k
}

// atOnce is how many samples run through the network together where there is a choice.
const atOnce = 256

// positionsAtOnce is how many positions of sequences do, one sample at least.
const positionsAtOnce = 8192

// A netWorker evaluates a network.
type netWorker struct {
	model  *network
	tape   *nn.Tape
	params []float32
	grad   []float32 // of a batch
	sum    []float32 // of the parts of a batch that is too large to run at once
	slots  [2][]float32
	labels []int

	correct netCorrection
	guide   guide
	loss    float64 // of the batches of GuidedGradient
	target  []float64
	rows    []int
	wide    []float64 // of DenseInputs
	masks   *rand.PCG // of dropout; nil: there is none
}

var (
	_ fl.SampleWorker = (*netWorker)(nil)
	_ fl.PackedWorker = (*netWorker)(nil)
	_ fl.DenseWorker  = (*netWorker)(nil)
)

// take copies parameters, rounded to float32.
func (k *netWorker) take(params fl.Vector) { kernel.Narrow(k.params[:len(params)], params) }

// gather returns a batch of the given rows of d, all when nil.
func (k *netWorker) gather(d *fl.Dataset, rows []int) []float32 {
	if d.Packed.Any() {
		return k.tape.GatherPacked(&d.Packed, rows)
	}
	return k.tape.Gather(d.X.Data, rows)
}

// Scores implements fl.Worker.
func (k *netWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	k.take(params)
	for lo := 0; lo < x.Rows; lo += k.model.most {
		hi := min(lo+k.model.most, x.Rows)
		batch := k.tape.Gather(x.Slice(lo, hi).Data, nil)
		for i, s := range k.tape.Forward(k.params, batch, hi-lo) {
			dst.Data[lo*dst.Cols+i] = float64(s)
		}
	}
}

// PackedScores implements fl.PackedWorker.
func (k *netWorker) PackedScores(dst fl.Matrix, params fl.Vector, rows fl.Packed) {
	k.take(params)
	for lo := 0; lo < dst.Rows; lo += k.model.most {
		hi := min(lo+k.model.most, dst.Rows)
		part := rows.Slice(lo, hi)
		for i, s := range k.tape.Forward(k.params, k.tape.GatherPacked(&part, nil), hi-lo) {
			dst.Data[lo*dst.Cols+i] = float64(s)
		}
	}
}

// Loss implements fl.Worker.
func (k *netWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	k.take(params)
	sum := 0.0
	for lo := 0; lo < d.Len(); lo += k.model.most {
		hi := min(lo+k.model.most, d.Len())
		part := d.Rows(lo, hi)
		scores := k.tape.Forward(k.params, k.gather(&part, nil), hi-lo)
		sum += float64(hi-lo) * k.meanLoss(scores, &part, nil)
	}
	return overflown(sum / float64(d.Len()))
}

// SampleLosses implements fl.SampleWorker.
func (k *netWorker) SampleLosses(dst, params fl.Vector, d *fl.Dataset) {
	k.take(params)
	for lo := 0; lo < d.Len(); lo += k.model.most {
		hi := min(lo+k.model.most, d.Len())
		part := d.Rows(lo, hi)
		scores := k.tape.Forward(k.params, k.gather(&part, nil), hi-lo)
		width := len(scores) / (hi - lo)
		for i := range hi - lo {
			one := part.Rows(i, i+1)
			loss := k.meanLoss(scores[i*width:(i+1)*width], &one, nil)
			if k.model.classes == 0 {
				loss *= float64(hi - lo) // which is a mean over all that ran forward
			}
			dst[lo+i] = overflown(loss)
		}
	}
}

// Gradient implements fl.Worker.
func (k *netWorker) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	k.take(params)
	for i, g := range k.slope(d, rows)[:len(grad)] {
		grad[i] += float64(g)
	}
}

// meanLoss returns the mean loss of a batch whose scores are given, and readies its gradient.
// Rows are those of the batch in d, all when nil.
func (k *netWorker) meanLoss(scores []float32, d *fl.Dataset, rows []int) float64 {
	if k.model.classes == 0 {
		return k.tape.SquaredError(scores, pick(&k.target, d.Target, rows, 1))
	}
	return k.tape.CrossEntropy(scores, pick(&k.labels, d.Y, rows, k.model.labels))
}

// pick returns the elements of list at some rows, all when nil, in space of the worker's. A row has
// so many.
func pick[T any](space *[]T, list []T, rows []int, each int) []T {
	if rows == nil {
		return list
	}
	*space = (*space)[:0]
	for _, r := range rows {
		*space = append(*space, list[r*each:(r+1)*each]...)
	}
	return *space
}

// run runs a batch forward for training, and readies the gradient of its mean loss.
func (k *netWorker) run(d *fl.Dataset, rows []int) {
	n := len(rows)
	if rows == nil {
		n = d.Len()
	}
	scores := k.tape.Train(k.params, k.gather(d, rows), n)
	own := k.meanLoss(scores, d, rows)
	if k.guide.Guidance != nil {
		k.loss += float64(n) * k.guided(own, scores, d, rows)
	}
}

// slope returns the gradient of the mean loss over the given rows of d, all when nil, at the
// worker's parameters. A batch that is too large to run at once runs in parts; batch norms
// then see one part at a time.
func (k *netWorker) slope(d *fl.Dataset, rows []int) []float32 {
	n := len(rows)
	if rows == nil {
		n = d.Len()
	}
	if n <= k.model.most {
		k.run(d, rows)
		k.tape.Backward(k.grad, k.params)
		return k.grad
	}
	if k.sum == nil {
		k.sum = make([]float32, len(k.grad))
	}
	clear(k.sum)
	for lo := 0; lo < n; lo += k.model.most {
		hi := min(lo+k.model.most, n)
		k.run(d, k.part(rows, lo, hi))
		k.tape.Backward(k.grad, k.params)
		kernel.Axpy32(k.sum, float32(hi-lo)/float32(n), k.grad)
	}
	return k.sum
}

// part returns rows lo to hi of a list, of all rows when it is nil.
func (k *netWorker) part(rows []int, lo, hi int) []int {
	if rows != nil {
		return rows[lo:hi]
	}
	k.rows = k.rows[:0]
	for r := lo; r < hi; r++ {
		k.rows = append(k.rows, r)
	}
	return k.rows
}
