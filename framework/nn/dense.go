package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Dense is a fully connected layer with a bias, on vectors.
func Dense(out int) Layer { return dense{out} }

type dense struct{ out int }

func (d dense) fit(b *builder) error {
	in, out := b.shape, vector(d.out)
	if d.out < 1 || !in.isVector() {
		return fmt.Errorf("dense: turns vectors 1×1×n into vectors, not %v into %v", in, out)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindDense}, out,
		fl.Block{Name: fl.Weight, Rows: d.out, Cols: in.C},
		fl.Block{Name: fl.Bias, Rows: d.out, Cols: 1})
	b.ops = append(b.ops, product{w: blocks[0], positions: 1}, bias{b: blocks[1]})
	return nil
}

// product is y = x·Wᵀ, at every position.
type product struct {
	w         *fl.Block
	positions int
}

func (o product) stage(*Tape) stage { return &productStage{product: o} }

type productStage struct {
	product
	x []float32 // the input, until backward
	y []float32
}

func (s *productStage) reserve(n int) { s.y = make([]float32, n*s.positions*s.w.Rows) }

func (s *productStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.positions*s.w.Cols]
	y := p.pixels(s.y, s.positions, s.w.Rows)
	kernel.Gemm32(&p.work, y, p.pixels(s.x, s.positions, s.w.Cols), p.weight(s.w).T(), false)
	return y.Data
}

func (s *productStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	d := p.pixels(dy, s.positions, s.w.Rows)
	if needed {
		dx = p.next(s.positions * s.w.Cols)
		kernel.Gemm32(&p.work, p.pixels(dx, s.positions, s.w.Cols), d, p.weight(s.w), false)
	}
	s.backwardWeights(p, d)
	return dx
}

// panel is about how many weights of a dense layer are corrected at a time, right before their
// gradient is added: they stay in the second-level cache meanwhile.
const panel = 64 << 10

// backwardWeights sets the gradient at the weights, or descends by it.
func (s *productStage) backwardWeights(p *pass, d matrix) {
	if p.grad == nil {
		return
	}
	x, high := p.pixels(s.x, s.positions, s.w.Cols), s.w.Rows
	if p.corrected() {
		high = min(high, max(12, panel/s.w.Cols/12*12)) // whole tiles of products
	}
	g := p.slope(s.w)
	for lo := 0; lo < s.w.Rows; lo += high {
		n := min(high, s.w.Rows-lo)
		p.adjust(s.w.Offset+lo*s.w.Cols, n*s.w.Cols)
		kernel.Gemm32(&p.work, rows(g, lo, lo+n), columns(d, lo, lo+n).T(), x, p.descends)
	}
}
