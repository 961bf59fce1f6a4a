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
	b.ops = append(b.ops, product{blocks[0]}, bias{b: blocks[1]})
	return nil
}

// product is y = x·Wᵀ.
type product struct{ w *fl.Block }

func (o product) stage(*Tape) stage { return &productStage{product: o} }

type productStage struct {
	product
	x []float32 // the input, until backward
	y []float32
}

func (s *productStage) reserve(n int) { s.y = make([]float32, n*s.w.Rows) }

func (s *productStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.w.Cols]
	y := p.rows(s.y, s.w.Rows)
	kernel.Gemm32(&p.work, y, p.rows(s.x, s.w.Cols), p.weight(s.w).T(), false)
	return y.Data
}

func (s *productStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	d := p.rows(dy, s.w.Rows)
	if needed {
		dx = p.next(s.w.Cols)
		kernel.Gemm32(&p.work, p.rows(dx, s.w.Cols), d, p.weight(s.w), false)
	}
	kernel.Gemm32(&p.work, p.slope(s.w), d.T(), p.rows(s.x, s.w.Cols), p.descends)
	return dx
}
