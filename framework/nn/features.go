package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// headOf returns the last dense layer of a chain, by index; -1 when it has none. One on every
// position is none.
func headOf(c chain) int {
	for i := len(c) - 1; i >= 0; i-- {
		if s, ok := c[i].(*productStage); ok && s.positions == 1 {
			return i
		}
	}
	return -1
}

// FeatureLen returns how many features of a sample enter the last dense layer; 0 where nothing that
// is trained comes before it, or where there is none.
func (t *Tape) FeatureLen() int {
	if t.head < 1 || t.net.layout.Blocks[0].Layer == t.chain[t.head].(*productStage).w.Layer {
		return 0
	}
	return t.chain[t.head].(*productStage).w.Cols
}

// Len returns the number of samples of the last batch.
func (t *Tape) Len() int { return t.pass.n }

// Features returns the features of the last batch, FeatureLen of each sample, valid until the tape
// runs again.
func (t *Tape) Features() []float32 {
	if t.FeatureLen() == 0 {
		return nil
	}
	return t.chain[t.head].(*productStage).x
}

// DenseInputs calls see for each dense layer of the chain with its weight and what entered it of
// the last batch, a row of w.Cols for each sample or position, valid until the tape runs again.
func (t *Tape) DenseInputs(see func(w *fl.Block, x []float32)) {
	for _, s := range t.chain {
		if dense, ok := s.(*productStage); ok {
			see(dense.w, dense.x)
		}
	}
}

// LayerInputs calls see for each dense layer and each convolution, those of residual and other
// branches included, with its weight and what entered it of the last batch, valid until the tape
// runs again: w.Cols of each sample or position of a dense layer, and all channels of each pixel of
// a convolution.
func (t *Tape) LayerInputs(see func(w *fl.Block, x []float32)) { t.chain.layerInputs(see) }

func (c chain) layerInputs(see func(w *fl.Block, x []float32)) {
	for _, s := range c {
		switch s := s.(type) {
		case *productStage:
			see(s.w, s.x)
		case *convStage:
			see(s.weight, s.x)
		case *pairStage:
			see(s.weight, s.x)
		case *tiledStage:
			see(s.weight, s.x)
		case *joinStage:
			s.main.layerInputs(see)
			s.shortcut.layerInputs(see)
		case *forkStage:
			for _, branch := range s.chains {
				branch.layerInputs(see)
			}
		}
	}
}

// ScoreSlopes returns the gradient at the scores of the batch that a loss kept for Backward or
// Descend, to be changed by losses that are not here.
func (t *Tape) ScoreSlopes() []float32 { return t.slopes[:t.pass.n*t.net.out.Len()] }

// FeatureSlopes returns memory of a gradient at the features of the batch, to be set in every
// element: the next Backward or Descend adds it to that of the loss.
func (t *Tape) FeatureSlopes() []float32 {
	n := t.pass.n * t.FeatureLen()
	if cap(t.pull) < n {
		t.pull = make([]float32, n)
	}
	t.pull, t.pulled = t.pull[:n], n > 0
	return t.pull
}

// backward runs back from the scores, and returns the gradient at the batch where it is needed.
func (t *Tape) backward(needed bool) []float32 {
	dy := t.ScoreSlopes()
	if !t.pulled {
		return t.chain.backward(&t.pass, dy, needed)
	}
	t.pulled = false
	dz := t.chain[t.head:].backward(&t.pass, dy, true)
	factor := float32(1)
	if t.pass.descends {
		factor = float32(-t.pass.rate)
	}
	kernel.Axpy32(dz, factor, t.pull)
	return t.chain[:t.head].backward(&t.pass, dz, needed)
}
