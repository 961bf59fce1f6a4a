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
func LSTM(units int) Layer { return lstm{units: units} }

type lstm struct {
	units   int
	in      Shape
	w, u, b *fl.Block

	// Between two layers numbers lie by position first: the input does, and the output.
	after, before bool
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
	own := lstm{units: l.units, in: in, w: blocks[0], u: blocks[1], b: blocks[2]}
	if last, ok := b.last().(lstm); ok {
		last.before, own.after = true, true
		b.ops[len(b.ops)-1] = last
	}
	b.ops = append(b.ops, own)
	return nil
}

func (l lstm) stage(*Tape) stage {
	return &lstmStage{lstm: l, sum: make([]float32, 4*l.units),
		turned: make([]float32, l.units*l.stride())}
}

// stride is that of the transposed recurrent weights: their rows begin in different sets of caches.
func (l lstm) stride() int { return 4*l.units + line }

// lstmStage keeps numbers by position first and then by sample, so that a step is contiguous.
type lstmStage struct {
	lstm
	x      []float32
	gates  []float32 // input, forget, cell, output; and then their gradients
	cells  []float32
	tanhs  []float32 // of the cells
	hidden []float32
	dy     []float32
	y      []float32 // hidden, by sample first
	cell   []float32 // the gradient at the cells of a position
	sum    []float32 // of the rows of a gradient
	turned []float32 // the recurrent weights, transposed
}

func (s *lstmStage) reserve(n int) {
	count := n * s.in.H
	s.gates = make([]float32, 4*count*s.units)
	for _, v := range []*[]float32{&s.cells, &s.tanhs, &s.hidden} {
		*v = make([]float32, count*s.units)
	}
	if !s.after {
		s.x = make([]float32, count*s.in.C)
	}
	if !s.before {
		s.dy, s.y = make([]float32, count*s.units), make([]float32, count*s.units)
	}
	s.cell = make([]float32, n*s.units)
}

// turn swaps samples and positions: x has outer·inner rows of some numbers.
func turn(dst, x []float32, outer, inner, size int) {
	for i := range outer {
		for j := range inner {
			copy(dst[(j*outer+i)*size:][:size], x[(i*inner+j)*size:])
		}
	}
}

// step returns the rows of a position.
func (s *lstmStage) step(p *pass, v []float32, t, size int) matrix {
	return kernel.RowMajor(v[t*p.n*size:][:p.n*size], p.n, size)
}

func (s *lstmStage) forward(p *pass, x []float32) []float32 {
	h, length := s.units, s.in.H
	if s.after {
		s.x = x
	} else {
		turn(s.x, x, p.n, length, s.in.C)
	}
	gates := p.pixels(s.gates, length, 4*h)
	kernel.Gemm32(&p.work, gates, p.pixels(s.x, length, s.in.C), p.weight(s.w).T(), false)
	kernel.AddBias32(gates.Data, part(p.params, s.b))
	turned := matrix{Data: s.turned, Rows: h, Cols: 4 * h, Stride: s.stride()}
	kernel.Transpose32(turned, p.weight(s.u))
	for t := range length {
		z := s.step(p, s.gates, t, 4*h)
		if t > 0 {
			kernel.Gemm32(&p.work, z, s.step(p, s.hidden, t-1, h), turned, true)
		}
		s.advance(p, z.Data, t)
	}
	if s.before {
		return s.hidden[:p.n*length*h]
	}
	y := s.y[:p.n*length*h]
	turn(y, s.hidden, length, p.n, h)
	return y
}

// advance computes gates, cells and outputs of a position.
func (s *lstmStage) advance(p *pass, z []float32, t int) {
	h := s.units
	cells, tanhs := s.step(p, s.cells, t, h).Data, s.step(p, s.tanhs, t, h).Data
	hidden := s.step(p, s.hidden, t, h).Data
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
		before := s.step(p, s.cells, t-1, h).Data[b*h:][:h]
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
	grads := s.dy
	if s.before {
		grads = dy
	} else {
		turn(grads, dy, p.n, length, h)
	}
	clear(s.cell[:p.n*h])
	for t := length - 1; t >= 0; t-- {
		d := s.step(p, grads, t, h)
		if t < length-1 {
			kernel.Gemm32(&p.work, d, s.step(p, s.gates, t+1, 4*h), p.weight(s.u), true)
		}
		s.retreat(p, d.Data, t)
	}
	gates, x := p.pixels(s.gates, length, 4*h), p.pixels(s.x, length, s.in.C)
	if needed {
		dx = s.backwardInput(p, gates)
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

// backwardInput returns the gradient at the input.
func (s *lstmStage) backwardInput(p *pass, gates matrix) []float32 {
	dx := p.next(s.in.Len())
	product := p.pixels(dx, s.in.H, s.in.C)
	if !s.after {
		product = p.pixels(s.room(p), s.in.H, s.in.C)
	}
	kernel.Gemm32(&p.work, product, gates, p.weight(s.w), false)
	if !s.after {
		turn(dx, product.Data, s.in.H, p.n, s.in.C)
	}
	return dx
}

// room returns space for the gradient at the input, by position first.
func (s *lstmStage) room(p *pass) []float32 {
	n := p.n * s.in.Len()
	if len(p.scratch) < n {
		p.scratch = make([]float32, n)
	}
	return p.scratch[:n]
}

// retreat turns the gates of a position into their gradients before sigmoid and tanh, given the
// gradient at its outputs, and moves the gradient at the cells to the position before.
func (s *lstmStage) retreat(p *pass, d []float32, t int) {
	h := s.units
	z, tanhs := s.step(p, s.gates, t, 4*h).Data, s.step(p, s.tanhs, t, h).Data
	for b := range p.n {
		row, own := z[4*b*h:][:4*h], s.cell[b*h:][:h]
		in, forget, cell, out := row[:h], row[h:][:h], row[2*h:][:h], row[3*h:][:h]
		d, tanh := d[b*h:][:h], tanhs[b*h:][:h]
		before := s.sum[:h] // of anything, for nothing came before
		if t > 0 {
			before = s.step(p, s.cells, t-1, h).Data[b*h:][:h]
		} else {
			clear(before)
		}
		for k := range own {
			i, f, g, o, c := in[k], forget[k], cell[k], out[k], tanh[k]
			dc := own[k] + float32(float32(d[k]*o)*(1-float32(c*c)))
			out[k] = float32(d[k]*c) * float32(o*(1-o))
			in[k] = float32(dc*g) * float32(i*(1-i))
			forget[k] = float32(dc*before[k]) * float32(f*(1-f))
			cell[k] = float32(dc*i) * (1 - float32(g*g))
			own[k] = dc * f
		}
	}
}
