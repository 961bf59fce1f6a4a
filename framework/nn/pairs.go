package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// pairs is a convolution of images so small that windows mostly see what surrounds them:
// instead of whole patches it multiplies each pixel of the input with the weights through
// which a pixel of the output sees it.
type pairs struct {
	patches
	weight *fl.Block
}

// pairs reports whether that saves half of the multiplications.
func (c convolution) pairs(in, out Shape) bool {
	down := seen(c.kh, in.H, out.H, c.window)
	across := seen(c.kw, in.W, out.W, c.window)
	return min(in.C, out.C) >= leastChannels &&
		leastGain*down*across <= c.kh*c.kw*out.H*out.W
}

// seen returns how many pixels of a line of an image windows of side k see, counted as often
// as they are seen.
func seen(k, in, out int, w window) (count int) {
	for o := range out {
		at := o*w.stride - w.pad
		count += max(0, min(at+k, in)-max(at, 0))
	}
	return count
}

func (o pairs) stage(t *Tape) stage { return &pairStage{pairs: o, tape: t} }

type pairStage struct {
	pairs
	tape *Tape
	x    []float32 // the input, until backward
	y    []float32
}

func (s *pairStage) reserve(n int) {
	s.y = make([]float32, n*s.h*s.w*s.weight.Rows)
	s.tape.lend(max(s.in.C*s.weight.Rows, n*s.h*s.w*(s.in.C+s.weight.Rows)))
}

// partners calls a function for each pixel of the output whose window sees a pixel of the
// input, which is given too, through pixel tap of the window.
func (s *pairStage) partners(tap int, visit func(out, in int)) {
	for o := range s.h * s.w {
		y := o/s.w*s.stride - s.pad + tap/s.kw
		x := o%s.w*s.stride - s.pad + tap%s.kw
		if y >= 0 && y < s.in.H && x >= 0 && x < s.in.W {
			visit(o, y*s.in.W+x)
		}
	}
}

// pixel returns a pixel of all samples, a row for each.
func pixel(p *pass, v []float32, at, count, channels int) matrix {
	return matrix{Data: v[at*channels:], Rows: p.n, Cols: channels, Stride: count * channels}
}

// outs returns a pixel of all samples of the output.
func (s *pairStage) outs(p *pass, y []float32, at int) matrix {
	return pixel(p, y, at, s.h*s.w, s.weight.Rows)
}

// ins returns a pixel of all samples of the input.
func (s *pairStage) ins(p *pass, x []float32, at int) matrix {
	return pixel(p, x, at, s.in.H*s.in.W, s.in.C)
}

// tap returns what belongs to a pixel of the window: out × in.
func (s *pairStage) tap(v []float32, tap int) matrix {
	w := part(v, s.weight)
	return matrix{Data: w[tap*s.in.C:], Rows: s.weight.Rows, Cols: s.in.C, Stride: s.weight.Cols}
}

func (s *pairStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.in.Len()]
	y := s.y[:p.n*s.h*s.w*s.weight.Rows]
	clear(y)
	w := kernel.RowMajor(p.scratch, s.in.C, s.weight.Rows)
	for tap := range s.kh * s.kw {
		kernel.Transpose32(w, s.tap(p.params, tap))
		s.partners(tap, func(o, i int) {
			kernel.Gemm32(&p.work, s.outs(p, y, o), s.ins(p, s.x, i), w, true)
		})
	}
	return y
}

func (s *pairStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	if needed {
		dx = p.next(s.in.Len())
		clear(dx)
		for tap := range s.kh * s.kw {
			w := s.tap(p.params, tap)
			s.partners(tap, func(o, i int) {
				kernel.Gemm32(&p.work, s.ins(p, dx, i), s.outs(p, dy, o), w, true)
			})
		}
	}
	if p.grad == nil {
		return dx
	}
	p.adjustBlock(s.weight)
	for tap := range s.kh * s.kw {
		outs, ins := s.allPartners(p, tap, dy)
		kernel.Gemm32(&p.work, s.tap(p.grad, tap), outs.T(), ins, p.descends)
	}
	return dx
}

// allPartners returns all partners of a pixel of the window, of the gradient dy at the output
// and of the input. So the gradient at a weight is one sum.
func (s *pairStage) allPartners(p *pass, tap int, dy []float32) (outs, ins matrix) {
	count, most := 0, p.n*s.h*s.w
	left, right := p.scratch[:most*s.weight.Rows], p.scratch[most*s.weight.Rows:]
	s.partners(tap, func(o, i int) {
		copyRows(left[count*s.weight.Rows:], s.outs(p, dy, o))
		copyRows(right[count*s.in.C:], s.ins(p, s.x, i))
		count += p.n
	})
	return kernel.RowMajor(left, count, s.weight.Rows), kernel.RowMajor(right, count, s.in.C)
}

// copyRows writes the rows of a matrix one behind the other.
func copyRows(dst []float32, src matrix) {
	for r := range src.Rows {
		copy(dst[r*src.Cols:][:src.Cols], src.Data[r*src.Stride:])
	}
}
