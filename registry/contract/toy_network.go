package contract

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// hidden is how many neurons the network of fixtures has between its inputs and its scores.
const hidden = 4

// toyNetwork is the network of fixtures: scores V·max(0, W·x) without biases, of which the loss is
// that of a line on what the hidden neurons say. It is for servers that look into networks, and for
// local rules that look at features.
type toyNetwork struct {
	toyLinear
	inputs int
}

var _ fl.Model = toyNetwork{}

func newToyNetwork(in fl.Shape) toyNetwork {
	head := toyLinear{features: hidden, outputs: max(1, in.Classes)}
	return toyNetwork{toyLinear: head, inputs: in.Features}
}

// For implements fl.Model.
func (toyNetwork) For(in fl.Shape) (fl.Model, error) { return newToyNetwork(in), nil }

// Layout implements fl.Model.
func (m toyNetwork) Layout() fl.Layout {
	vector := func(n int) fl.Image { return fl.Image{C: n, H: 1, W: 1} }
	return fl.Layout{
		Blocks: []fl.Block{
			{Name: fl.Weight, Layer: 0, Rows: hidden, Cols: m.inputs},
			{Name: fl.Weight, Layer: 1, Rows: m.outputs, Cols: hidden, Offset: hidden * m.inputs},
		},
		Layers: []fl.Layer{
			{Kind: fl.KindDense, From: []int{-1}, In: vector(m.inputs), Out: vector(hidden),
				Blocks: []int{0}},
			{Kind: fl.KindReLU, From: []int{0}, In: vector(hidden), Out: vector(hidden)},
			{Kind: fl.KindDense, From: []int{1}, In: vector(hidden), Out: vector(m.outputs),
				Blocks: []int{1}},
		},
	}
}

// Init implements fl.Model.
func (m toyNetwork) Init(rng *rand.Rand) fl.Vector { return normals(rng, m.Layout().Len(), 0.5) }

// Facts implements fl.Model: nothing is known.
func (m toyNetwork) Facts() fl.ModelFacts { return fl.ModelFacts{} }

// Worker implements fl.Model.
func (m toyNetwork) Worker() fl.Worker { return networkWorker{m.toyLinear.Worker(), m} }

// A networkWorker has the worker of the last layer look at what hidden neurons say.
type networkWorker struct {
	fl.Worker
	network toyNetwork
}

// Scores implements fl.Worker.
func (w networkWorker) Scores(dst fl.Matrix, params fl.Vector, x fl.Matrix) {
	says, top := w.hear(params, x)
	w.Worker.Scores(dst, top, says)
}

// Loss implements fl.Worker.
func (w networkWorker) Loss(params fl.Vector, d *fl.Dataset) float64 {
	heard := *d
	var top fl.Vector
	heard.X, top = w.hear(params, d.X)
	heard.Moments = nil
	return w.Worker.Loss(top, &heard)
}

// DenseInputs implements fl.DenseWorker.
func (w networkWorker) DenseInputs(params fl.Vector, x fl.Matrix,
	see func(weight *fl.Block, inputs fl.Matrix)) {
	blocks := w.network.Layout().Blocks
	see(&blocks[0], x)
	says, _ := w.hear(params, x)
	see(&blocks[1], says)
}

// LayerInputs implements fl.LayerWorker: all layers are dense.
func (w networkWorker) LayerInputs(params fl.Vector, x fl.Matrix,
	see func(weight *fl.Block, inputs fl.Matrix)) {
	w.DenseInputs(params, x, see)
}

// hear returns what the hidden neurons say of the rows of x, and the parameters of a line from
// there: V, with a constant of zero.
func (w networkWorker) hear(params fl.Vector, x fl.Matrix) (says fl.Matrix, top fl.Vector) {
	n := hidden * w.network.inputs
	first := fl.Matrix{Rows: hidden, Cols: w.network.inputs, Data: params[:n]}
	says = fl.NewMatrix(x.Rows, hidden)
	for r := range x.Rows {
		first.MulVec(says.Row(r), x.Row(r))
		for k, s := range says.Row(r) {
			says.Row(r)[k] = max(0, s)
		}
	}
	return says, append(params[n:].Clone(), make(fl.Vector, w.network.outputs)...)
}
