package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Tanh is the hyperbolic tangent.
func Tanh() Layer { return curve{kind: fl.KindTanh} }

// Sigmoid is 1/(1 + e^−x).
func Sigmoid() Layer { return curve{kind: fl.KindSigmoid} }

// GELU is x·Φ(x), where Φ is the distribution function of the normal distribution (Hendrycks,
// Gimpel. Gaussian Error Linear Units. 2016), without its approximation by tanh.
func GELU() Layer { return curve{kind: fl.KindGELU} }

// QuickGELU is x·σ(1.702x), the approximation of GELU by a sigmoid (Hendrycks, Gimpel, Section 2).
func QuickGELU() Layer { return curve{kind: fl.KindQuickGELU} }

// steepness is that of the sigmoid of QuickGELU.
const steepness = 1.702

type curve struct {
	kind  fl.LayerKind
	shape Shape
}

func (l curve) fit(b *builder) error {
	l.shape = b.shape
	b.describe(fl.Layer{Kind: l.kind}, b.shape)
	if last, ok := b.last().(bias); ok && l.kind == fl.KindGELU && !last.relu {
		b.ops[len(b.ops)-1] = biasGELU{last.b, b.shape.Len()}
		return nil
	}
	b.ops = append(b.ops, l)
	return nil
}

func (l curve) stage(*Tape) stage { return &curveStage{curve: l} }

type curveStage struct {
	curve
	y     []float32
	slope []float32 // of both forms of gelu
}

func (s *curveStage) reserve(n int) {
	s.y = make([]float32, n*s.shape.Len())
	if s.kind == fl.KindGELU || s.kind == fl.KindQuickGELU {
		s.slope = make([]float32, len(s.y))
	}
}

func (s *curveStage) forward(p *pass, x []float32) []float32 {
	y := s.y[:p.n*s.shape.Len()]
	switch x = x[:len(y)]; s.kind {
	case fl.KindTanh:
		kernel.Tanh32(y, x)
	case fl.KindSigmoid:
		kernel.Sigmoid32(y, x)
	case fl.KindQuickGELU:
		slope := s.slope[:len(y)]
		for i, v := range x {
			y[i] = steepness * v
		}
		kernel.Sigmoid32(slope, y)
		for i, v := range slope { // σ becomes σ + 1.702x·σ(1 − σ)
			slope[i] = v + float32(float32(y[i]*v)*(1-v))
			y[i] = x[i] * v
		}
	default:
		kernel.GELU32(y, s.slope[:len(y)], x)
	}
	return y
}

func (s *curveStage) backward(_ *pass, dy []float32, _ bool) []float32 {
	y := s.y[:len(dy)]
	switch s.kind {
	case fl.KindTanh:
		for i, v := range y {
			dy[i] *= 1 - float32(v*v)
		}
	case fl.KindSigmoid:
		for i, v := range y {
			dy[i] *= float32(v * (1 - v))
		}
	default:
		kernel.Times32(dy, s.slope)
	}
	return dy
}

// Dropout sets each number to zero with a probability while it trains, and divides the others by
// that of being kept (Srivastava et al. Dropout. JMLR 2014). The probability is a multiple of 2⁻³².
// See Tape.Mask.
func Dropout(rate float64) Layer { return dropout{rate: rate} }

type dropout struct {
	rate  float64
	shape Shape
}

func (l dropout) fit(b *builder) error {
	if !(l.rate >= 0 && l.rate < 1) {
		return fmt.Errorf("dropout: %v is no probability below 1", l.rate)
	}
	if l.rate == 0 {
		return nil
	}
	l.shape = b.shape
	b.describe(fl.Layer{Kind: fl.KindDropout}, b.shape)
	b.ops = append(b.ops, l)
	return nil
}

func (l dropout) stage(*Tape) stage { return &dropoutStage{dropout: l} }

type dropoutStage struct {
	dropout
	y, mask []float32
	masked  bool // the last batch was
}

func (s *dropoutStage) reserve(n int) {
	s.y = make([]float32, n*s.shape.Len())
	s.mask = make([]float32, n*s.shape.Len())
}

func (s *dropoutStage) forward(p *pass, x []float32) []float32 {
	if s.masked = p.trains && p.masks != nil; !s.masked {
		return x
	}
	y := s.y[:p.n*s.shape.Len()]
	least, keep := uint32(s.rate*(1<<32)), float32(1/(1-s.rate))
	mask := s.mask[:len(y)]
	for i := 0; i < len(mask); i += 2 {
		bits := p.masks.Uint64()
		for j, half := range [...]uint32{uint32(bits), uint32(bits >> 32)} {
			if i+j < len(mask) {
				mask[i+j] = 0
				if half >= least {
					mask[i+j] = keep
				}
			}
		}
	}
	copy(y, x)
	kernel.Times32(y, mask)
	return y
}

func (s *dropoutStage) backward(_ *pass, dy []float32, _ bool) []float32 {
	if s.masked {
		kernel.Times32(dy, s.mask)
	}
	return dy
}
