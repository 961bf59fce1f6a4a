package fuse

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Network is a parameter vector and what it means.
type Network struct {
	Layout fl.Layout
	Params fl.Vector

	// Neurons are Activations on samples that both networks see; where both have them, neurons are
	// compared by them. Nil: by their weights.
	Neurons []fl.Matrix
}

// matrix returns block b of the network as a matrix that shares its memory.
func (n *Network) matrix(b *fl.Block) fl.Matrix {
	size := b.Rows * b.Cols
	return fl.Matrix{Rows: b.Rows, Cols: b.Cols, Data: n.Params[b.Offset : b.Offset+size]}
}

// A Solver finds transport plans: ot.Entropic or ot.Exact.
type Solver interface {
	Solve(t ot.Transport) ot.Coupling
	Plan(dst tensor.Matrix) // of the last problem
}

// A Step is the plan between two layers, and how it was found.
type Step struct {
	Layer     int       // of Layout.Layers: the first that yields these channels
	Plan      fl.Matrix // T, neurons of the one × neurons of the other
	Cost      float64   // ⟨T, C⟩
	Residual  float64   // as the solver says
	Sweeps    int       // as the solver says; of several groups the most
	Converged bool
}

// An Aligner rewrites networks in terms of the neurons of others, by plans with uniform
// marginals. Its zero value but for Solver is the method as published. One goroutine uses it
// at a time.
type Aligner struct {
	Solver Solver
	Root   bool // a cost is the distance of two neurons, not its square
	Bare   bool // biases do not count in it
	Output bool // the neurons of the last layer are transported, too: classes lose their order

	// Rounded has plans moved to their marginals exactly, by ot.Round.
	Rounded bool
	// Loose says that plans need not have their marginals. A neuron of the other network to which
	// next to nothing comes has no partner: in what is aligned it is the other network's.
	Loose bool
	// Printed has plans divided by the numbers of neurons, as (23) and (25) of CODE print, and not
	// by their sums: what is aligned is then smaller by the square of these numbers.
	Printed bool
	// See is shown each problem that was solved, of the k-th Step, with its plan before it is
	// rounded. Nothing of it may be kept. Nil: it is not shown.
	See func(k int, t ot.Transport, found ot.Coupling, plan fl.Matrix)

	space kernel.Workspace
	rows  [2]fl.Matrix // room for the neurons of a layer
}

// Align sets dst to the parameters of from in terms of the neurons of to: it is laid out as to
// is. It returns the plans, in the order of layers.
func (a *Aligner) Align(dst fl.Vector, from, to Network) ([]Step, error) {
	if err := alike(&from.Layout, &to.Layout); err != nil {
		return nil, err
	}
	if !from.Params.Finite() || !to.Params.Finite() {
		return nil, errors.New("a network with NaN or Inf cannot be aligned")
	}
	p, err := a.pass(from, to, dst)
	if err != nil {
		return nil, err
	}
	for i := range to.Layout.Layers {
		if err := p.layer(i); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
	}
	return p.steps, nil
}

// pass returns an alignment that is about to begin.
func (a *Aligner) pass(from, to Network, dst fl.Vector) (p *pass, err error) {
	p = &pass{Aligner: a, from: from, to: to, dst: Network{Layout: to.Layout, Params: dst},
		ties: tie(&to.Layout)}
	if p.heads, err = headsOf(&to.Layout, p.ties); err != nil {
		return nil, err
	}
	p.maps = make([]*channels, len(p.ties))
	first := &channels{same: true}
	if a.Printed {
		n := float64(to.Layout.Layers[0].In.C)
		first.in = 1 / (n * n) // (22) and (23)
	}
	p.maps[p.ties.root(input)] = first
	if last := len(to.Layout.Layers) - 1; !a.Output {
		p.maps[p.ties.root(last)] = &channels{same: true}
	}
	return p, nil
}

