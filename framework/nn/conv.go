package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Conv is a convolution (cross-correlation, as is the custom) with out channels and a
// bias, of windows k×k, that moves by stride over the image and pad zeros around it.
func Conv(out, k, stride, pad int) Layer {
	return convolution{out: out, window: window{kh: k, kw: k, stride: stride, pad: pad}}
}

// ConvBare is Conv without a bias, as is the custom before norms.
func ConvBare(out, k, stride, pad int) Layer {
	return convolution{out, window{kh: k, kw: k, stride: stride, pad: pad}, true}
}

type convolution struct {
	out int
	window
	bare bool
}

func (c convolution) fit(b *builder) error {
	in := b.shape
	h, w, ok := c.over(in)
	out := Shape{h, w, c.out}
	if !ok || c.out < 1 {
		return fmt.Errorf("conv: %v does not turn %v into %v", c.window, in, out)
	}
	info := fl.Layer{Kind: fl.KindConv, KH: c.kh, KW: c.kw, Stride: c.stride, Pad: c.pad}
	weight := fl.Block{Name: fl.Weight, Rows: c.out, Cols: c.kh * c.kw * in.C}
	if c.bare {
		b.ops = append(b.ops, c.op(in, out, b.describeBlocks(info, out, weight)[0]))
		return nil
	}
	blocks := b.describeBlocks(info, out, weight, fl.Block{Name: fl.Bias, Rows: c.out, Cols: 1})
	b.ops = append(b.ops, c.op(in, out, blocks[0]), bias{b: blocks[1]})
	return nil
}

// op chooses how the convolution is done. The rule knows shapes only: the results must not
// depend on the machine, nor those of a sample on its batch.
func (c convolution) op(in, out Shape, weight *fl.Block) op {
	p := patches{window: c.window, in: in, h: out.H, w: out.W}
	switch {
	case c.tiles(in, out):
		return tiled{in: in, out: out, r: c.kh, pad: c.pad, weight: weight}
	case c.pairs(in, out):
		return pairs{p, weight}
	}
	return conv{p, weight}
}

// conv is the product of the patches of an image with Wᵀ, one row per pixel of the output.
type conv struct {
	patches
	weight *fl.Block
}

func (o conv) stage(t *Tape) stage {
	s := &convStage{conv: o, block: o.block()}
	if !s.pointwise() {
		t.lend(s.block * s.w * s.size())
		s.strip = make([]float32, s.stripLen())
	}
	return s
}

type convStage struct {
	conv
	block int       // rows of output pixels whose patches are made at a time
	strip []float32 // see gather
	x     []float32 // the input, until backward
	y     []float32
}

func (s *convStage) reserve(n int) { s.y = make([]float32, n*s.h*s.w*s.weight.Rows) }

func (s *convStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.in.Len()]
	y, w := p.pixels(s.y, s.h*s.w, s.weight.Rows), p.weight(s.weight).T()
	for lo := 0; lo < p.n*s.h; lo += s.block {
		hi := min(lo+s.block, p.n*s.h)
		kernel.Gemm32(&p.work, rows(y, lo*s.w, hi*s.w), s.patchesOf(p, lo, hi), w, false)
	}
	return y.Data
}

func (s *convStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	d := p.pixels(dy, s.h*s.w, s.weight.Rows)
	if needed {
		dx = s.backwardInput(p, d)
	}
	if p.grad == nil {
		return dx
	}
	p.adjustBlock(s.weight)
	g := p.slope(s.weight)
	for lo := 0; lo < p.n*s.h; lo += s.block {
		hi := min(lo+s.block, p.n*s.h)
		dt, x := rows(d, lo*s.w, hi*s.w).T(), s.patchesOf(p, lo, hi)
		kernel.Gemm32(&p.work, g, dt, x, p.descends || lo > 0)
	}
	return dx
}

// backwardInput returns the gradient at the input: what each patch gets from its pixel of
// the output is added up where patches overlap.
func (s *convStage) backwardInput(p *pass, d matrix) []float32 {
	dx := p.next(s.in.Len())
	w := p.weight(s.weight)
	if s.pointwise() {
		kernel.Gemm32(&p.work, kernel.RowMajor(dx, d.Rows, w.Cols), d, w, false)
		return dx
	}
	clear(dx)
	for lo := 0; lo < p.n*s.h; lo += s.block {
		hi := min(lo+s.block, p.n*s.h)
		dp := s.room(p, lo, hi)
		kernel.Gemm32(&p.work, dp, rows(d, lo*s.w, hi*s.w), w, false)
		s.scatter(dx, dp.Data, lo, hi)
	}
	return dx
}

// patchesOf returns the patches of rows lo to hi of output pixels.
func (s *convStage) patchesOf(p *pass, lo, hi int) matrix {
	if s.pointwise() {
		return rows(p.pixels(s.x, s.h*s.w, s.in.C), lo*s.w, hi*s.w)
	}
	m := s.room(p, lo, hi)
	s.gather(m.Data, s.x, lo, hi, s.strip)
	return m
}

// room returns space for the patches of rows lo to hi of output pixels.
func (s *convStage) room(p *pass, lo, hi int) matrix {
	return kernel.RowMajor(p.scratch, (hi-lo)*s.w, s.size())
}
