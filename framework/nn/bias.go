package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// bias adds one number per channel, in place, and may apply a ReLU on the way.
type bias struct {
	b    *fl.Block
	relu bool
}

func (o bias) rectify() op {
	o.relu = true
	return o
}

func (o bias) stage(*Tape) stage { return &biasStage{bias: o, sum: make([]float32, o.b.Rows)} }

type biasStage struct {
	bias
	y   []float32 // the output, which is where the input was
	sum []float32 // of the rows of a gradient
}

func (s *biasStage) reserve(int) {}

func (s *biasStage) forward(p *pass, x []float32) []float32 {
	s.y = x
	if s.relu {
		kernel.AddBiasReLU32(x, part(p.params, s.b))
	} else {
		kernel.AddBias32(x, part(p.params, s.b))
	}
	return x
}

func (s *biasStage) backward(p *pass, dy []float32, _ bool) []float32 {
	if s.relu {
		kernel.ReLUBackward32(dy, s.y)
	}
	clear(s.sum)
	kernel.AddColumns32(s.sum, dy)
	p.set(s.b, s.sum)
	return dy
}

// ReLU is max(x, 0).
func ReLU() Layer { return relu{} }

// relu is fused into what precedes it wherever that can take it.
type relu struct{ shape Shape }

func (relu) fit(b *builder) error {
	b.describe(fl.Layer{Kind: fl.KindReLU}, b.shape)
	if r, ok := b.last().(rectifier); ok {
		b.ops[len(b.ops)-1] = r.rectify()
		return nil
	}
	b.ops = append(b.ops, relu{b.shape})
	return nil
}

func (l relu) stage(*Tape) stage { return &reluStage{relu: l, zero: make([]float32, l.shape.C)} }

type reluStage struct {
	relu
	y    []float32
	zero []float32 // a bias that is none
}

func (s *reluStage) reserve(n int) { s.y = make([]float32, n*s.shape.Len()) }

func (s *reluStage) forward(p *pass, x []float32) []float32 {
	y := s.y[:p.n*s.shape.Len()]
	copy(y, x)
	kernel.AddBiasReLU32(y, s.zero)
	return y
}

func (s *reluStage) backward(_ *pass, dy []float32, _ bool) []float32 {
	kernel.ReLUBackward32(dy, s.y[:len(dy)])
	return dy
}