// alike returns why two networks cannot be aligned.
func alike(a, b *fl.Layout) error {
	if a.Layers == nil || b.Layers == nil {
		return fmt.Errorf("a model without layers has no neurons to align")
	}
	if len(a.Layers) != len(b.Layers) {
		return fmt.Errorf("the networks differ in depth: %d and %d layers",
			len(a.Layers), len(b.Layers))
	}
	for i := range a.Layers {
		x, y := &a.Layers[i], &b.Layers[i]
		switch {
		case x.Kind != y.Kind:
			return fmt.Errorf("layer %d is %s in one network and %s in the other",
				i, x.Kind, y.Kind)
		case fmt.Sprint(x.From) != fmt.Sprint(y.From):
			return fmt.Errorf("layer %d is fed by different layers", i)
		case x.KH != y.KH || x.KW != y.KW || x.Stride != y.Stride || x.Pad != y.Pad ||
			x.Groups != y.Groups || len(x.Blocks) != len(y.Blocks):
			return fmt.Errorf("layer %d, %s, differs in more than its width", i, x.Kind)
		case (x.Kind == fl.KindAttention || x.Kind == fl.KindSelf) && x.Out.C != y.Out.C:
			return fmt.Errorf("layer %d has heads of %d channels in one network and %d in the "+
				"other", i, x.Out.C/x.Groups, y.Out.C/y.Groups)
		}
	}
	return nil
}

// A pass is one alignment on its way.
type pass struct {
	*Aligner
	from, to, dst Network
	ties          ties
	heads         map[int]heads // by root of ties
	maps          []*channels   // by root of ties; nil: open
	steps         []Step
}

// Aligns reports whether layers of a kind can be aligned.
func Aligns(kind fl.LayerKind) bool {
	switch kind {
	case fl.KindDense, fl.KindConv, fl.KindGroupNorm, fl.KindBatchNorm, fl.KindLayerNorm,
		fl.KindAdd, fl.KindAttention, fl.KindSelf, fl.KindEmbedding,
		fl.KindPosition, fl.KindToken, fl.KindTied:
		return true
	}
	return alone(kind)
}

// Fits returns why networks of a layout cannot be aligned, neither by an Aligner nor by a Matcher.
func Fits(l *fl.Layout) error {
	if l.Layers == nil {
		return errors.New("a model without layers has no neurons to align")
	}
	for i := range l.Layers {
		if k := l.Layers[i].Kind; !Aligns(k) {
			return fmt.Errorf("layer %d: cannot align a layer of kind %s", i, k)
		}
	}
	_, err := headsOf(l, tie(l))
	return err
}

// layer rewrites layer i.
func (p *pass) layer(i int) error {
	l := &p.to.Layout.Layers[i]
	switch l.Kind {
	case fl.KindDense, fl.KindConv:
		return p.neurons(i)
	case fl.KindEmbedding, fl.KindPosition, fl.KindToken:
		return p.vectors(i)
	case fl.KindGroupNorm, fl.KindBatchNorm, fl.KindLayerNorm:
		for _, name := range []string{
			fl.NormScale, fl.NormOffset, fl.RunningMean, fl.RunningVariance,
		} {
			if err := p.carry(i, name, p.maps[p.ties.root(i)]); err != nil {
				return err
			}
		}
	default: // a layer that shares the weights of another comes with that one
		if !Aligns(l.Kind) {
			return fmt.Errorf("cannot align a layer of kind %s", l.Kind)
		}
	}
	return nil
}

// neurons rewrites a layer with weights: first its incoming side, then, by a plan, its outgoing
// side.
func (p *pass) neurons(i int) error {
	l := &p.to.Layout.Layers[i]
	own, other := p.from.Layout.Block(i, fl.Weight), p.to.Layout.Block(i, fl.Weight)
	w, err := p.own(i)
	if err != nil {
		return err
	}
	at := p.ties.root(i)
	if p.maps[at] == nil {
		if p.maps[at], err = p.couple(i, w); err != nil {
			return err
		}
	}
	out := p.maps[at]
	if err := out.fit(own.Rows, other.Rows); err != nil {
		return err
	}
	dst := p.dst.matrix(other)
	out.outgoing(&p.space, dst, w)
	p.maps[p.ties.root(l.From[0])].keepColumns(dst, p.to.matrix(other))
	out.keepRows(dst, p.to.matrix(other))
	return p.carry(i, fl.Bias, out)
}

