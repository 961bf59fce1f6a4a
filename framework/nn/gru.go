package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// GRU is one layer of gated recurrent units (Cho et al. Learning Phrase Representations using RNN
// Encoder-Decoder. EMNLP 2014) over the positions of a sequence, from a state of zeros. As in
// PyTorch, the reset gate multiplies the product of the state, not the state, and the rows of its
// weights are those of the reset gate, the update gate and the new state. Its bias is the sum of
// PyTorch's two for the gates, and the first of them for the new state, whose second one, inside of
// what is reset, is a block of its own.
func GRU(units int) Layer { return gru{recurrent: recurrent{units: units}} }

type gru struct {
	recurrent
	w, u, b, inner *fl.Block
}

func (l gru) fit(b *builder) error {
	in, out := b.shape, Shape{b.shape.H, 1, l.units}
	if l.units < 1 || !in.isSequence() {
		return fmt.Errorf("gru: turns sequences into sequences, not %v into %v", in, out)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindGRU}, out,
		fl.Block{Name: fl.Weight, Rows: 3 * l.units, Cols: in.C},
		fl.Block{Name: fl.Recurrent, Rows: 3 * l.units, Cols: l.units},
		fl.Block{Name: fl.Bias, Rows: 3 * l.units, Cols: 1},
		fl.Block{Name: fl.RecurrentBias, Rows: l.units, Cols: 1})
	own := gru{recurrent{units: l.units, in: in}, blocks[0], blocks[1], blocks[2], blocks[3]}
	if last, ok := b.last().(gru); ok {
		last.before, own.after = true, true
		b.ops[len(b.ops)-1] = last
	}
	b.ops = append(b.ops, own)
	return nil
}

func (l gru) stage(*Tape) stage {
	return &gruStage{sequences: sequences{recurrent: l.recurrent}, w: l.w, u: l.u, b: l.b,
		inner: l.inner, sum: make([]float32, 3*l.units),
		turned: make([]float32, l.units*stride(3*l.units))}
}

type gruStage struct {
	sequences
	w, u, b, inner *fl.Block

	gates  []float32 // reset, update, new state; and then their gradients
	reset  []float32 // what the reset gate multiplies; and then the gradient at it
	held   []float32 // the gradient at the state before a position that update gates let pass
	sum    []float32 // of the rows of a gradient
	turned []float32 // the recurrent weights, transposed
}

func (s *gruStage) reserve(n int) {
	s.sequences.reserve(n)
	count := n * s.in.H * s.units
	s.gates, s.reset = make([]float32, 3*count), make([]float32, count)
	s.held = make([]float32, n*s.units)
}

func (s *gruStage) forward(p *pass, x []float32) []float32 {
	h, length := s.units, s.in.H
	s.enter(p, x)
	gates := p.pixels(s.gates, length, 3*h)
	kernel.Gemm32(&p.work, gates, p.pixels(s.x, length, s.in.C), p.weight(s.w).T(), false)
	turned := matrix{Data: s.turned, Rows: h, Cols: 3 * h, Stride: stride(3 * h)}
	kernel.Transpose32(turned, p.weight(s.u))
	for t := range length {
		z, reset := p.step(s.gates, t, 3*h), p.step(s.reset, t, h)
		kernel.AddBias32(z.Data, part(p.params, s.b)) // here, where it stays in a cache
		if t > 0 {
			before := p.step(s.hidden, t-1, h)
			kernel.Gemm32(&p.work, columns(z, 0, 2*h), before, columns(turned, 0, 2*h), true)
			kernel.Gemm32(&p.work, reset, before, columns(turned, 2*h, 3*h), false)
		} else {
			clear(reset.Data)
		}
		kernel.AddBias32(reset.Data, part(p.params, s.inner))
		s.advance(p, z.Data, t)
	}
	return s.leave(p)
}

// advance computes gates and outputs of a position.
func (s *gruStage) advance(p *pass, z []float32, t int) {
	h := s.units
	hidden, resets := p.step(s.hidden, t, h).Data, p.step(s.reset, t, h).Data
	for b := range p.n {
		row, inner, to := z[3*b*h:][:3*h], resets[b*h:][:h], hidden[b*h:][:h]
		kernel.Sigmoid32(row[:2*h], row[:2*h])
		reset, update, state := row[:h], row[h:][:h], row[2*h:][:h]
		for k := range state {
			state[k] += float32(reset[k] * inner[k])
		}
		kernel.Tanh32(state, state)
		if t == 0 {
			for k := range to {
				to[k] = (1 - update[k]) * state[k]
			}
			continue
		}
		before := p.step(s.hidden, t-1, h).Data[b*h:][:h]
		for k := range to {
			to[k] = float32((1-update[k])*state[k]) + float32(update[k]*before[k])
		}
	}
}

func (s *gruStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	h, length := s.units, s.in.H
	grads, u := s.slopes(p, dy), p.weight(s.u)
	for t := length - 1; t >= 0; t-- {
		d := p.step(grads, t, h)
		if t < length-1 {
			kernel.Axpy32(d.Data, 1, s.held[:len(d.Data)])
			z := columns(p.step(s.gates, t+1, 3*h), 0, 2*h)
			kernel.Gemm32(&p.work, d, z, rows(u, 0, 2*h), true)
			kernel.Gemm32(&p.work, d, p.step(s.reset, t+1, h), rows(u, 2*h, 3*h), true)
		}
		s.retreat(p, d.Data, t)
	}
	gates, x := p.pixels(s.gates, length, 3*h), p.pixels(s.x, length, s.in.C)
	if needed {
		dx = s.backwardInput(p, gates, s.w)
	}
	if p.grad == nil {
		return dx
	}
	s.setBias(p, s.b, gates.Data)
	s.setBias(p, s.inner, s.reset[:p.n*length*h])
	p.adjustBlock(s.w)
	kernel.Gemm32(&p.work, p.slope(s.w), gates.T(), x, p.descends)
	p.adjustBlock(s.u)
	n, slope := (length-1)*p.n, p.slope(s.u)
	later := columns(kernel.RowMajor(s.gates[p.n*3*h:], n, 3*h), 0, 2*h)
	reset, earlier := kernel.RowMajor(s.reset[p.n*h:], n, h), kernel.RowMajor(s.hidden, n, h)
	kernel.Gemm32(&p.work, rows(slope, 0, 2*h), later.T(), earlier, p.descends)
	kernel.Gemm32(&p.work, rows(slope, 2*h, 3*h), reset.T(), earlier, p.descends)
	return dx
}

// setBias makes the sum of the rows of d the gradient at a bias.
func (s *gruStage) setBias(p *pass, b *fl.Block, d []float32) {
	sum := s.sum[:b.Rows]
	clear(sum)
	kernel.AddColumns32(sum, d)
	p.set(b, sum)
}

// retreat turns the gates of a position into their gradients before sigmoid and tanh, and what the
// reset gate multiplies into the gradient at it, given the gradient at its outputs.
func (s *gruStage) retreat(p *pass, d []float32, t int) {
	h := s.units
	z, resets := p.step(s.gates, t, 3*h).Data, p.step(s.reset, t, h).Data
	for b := range p.n {
		before := s.sum[:h] // of anything, for nothing came before
		if t > 0 {
			before = p.step(s.hidden, t-1, h).Data[b*h:][:h]
		} else {
			clear(before)
		}
		gates, inner, held := z[3*b*h:][:3*h], resets[b*h:][:h], s.held[b*h:][:h]
		kernel.GRUBackward32(gates, inner, held, before, d[b*h:][:h])
	}
}
