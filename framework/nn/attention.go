package nn

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Attention turns queries, keys and values, which lie side by side in the channels of each
// position, into what each position attends to among those up to itself, by so many heads (Vaswani
// et al. Attention Is All You Need. NeurIPS 2017). A head takes neighbouring channels of each.
func Attention(heads int) Layer { return attention{heads: heads, kind: fl.KindAttention} }

// SelfAttention is Attention in which each position attends to all.
func SelfAttention(heads int) Layer { return attention{heads: heads, kind: fl.KindSelf} }

type attention struct {
	heads, length, width int // width is the channels that come out
	kind                 fl.LayerKind
}

// ahead reports whether positions attend to later ones.
func (l attention) ahead() bool { return l.kind == fl.KindSelf }

// strip returns the end of the positions from one on that are done at a time. All of them are
// where each attends to all.
func (l attention) strip(lo int) int {
	if l.ahead() {
		return l.length
	}
	return min(lo+some, l.length)
}

// seen returns how many positions a position attends to.
func (l attention) seen(at int) int {
	if l.ahead() {
		return l.length
	}
	return at + 1
}

// seenFrom returns the first position that attends to a position.
func (l attention) seenFrom(at int) int {
	if l.ahead() {
		return 0
	}
	return at
}

func (l attention) fit(b *builder) error {
	in := b.shape
	l.length, l.width = in.H, in.C/3
	out := Shape{in.H, 1, l.width}
	if !in.isSequence() || in.C%3 != 0 || l.heads < 1 || l.width%l.heads != 0 {
		return fmt.Errorf("attention: %d heads do not turn %v into %v", l.heads, in, out)
	}
	b.describe(fl.Layer{Kind: l.kind, Groups: l.heads}, out)
	b.ops = append(b.ops, l)
	return nil
}

func (l attention) stage(*Tape) stage { return &attentionStage{attention: l} }

type attentionStage struct {
	attention
	x, y  []float32
	prob  []float32 // how much each position attends to each, by sample and head
	slope []float32 // the gradient at those of a head
}

func (s *attentionStage) reserve(n int) {
	s.y = make([]float32, n*s.length*s.width)
	s.prob = make([]float32, n*s.heads*s.length*s.length)
	s.slope = make([]float32, s.length*s.length)
}

// A head is what attention reads and writes for one head of one sample.
type head struct{ query, key, value, prob matrix }

// of returns a head in numbers that lie as the input does.
func (s *attentionStage) of(x []float32, sample, k int) (h head) {
	d, from := s.width/s.heads, x[sample*s.length*3*s.width:]
	for i, m := range [...]*matrix{&h.query, &h.key, &h.value} {
		*m = matrix{Data: from[i*s.width+k*d:], Rows: s.length, Cols: d, Stride: 3 * s.width}
	}
	h.prob = kernel.RowMajor(s.prob[(sample*s.heads+k)*s.length*s.length:], s.length, s.length)
	return h
}

// out returns the columns of a head in numbers that lie as the output does.
func (s *attentionStage) out(y []float32, sample, k int) matrix {
	d := s.width / s.heads
	return matrix{Data: y[sample*s.length*s.width+k*d:], Rows: s.length, Cols: d, Stride: s.width}
}

// some is how many positions are multiplied with those up to the last of them at a time.
const some = 64

// scale returns 1/√d.
func (s *attentionStage) scale() float32 {
	return float32(1 / math.Sqrt(float64(s.width/s.heads)))
}

func (s *attentionStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.length*3*s.width]
	for i := range p.n * s.heads {
		h, out := s.of(s.x, i/s.heads, i%s.heads), s.out(s.y, i/s.heads, i%s.heads)
		for lo, hi := 0, 0; lo < s.length; lo = hi {
			hi = s.strip(lo)
			prob := columns(tail(h.prob, lo, hi), 0, hi)
			kernel.Gemm32(&p.work, prob, tail(h.query, lo, hi), tail(h.key, 0, hi).T(), false)
			for r := range prob.Rows {
				row := prob.Data[r*prob.Stride:][:hi]
				own := row[:s.seen(lo+r)]
				kernel.Scale32(own, s.scale())
				kernel.Softmax32(own, own)
				clear(row[len(own):])
			}
			kernel.Gemm32(&p.work, tail(out, lo, hi), prob, tail(h.value, 0, hi), false)
		}
	}
	return s.y[:p.n*s.length*s.width]
}

func (s *attentionStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	dx := p.next(3 * s.length * s.width)
	slope := kernel.RowMajor(s.slope, s.length, s.length)
	for i := range p.n * s.heads {
		h, d := s.of(s.x, i/s.heads, i%s.heads), s.of(dx, i/s.heads, i%s.heads)
		out := s.out(dy, i/s.heads, i%s.heads)
		for lo, hi := 0, 0; lo < s.length; lo = hi {
			hi = s.strip(lo)
			prob, part := columns(tail(h.prob, lo, hi), 0, hi), columns(tail(slope, lo, hi), 0, hi)
			kernel.Gemm32(&p.work, part, tail(out, lo, hi), tail(h.value, 0, hi).T(), false)
			s.softmaxBackward(part, prob, lo)
			kernel.Gemm32(&p.work, tail(d.query, lo, hi), part, tail(h.key, 0, hi), false)
		}
		// A key, or a value, reaches its own position and all after it, or all.
		for lo, hi := 0, 0; lo < s.length; lo = hi {
			hi = s.strip(lo)
			from := s.seenFrom(lo)
			part := columns(tail(slope, from, s.length), lo, hi).T()
			prob := columns(tail(h.prob, from, s.length), lo, hi).T()
			kernel.Gemm32(&p.work, tail(d.key, lo, hi), part, tail(h.query, from, s.length), false)
			kernel.Gemm32(&p.work, tail(d.value, lo, hi), prob, tail(out, from, s.length), false)
		}
	}
	return dx
}

// softmaxBackward turns the gradient at probabilities of positions from one on into that at the
// products of queries and keys. Both are 0 for what a position does not attend to.
func (s *attentionStage) softmaxBackward(slope, prob matrix, from int) {
	scale := s.scale()
	for r := range slope.Rows {
		row, q := slope.Data[r*slope.Stride:][:slope.Cols], prob.Data[r*prob.Stride:]
		own := row[:s.seen(from+r)]
		q = q[:len(own)]
		mean := float32(dotOf(own, q))
		for j, v := range own {
			own[j] = float32((v-mean)*q[j]) * scale
		}
		clear(row[len(own):])
	}
}

// tail returns rows lo to hi of a matrix that is not transposed and may end in the middle of a row.
func tail(m matrix, lo, hi int) matrix {
	return matrix{Data: m.Data[lo*m.Stride:], Rows: hi - lo, Cols: m.Cols, Stride: m.Stride}
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
