package nn

import (
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A Tape is the workspace of one worker: it runs a net forward and backward, and keeps what
// backward needs. It serves one goroutine at a time and allocates only for the first batch
// of more samples than all before it.
type Tape struct {
	net    *Net
	chain  chain
	norms  []*normStage // that keep running statistics
	limit  int          // samples that there is room for
	slopes []float32    // the gradient at the scores
	input  []float32    // the batch that Gather made
	head   int          // the last dense layer, by index in chain; -1: none
	pull   []float32    // the gradient at the features of what is no loss of scores
	pulled bool         // there is one
	pass   pass
}

// A pass is what the stages of a tape share while they run.
type pass struct {
	n        int // samples
	params   []float32
	grad     []float32         // where gradients go; nil: none is computed at parameters
	trains   bool              // forward is for training
	match    float64           // weight of distance; 0: it is not measured
	distance float64           // of the moments of a batch from running statistics, see Match
	descends bool              // grad is params, and the gradients, scaled by −rate, are added
	rate     float64           // where it descends
	correct  kernel.Correction // of gradients, where it descends
	masks    rand.Source       // of dropout; nil: none
	work     kernel.Workspace
	scratch  []float32    // lent to one stage at a time
	turns    [2][]float32 // gradients at activations: the last one and the next one
	turn     int
}

// Tape returns a workspace for batches of up to the given number of samples. It grows when
// a batch is larger.
func (n *Net) Tape(batch int) *Tape {
	t := &Tape{net: n}
	t.chain = newChain(t, n.ops)
	t.head = headOf(t.chain)
	t.reserve(batch)
	return t
}

// reserve makes room for batches of n samples.
func (t *Tape) reserve(n int) {
	if n <= t.limit {
		return
	}
	t.limit = n
	t.chain.reserve(n)
	t.slopes = make([]float32, n*t.net.out.Len())
	for i := range t.pass.turns {
		t.pass.turns[i] = make([]float32, n*t.net.widest)
	}
}

// lend makes the shared scratch space at least as long as n.
func (t *Tape) lend(n int) {
	if n > len(t.pass.scratch) {
		t.pass.scratch = make([]float32, n)
	}
}

// Forward returns the scores of n ≥ 1 samples x, NHWC, for evaluation: one row per sample,
// valid until the tape runs again.
func (t *Tape) Forward(params, x []float32, n int) []float32 {
	t.pass.trains, t.pass.match = false, 0
	return t.forward(params, x, n)
}

// Train is Forward for training: batch norms use the moments of the batch, and Backward or
// Descend may follow. Until then x must not change. Parameters stay what they are; see
// Track for running statistics.
func (t *Tape) Train(params, x []float32, n int) []float32 {
	t.pass.trains, t.pass.match = true, 0
	return t.forward(params, x, n)
}

func (t *Tape) forward(params, x []float32, n int) []float32 {
	t.reserve(n)
	t.pulled = false
	t.pass.n, t.pass.params = n, params
	return t.chain.forward(&t.pass, x[:n*t.net.in.Len()])
}

// Backward sets grad, of the length of params, to the gradient of the mean loss of the
// batch. It follows Train and a loss, with the same params, once.
func (t *Tape) Backward(grad, params []float32) {
	t.pass.params, t.pass.grad, t.pass.descends = params, grad, false
	t.backward(false)
}

// Descend sets params to params − rate·gradient of the mean loss of the batch: Backward and
// a step of plain gradient descent in one, for the products that yield the gradient of the
// weights add it right to them. It follows Train and a loss, with the same params, once.
// The result is that of Backward and a step but for rounding, about 1e-7 of what is added
// up; to the last bit if rate is a power of two and every sum over samples and pixels fits
// one block of kernel.Gemm32, 256, or tiles one group, 120.
func (t *Tape) Descend(params []float32, rate float32) {
	t.DescendCorrected(params, rate, kernel.Correction{})
}

// DescendCorrected is Descend by the gradient and a correction of it, whose slices are as long as
// Net.Trained says. A block is corrected right before its gradient is added, so that it passes
// through the caches once.
func (t *Tape) DescendCorrected(params []float32, rate float32, c kernel.Correction) {
	t.pass.params, t.pass.grad, t.pass.descends = params, params, true
	t.pass.rate, t.pass.correct = float64(rate), c
	kernel.Scale32(t.ScoreSlopes(), -rate)
	t.backward(false)
}

// Mask makes dropouts draw the masks of Train from a source until the next call; with nil, and at
// first, they change nothing.
func (t *Tape) Mask(source rand.Source) { t.pass.masks = source }

// Masks reports whether there are dropouts.
func (n *Net) Masks() bool {
	return slices.ContainsFunc(n.layout.Layers, func(l fl.Layer) bool {
		return l.Kind == fl.KindDropout
	})
}

// Track moves the running statistics of batch norms, parameters that no gradient trains, a tenth of
// the way towards the moments of the batch of the last Train. It is called once per batch, before
// the tape runs forward again, before or after Backward or Descend.
func (t *Tape) Track(params []float32) {
	t.TrackBy(params, momentum)
}

// TrackBy is Track by a share of the way other than a tenth: by 1/k after the k-th batch of equal
// size, statistics are those of all these batches alike.
func (t *Tape) TrackBy(params []float32, share float64) {
	for _, s := range t.norms {
		s.track(params, share)
	}
}

// next returns the buffer for the next gradient at an activation of size numbers per
// sample. It is not the one that the call before returned.
func (p *pass) next(size int) []float32 {
	p.turn = 1 - p.turn
	return p.turns[p.turn][:p.n*size]
}

// pixels returns the batch in x as a matrix with count rows of cols numbers per sample.
func (p *pass) pixels(x []float32, count, cols int) matrix {
	return kernel.RowMajor(x[:p.n*count*cols], p.n*count, cols)
}

// weight returns a block of the parameters.
func (p *pass) weight(b *fl.Block) matrix {
	return kernel.RowMajor(part(p.params, b), b.Rows, b.Cols)
}

// slope returns a block of the gradient.
func (p *pass) slope(b *fl.Block) matrix {
	return kernel.RowMajor(part(p.grad, b), b.Rows, b.Cols)
}

// corrected reports whether gradients that it descends by are corrected.
func (p *pass) corrected() bool {
	return p.descends && (p.correct.Shift != nil || p.correct.Anchor != nil)
}

// adjust descends by what corrections add to the gradient at n parameters from one of them on. It
// follows the last use of their old values.
func (p *pass) adjust(from, n int) {
	if p.corrected() {
		c, w := p.correct.Part(from, from+n), p.grad[from:from+n]
		c.Add(w, w, -p.rate)
	}
}

// adjustBlock is adjust for all parameters of a block.
func (p *pass) adjustBlock(b *fl.Block) { p.adjust(b.Offset, b.Rows*b.Cols) }

// set makes v the gradient at a block, or descends by it.
func (p *pass) set(b *fl.Block, v []float32) {
	p.adjustBlock(b)
	switch {
	case p.descends:
		kernel.Axpy32(part(p.grad, b), 1, v)
	case p.grad != nil:
		copy(part(p.grad, b), v)
	}
}

// A chain runs stages one after another.
type chain []stage

func newChain(t *Tape, ops []op) chain {
	c := make(chain, len(ops))
	for i, o := range ops {
		c[i] = o.stage(t)
	}
	return c
}

func (c chain) reserve(n int) {
	for _, s := range c {
		s.reserve(n)
	}
}

func (c chain) forward(p *pass, x []float32) []float32 {
	for _, s := range c {
		x = s.forward(p, x)
	}
	return x
}

func (c chain) backward(p *pass, dy []float32, needed bool) []float32 {
	for i := len(c) - 1; i >= 0; i-- {
		dy = c[i].backward(p, dy, needed || i > 0)
	}
	return dy
}
