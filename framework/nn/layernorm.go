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
	return &layerNormStage{layerNorm: l, sum: make([]float32, l.shape.C)}
}

type layerNormStage struct {
	layerNorm
	y, hat []float32 // the output, and before scale and offset
	root   []float32 // 1/√(variance + ε) by position
	sum    []float32 // of the rows of a gradient
}

func (s *layerNormStage) reserve(n int) {
	s.y, s.hat = make([]float32, n*s.shape.Len()), make([]float32, n*s.shape.Len())
	s.root = make([]float32, n*s.shape.H)
}

func (s *layerNormStage) forward(p *pass, x []float32) []float32 {
	c, scale, offset := s.shape.C, part(p.params, s.scale), part(p.params, s.offset)
	for r := range p.n * s.shape.H {
		row, hat, y := x[r*c:][:c], s.hat[r*c:][:c], s.y[r*c:][:c]
		mean := float32(sumOf(row) / float64(c))
		for i, v := range row {
			hat[i] = v - mean
		}
		root := float32(1 / math.Sqrt(dotOf(hat, hat)/float64(c)+steadier))
		s.root[r] = root
		for i, v := range hat {
			v *= root
			hat[i] = v
			y[i] = float32(v*scale[i]) + offset[i]
		}
	}
	return s.y[:p.n*s.shape.Len()]
}

// backward: with x̂ = (x − μ)/σ and γ the scale, dx is (γ·dy − mean(γ·dy) − x̂·mean(γ·dy·x̂))/σ.
func (s *layerNormStage) backward(p *pass, dy []float32, needed bool) []float32 {
	c, scale := s.shape.C, part(p.params, s.scale)
	// The scale is still needed, so that its gradient waits in y, which is not.
	clear(s.sum)
	kernel.AddColumns32(s.sum, dy)
	p.set(s.offset, s.sum)
	products := s.y[:len(dy)]
	copy(products, dy)
	kernel.Times32(products, s.hat)
	for r := 0; needed && r < p.n*s.shape.H; r++ {
		d, hat := dy[r*c:][:c], s.hat[r*c:][:c]
		kernel.Times32(d, scale)
		mean := float32(sumOf(d) / float64(c))
		dot := float32(dotOf(d, hat) / float64(c))
		root := s.root[r]
		for i, v := range d {
			d[i] = root * (v - mean - float32(hat[i]*dot))
		}
	}
	clear(s.sum)
	kernel.AddColumns32(s.sum, products)
	p.set(s.scale, s.sum)
	return dy
}

// sumOf returns Σ x in float64.
func sumOf(x []float32) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += float64(x[0])
		b += float64(x[1])
		c += float64(x[2])
		d += float64(x[3])
	}
	for _, v := range x {
		a += float64(v)
	}
	return (a + b) + (c + d)
}

// dotOf returns ⟨x, y⟩ in float64, where products are exact.
func dotOf(x, y []float32) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		a += float64(x[0]) * float64(y[0])
		b += float64(x[1]) * float64(y[1])
		c += float64(x[2]) * float64(y[2])
		d += float64(x[3]) * float64(y[3])
	}
	for i, v := range x {
		a += float64(v) * float64(y[i])
	}
	return (a + b) + (c + d)
}
