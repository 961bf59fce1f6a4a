package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// recurrent is what recurrent layers have in common.
type recurrent struct {
	units int
	in    Shape

	// Between two layers numbers lie by position first: the input does, and the output.
	after, before bool
}

// stride is that of transposed recurrent weights: their rows begin in different sets of caches.
func stride(columns int) int { return columns + line }

// sequences keeps what goes into a recurrent layer and comes out by position first and then by
// sample, so that a step is contiguous.
type sequences struct {
	recurrent
	x      []float32
	hidden []float32
	dy     []float32
	y      []float32 // hidden, by sample first
}

func (s *sequences) reserve(n int) {
	count := n * s.in.H
	s.hidden = make([]float32, count*s.units)
	if !s.after {
		s.x = make([]float32, count*s.in.C)
	}
	if !s.before {
		s.dy, s.y = make([]float32, count*s.units), make([]float32, count*s.units)
	}
}

// turn swaps samples and positions: x has outer·inner rows of some numbers.
func turn(dst, x []float32, outer, inner, size int) {
	for i := range outer {
		for j := range inner {
			copy(dst[(j*outer+i)*size:][:size], x[(i*inner+j)*size:])
		}
	}
}

// step returns the rows of a position of numbers that lie by position first.
func (p *pass) step(v []float32, t, size int) matrix {
	return kernel.RowMajor(v[t*p.n*size:][:p.n*size], p.n, size)
}

// enter takes the input.
func (s *sequences) enter(p *pass, x []float32) {
	if s.after {
		s.x = x
	} else {
		turn(s.x, x, p.n, s.in.H, s.in.C)
	}
}

// leave returns the output.
func (s *sequences) leave(p *pass) []float32 {
	if s.before {
		return s.hidden[:p.n*s.in.H*s.units]
	}
	y := s.y[:p.n*s.in.H*s.units]
	turn(y, s.hidden, s.in.H, p.n, s.units)
	return y
}

// slopes returns the gradient at the output, by position first.
func (s *sequences) slopes(p *pass, dy []float32) []float32 {
	if s.before {
		return dy
	}
	turn(s.dy, dy, p.n, s.in.H, s.units)
	return s.dy
}

// backwardInput returns the gradient at the input, given that at the gates.
func (s *sequences) backwardInput(p *pass, gates matrix, w *fl.Block) []float32 {
	dx := p.next(s.in.Len())
	product := p.pixels(dx, s.in.H, s.in.C)
	if !s.after {
		product = p.pixels(s.room(p), s.in.H, s.in.C)
	}
	kernel.Gemm32(&p.work, product, gates, p.weight(w), false)
	if !s.after {
		turn(dx, product.Data, s.in.H, p.n, s.in.C)
	}
	return dx
}

// room returns space for the gradient at the input, by position first.
func (s *sequences) room(p *pass) []float32 {
	n := p.n * s.in.Len()
	if len(p.scratch) < n {
		p.scratch = make([]float32, n)
	}
	return p.scratch[:n]
}