// vectors rewrites a layer whose weights have a column for each channel: a vector for each token of
// an embedding, for each position, or for the class token.
func (p *pass) vectors(i int) error {
	own, other := p.from.Layout.Block(i, fl.Weight), p.to.Layout.Block(i, fl.Weight)
	if own.Rows != other.Rows {
		return fmt.Errorf("%d vectors in one network and %d in the other, and they must be as many",
			own.Rows, other.Rows)
	}
	at := p.ties.root(i)
	if p.maps[at] == nil && p.to.Layout.Layers[i].Kind == fl.KindEmbedding {
		w, err := p.own(i)
		if err != nil {
			return err
		}
		if p.maps[at], err = p.couple(i, w); err != nil {
			return err
		}
	}
	if err := p.maps[at].fit(own.Cols, other.Cols); err != nil {
		return err
	}
	dst := p.dst.matrix(other)
	p.maps[at].outgoingColumns(&p.space, dst, p.from.matrix(own))
	p.maps[at].keepColumns(dst, p.to.matrix(other))
	return nil
}

// own returns the weights of a layer with a row for each channel that it yields, in terms of the
// channels that enter it of the other network.
func (p *pass) own(i int) (fl.Matrix, error) {
	w := p.from.matrix(p.from.Layout.Block(i, fl.Weight))
	if l := &p.to.Layout.Layers[i]; l.Kind != fl.KindEmbedding {
		return p.incoming(p.maps[p.ties.root(l.From[0])], w, p.to.Layout.Block(i, fl.Weight).Cols)
	}
	if tokens := p.to.Layout.Block(i, fl.Weight).Rows; tokens != w.Rows {
		return w, fmt.Errorf("%d tokens in one network and %d in the other", w.Rows, tokens)
	}
	return transposed(w), nil
}

// transposed returns the transpose of a matrix.
func transposed(m fl.Matrix) fl.Matrix {
	t := fl.NewMatrix(m.Cols, m.Rows)
	for i := range t.Rows {
		for j := range t.Cols {
			t.Row(i)[j] = m.Row(j)[i]
		}
	}
	return t
}

// incoming returns weights whose columns are those of the other network: W·T·diag(1/Tᵀ1), for
// every pixel of a window or a flattened image.
func (p *pass) incoming(in *channels, w fl.Matrix, cols int) (fl.Matrix, error) {
	if in.same {
		if w.Cols != cols {
			return w, fmt.Errorf("%d columns in one network and %d in the other, of channels "+
				"that are the same", w.Cols, cols)
		}
		if in.in != 0 {
			w = clone(w)
			fl.Vector(w.Data).Scale(in.in)
		}
		return w, nil
	}
	pixels := w.Cols / in.p.Rows
	if pixels*in.p.Rows != w.Cols || pixels*in.p.Cols != cols {
		return w, fmt.Errorf("%d and %d columns are no multiples of %d and %d channels",
			w.Cols, cols, in.p.Rows, in.p.Cols)
	}
	next := fl.NewMatrix(w.Rows, cols)
	kernel.Gemm64(&p.space, kernel.RowMajor(next.Data, w.Rows*pixels, in.p.Cols),
		kernel.RowMajor(w.Data, w.Rows*pixels, in.p.Rows),
		kernel.RowMajor(in.p.Data, in.p.Rows, in.p.Cols), false)
	if in.in != 0 {
		fl.Vector(next.Data).Scale(in.in)
	}
	return next, nil
}

// carry rewrites a block that has one number per channel; a layer without it has none.
func (p *pass) carry(i int, name string, by *channels) error {
	own, other := p.from.Layout.Block(i, name), p.to.Layout.Block(i, name)
	if own == nil {
		return nil
	}
	if err := by.fit(own.Rows, other.Rows); err != nil {
		return err
	}
	by.outgoing(&p.space, p.dst.matrix(other), p.from.matrix(own))
	by.keepRows(p.dst.matrix(other), p.to.matrix(other))
	return nil
}
