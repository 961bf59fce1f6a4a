package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Sequence makes the pixels of an image, row by row, the positions of a sequence.
func Sequence() Layer { return sequenced{} }

type sequenced struct{}

// fit adds no op: the numbers of an image already lie in that order.
func (sequenced) fit(b *builder) error {
	in := b.shape
	b.describe(fl.Layer{Kind: fl.KindSequence}, Shape{in.H * in.W, 1, in.C})
	return nil
}

// Token puts a trained vector before all positions of a sequence: the class token (Dosovitskiy et
// al. An Image is Worth 16x16 Words. ICLR 2021).
func Token(spread float64) Layer { return prefix{spread} }

type prefix struct{ spread float64 }

func (l prefix) fit(b *builder) error {
	in, out := b.shape, Shape{b.shape.H + 1, 1, b.shape.C}
	if !in.isSequence() {
		return fmt.Errorf("token: turns sequences into sequences, not %v into %v", in, out)
	}
	blocks := b.describeBlocks(fl.Layer{Kind: fl.KindToken}, out,
		fl.Block{Name: fl.Weight, Rows: 1, Cols: in.C})
	b.spread[b.from] = l.spread
	b.ops = append(b.ops, token{blocks[0], in})
	return nil
}

type token struct {
	w  *fl.Block
	in Shape
}

func (o token) stage(*Tape) stage { return &tokenStage{token: o, sum: make([]float32, o.in.C)} }

type tokenStage struct {
	token
	y   []float32
	sum []float32 // of the samples of a gradient
}

func (s *tokenStage) reserve(n int) { s.y = make([]float32, n*(s.in.Len()+s.in.C)) }

func (s *tokenStage) forward(p *pass, x []float32) []float32 {
	size, c := s.in.Len(), s.in.C
	for b := range p.n {
		to := s.y[b*(size+c):][:size+c]
		copy(to, part(p.params, s.w))
		copy(to[c:], x[b*size:])
	}
	return s.y[:p.n*(size+c)]
}

func (s *tokenStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	size, c := s.in.Len(), s.in.C
	if needed {
		dx = p.next(size)
	}
	clear(s.sum)
	for b := range p.n {
		from := dy[b*(size+c):][:size+c]
		kernel.Axpy32(s.sum, 1, from[:c])
		if needed {
			copy(dx[b*size:], from[c:])
		}
	}
	p.set(s.w, s.sum)
	return dx
}

// Last keeps the last position of a sequence alone.
func Last() Layer { return pickedOne{kind: fl.KindLast} }

// First keeps the first position of a sequence alone.
func First() Layer { return pickedOne{kind: fl.KindFirst} }

type pickedOne struct {
	kind fl.LayerKind
	in   Shape
}

func (l pickedOne) fit(b *builder) error {
	l.in = b.shape
	if !l.in.isSequence() {
		return fmt.Errorf("%s: %v is no sequence, of which %v would be left", l.kind, l.in,
			vector(l.in.C))
	}
	b.describe(fl.Layer{Kind: l.kind}, vector(l.in.C))
	b.ops = append(b.ops, l)
	return nil
}

func (l pickedOne) stage(*Tape) stage { return &pickedStage{pickedOne: l} }

type pickedStage struct {
	pickedOne
	y []float32
}

// of returns the position that is kept of a sample.
func (s *pickedStage) of(x []float32, sample int) []float32 {
	at := sample * s.in.Len()
	if s.kind == fl.KindLast {
		at += s.in.Len() - s.in.C
	}
	return x[at:][:s.in.C]
}

func (s *pickedStage) reserve(n int) { s.y = make([]float32, n*s.in.C) }

func (s *pickedStage) forward(p *pass, x []float32) []float32 {
	for b := range p.n {
		copy(s.y[b*s.in.C:], s.of(x, b))
	}
	return s.y[:p.n*s.in.C]
}

func (s *pickedStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	dx := p.next(s.in.Len())
	clear(dx)
	for b := range p.n {
		copy(s.of(dx, b), dy[b*s.in.C:][:s.in.C])
	}
	return dx
}
