package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// LSTM is one layer of long short-term memory (Hochreiter, Schmidhuber. Neural Computation 1997;
// with the forget gate of Gers et al. 2000) over the positions of a sequence, from a state of
// zeros. The rows of its weights are those of the input gate, the forget gate, the cell and the
// output gate, as in PyTorch, but it has one bias, which is the sum of PyTorch's two.
func LSTM(units int) Layer { return lstm{recurrent: recurrent{units: units}} }

type lstm struct {
	recurrent
	w, u, b *fl.Block
}

func (l lstm) fit(b *builder) error {
	in, out := b.shape, Shape{b.shape.H, 1, l.units}
	if l.units < 1 || !in.isSequence() {
		return fmt.Errorf("lstm: turns sequences into sequences, not %v into %v", in, out)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindLSTM}, out,
		fl.Block{Name: fl.Weight, Rows: 4 * l.units, Cols: in.C},
		fl.Block{Name: fl.Recurrent, Rows: 4 * l.units, Cols: l.units},
		fl.Block{Name: fl.Bias, Rows: 4 * l.units, Cols: 1})
	own := lstm{recurrent{units: l.units, in: in}, blocks[0], blocks[1], blocks[2]}
	if last, ok := b.last().(lstm); ok {
		last.before, own.after = true, true
		b.ops[len(b.ops)-1] = last
	}
	b.ops = append(b.ops, own)
	return nil
}

func (l lstm) stage(*Tape) stage {
	return &lstmStage{sequences: sequences{recurrent: l.recurrent}, w: l.w, u: l.u, b: l.b,
		sum: make([]float32, 4*l.units), turned: make([]float32, l.units*stride(4*l.units))}
}

type lstmStage struct {
	sequences
	w, u, b *fl.Block

	gates  []float32 // input, forget, cell, output; and then their gradients
	cells  []float32
	tanhs  []float32 // of the cells
	cell   []float32 // the gradient at the cells of a position
	sum    []float32 // of the rows of a gradient
	turned []float32 // the recurrent weights, transposed
}

func (s *lstmStage) reserve(n int) {
	s.sequences.reserve(n)
	count := n * s.in.H * s.units
	s.gates = make([]float32, 4*count)
	s.cells, s.tanhs = make([]float32, count), make([]float32, count)
	s.cell = make([]float32, n*s.units)
}

func (s *lstmStage) forward(p *pass, x []float32) []float32 {
	h, length := s.units, s.in.H
	s.enter(p, x)
	gates := p.pixels(s.gates, length, 4*h)
	kernel.Gemm32(&p.work, gates, p.pixels(s.x, length, s.in.C), p.weight(s.w).T(), false)
	turned := matrix{Data: s.turned, Rows: h, Cols: 4 * h, Stride: stride(4 * h)}
	kernel.Transpose32(turned, p.weight(s.u))
	for t := range length {
		z := p.step(s.gates, t, 4*h)
		kernel.AddBias32(z.Data, part(p.params, s.b)) // here, where it stays in a cache
		if t > 0 {
			kernel.Gemm32(&p.work, z, p.step(s.hidden, t-1, h), turned, true)
		}
		s.advance(p, z.Data, t)
	}
	return s.leave(p)
}

// advance computes gates, cells and outputs of a position.
func (s *lstmStage) advance(p *pass, z []float32, t int) {
	h := s.units
	cells, tanhs := p.step(s.cells, t, h).Data, p.step(s.tanhs, t, h).Data
	hidden := p.step(s.hidden, t, h).Data
	for b := range p.n {
		row, own := z[4*b*h:][:4*h], cells[b*h:][:h]
		kernel.Sigmoid32(row[:2*h], row[:2*h])
		kernel.Tanh32(row[2*h:3*h], row[2*h:3*h])
		kernel.Sigmoid32(row[3*h:], row[3*h:])
		in, forget, cell := row[:h], row[h:][:h], row[2*h:][:h]
		if t == 0 {
			for k := range own {
				own[k] = in[k] * cell[k]
			}
			continue
		}
		before := p.step(s.cells, t-1, h).Data[b*h:][:h]
		for k := range own {
			own[k] = float32(forget[k]*before[k]) + float32(in[k]*cell[k])
		}
	}
	kernel.Tanh32(tanhs, cells)
	for b := range p.n {
		out, to, from := z[4*b*h+3*h:][:h], hidden[b*h:][:h], tanhs[b*h:][:h]
		for k := range to {
			to[k] = out[k] * from[k]
		}
	}
}

func (s *lstmStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	h, length := s.units, s.in.H
	grads := s.slopes(p, dy)
	clear(s.cell[:p.n*h])
	for t := length - 1; t >= 0; t-- {
		d := p.step(grads, t, h)
		if t < length-1 {
			kernel.Gemm32(&p.work, d, p.step(s.gates, t+1, 4*h), p.weight(s.u), true)
		}
		s.retreat(p, d.Data, t)
	}
	gates, x := p.pixels(s.gates, length, 4*h), p.pixels(s.x, length, s.in.C)
	if needed {
		dx = s.backwardInput(p, gates, s.w)
	}
	if p.grad == nil {
		return dx
	}
	clear(s.sum)
	kernel.AddColumns32(s.sum, gates.Data)
	p.set(s.b, s.sum)
	p.adjustBlock(s.w)
	kernel.Gemm32(&p.work, p.slope(s.w), gates.T(), x, p.descends)
	p.adjustBlock(s.u)
	later := kernel.RowMajor(s.gates[p.n*4*h:], (length-1)*p.n, 4*h)
	earlier := kernel.RowMajor(s.hidden, (length-1)*p.n, h)
	kernel.Gemm32(&p.work, p.slope(s.u), later.T(), earlier, p.descends)
	return dx
}

// retreat turns the gates of a position into their gradients before sigmoid and tanh, given the
// gradient at its outputs, and moves the gradient at the cells to the position before.
func (s *lstmStage) retreat(p *pass, d []float32, t int) {
	h := s.units
	z, tanhs := p.step(s.gates, t, 4*h).Data, p.step(s.tanhs, t, h).Data
	for b := range p.n {
		before := s.sum[:h] // of anything, for nothing came before
		if t > 0 {
			before = p.step(s.cells, t-1, h).Data[b*h:][:h]
		} else {
			clear(before)
		}
		gates, cell := z[4*b*h:][:4*h], s.cell[b*h:][:h]
		kernel.LSTMBackward32(gates, cell, d[b*h:][:h], tanhs[b*h:][:h], before)
	}
}
