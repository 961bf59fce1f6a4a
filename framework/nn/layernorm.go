package nn

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// LayerNorm gives the channels of each position of a sequence mean 0 and variance 1, and then every
// channel a trained scale and offset (Ba, Kiros, Hinton. Layer Normalization. 2016).
func LayerNorm() Layer { return layerNorm{} }

type layerNorm struct {
	shape         Shape
	scale, offset *fl.Block
}

func (l layerNorm) fit(b *builder) error {
	in := b.shape
	if !in.isSequence() {
		return fmt.Errorf("layer-norm: %v is no sequence, and would stay %[1]v", in)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindLayerNorm}, in,
		fl.Block{Name: fl.NormScale, Rows: in.C, Cols: 1},
		fl.Block{Name: fl.NormOffset, Rows: in.C, Cols: 1})
	b.ops = append(b.ops, layerNorm{in, blocks[0], blocks[1]})
	return nil
}

func (l layerNorm) stage(*Tape) stage {
	c := l.shape.C
	return &layerNormStage{layerNorm: l, sum: make([]float32, c), zero: make([]float32, c),
		columns: make([]float64, 4*c), hat: make([]float32, max(together, c))}
}

type layerNormStage struct {
	layerNorm
	x       []float32 // the input, until backward
	y       []float32 // the output
	hat     []float32 // of a few positions, the output before scale and offset
	root    []float32 // 1/√(variance + ε) by position
	shift   []float32 // −mean/√(variance + ε)
	moments []float64 // of positions, first the sums and then the products
	columns []float64 // of channels, the same; and then those of a few positions
	sum     []float32 // of the rows of a gradient
	zero    []float32
}

func (s *layerNormStage) reserve(n int) {
	s.y, s.moments = make([]float32, n*s.shape.Len()), make([]float64, 2*n*s.shape.H)
	s.root, s.shift = make([]float32, n*s.shape.H), make([]float32, n*s.shape.H)
}

// together is how many numbers are worked on until nothing more is done to them: they stay in the
// first-level cache.
const together = 4096

// parts yields positions lo to hi that are worked on together.
func (s *layerNormStage) parts(p *pass) func(yield func(lo, hi int) bool) {
	all, some := p.n*s.shape.H, max(1, together/s.shape.C)
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < all; lo += some {
			if !yield(lo, min(lo+some, all)) {
				return
			}
		}
	}
}

func (s *layerNormStage) forward(p *pass, x []float32) []float32 {
	c, scale, offset := s.shape.C, part(p.params, s.scale), part(p.params, s.offset)
	s.x = x[:p.n*s.shape.Len()]
	for lo, hi := range s.parts(p) {
		sums, squares := s.momentsOf(lo, hi)
		kernel.RowMoments32(sums, squares, x[lo*c:hi*c], x[lo*c:hi*c])
		for r, sum := range sums {
			mean := sum / float64(c)
			root := 1 / math.Sqrt(max(0, squares[r]/float64(c)-mean*mean)+steadier)
			s.root[lo+r], s.shift[lo+r] = float32(root), float32(-mean*root)
		}
		y := s.y[lo*c : hi*c]
		s.steady(y, lo, hi)
		kernel.ScaleRows32(y, y, scale, offset, false)
	}
	return s.y[:p.n*s.shape.Len()]
}

// steady makes dst the input of positions, normalised.
func (s *layerNormStage) steady(dst []float32, lo, hi int) {
	c := s.shape.C
	for r := lo; r < hi; r++ {
		x := s.x[r*c:][:c]
		kernel.Blend32(dst[(r-lo)*c:][:c], x, x, [3]float32{s.root[r], 0, s.shift[r]})
	}
}

// momentsOf returns room for those of positions.
func (s *layerNormStage) momentsOf(lo, hi int) (sums, products []float64) {
	half := len(s.moments) / 2
	return s.moments[lo:hi], s.moments[half+lo : half+hi]
}

func (s *layerNormStage) backward(p *pass, dy []float32, needed bool) []float32 {
	c, all, own := s.shape.C, s.columns[:2*s.shape.C], s.columns[2*s.shape.C:]
	clear(all)
	for lo, hi := range s.parts(p) {
		d, hats := dy[lo*c:hi*c], s.hat[:(hi-lo)*c]
		s.steady(hats, lo, hi)
		kernel.Moments32(own[:c], own[c:], d, hats)
		kernel.Axpy(all, 1, own)
		if needed {
			s.backwardInput(p, d, hats, lo)
		}
	}
	s.set(p, s.offset, all[:c])
	s.set(p, s.scale, all[c:])
	return dy
}

// backwardInput turns the gradient at positions from one on into that at their input: with
// x̂ = (x − μ)/σ and γ the scale, (γ·dy − mean(γ·dy) − x̂·mean(γ·dy·x̂))/σ.
func (s *layerNormStage) backwardInput(p *pass, d, hats []float32, lo int) {
	c := s.shape.C
	kernel.ScaleRows32(d, d, part(p.params, s.scale), s.zero, false)
	sums, products := s.momentsOf(lo, lo+len(d)/c)
	kernel.RowMoments32(sums, products, d, hats)
	for r, sum := range sums {
		row, root := d[r*c:][:c], s.root[lo+r]
		to := float64(-root) / float64(c)
		by := [3]float32{root, float32(to * products[r]), float32(to * sum)}
		kernel.Blend32(row, row, hats[r*c:][:c], by)
	}
}

// set makes v the gradient at a block.
func (s *layerNormStage) set(p *pass, b *fl.Block, v []float64) {
	kernel.Narrow(s.sum, v)
	p.set(b, s.sum)
}
