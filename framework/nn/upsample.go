package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Unflatten turns vectors into images of h×w pixels, in the order row, column, channel: Flatten,
// backwards.
func Unflatten(h, w int) Layer { return unflatten{h, w} }

type unflatten struct{ h, w int }

// fit adds no op: the numbers of the vector already lie in the order of an image.
func (l unflatten) fit(b *builder) error {
	n, pixels := b.shape.C, l.h*l.w
	if l.h < 1 || l.w < 1 || !b.shape.isVector() || n%pixels != 0 {
		return fmt.Errorf("unflatten: %v is no vector of images of %d×%d", b.shape, l.h, l.w)
	}
	b.describe(fl.Layer{Kind: fl.KindUnflatten}, Shape{l.h, l.w, n / pixels})
	return nil
}

// Upsample makes images of h×w pixels, no fewer than there are: row r of h is row ⌊r·H/h⌋ of the H
// that there are, and so are columns (nearest neighbours, as PyTorch counts them).
func Upsample(h, w int) Layer { return upsampling{h, w} }

type upsampling struct{ h, w int }

func (l upsampling) fit(b *builder) error {
	in := b.shape
	out := Shape{l.h, l.w, in.C}
	if l.h < in.H || l.w < in.W {
		return fmt.Errorf("upsample: %v has more pixels than %v", in, out)
	}
	b.describe(fl.Layer{Kind: fl.KindUpsample}, out)
	b.ops = append(b.ops, upsample{in, out})
	return nil
}

type upsample struct{ in, out Shape }

func (o upsample) stage(*Tape) stage { return &upsampleStage{upsample: o} }

type upsampleStage struct {
	upsample
	y []float32
}

func (s *upsampleStage) reserve(n int) { s.y = make([]float32, n*s.out.Len()) }

// pixels calls a function for every pixel of the output of n samples and the one that it is.
func (s *upsampleStage) pixels(n int, visit func(out, in int)) {
	for r := range n * s.out.H {
		b, y := r/s.out.H, r%s.out.H*s.in.H/s.out.H
		for x := range s.out.W {
			visit((r*s.out.W+x)*s.out.C, ((b*s.in.H+y)*s.in.W+x*s.in.W/s.out.W)*s.in.C)
		}
	}
}

func (s *upsampleStage) forward(p *pass, x []float32) []float32 {
	s.pixels(p.n, func(out, in int) { copy(s.y[out:][:s.in.C], x[in:]) })
	return s.y[:p.n*s.out.Len()]
}

func (s *upsampleStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	dx := p.next(s.in.Len())
	clear(dx)
	s.pixels(p.n, func(out, in int) { kernel.Axpy32(dx[in:][:s.in.C], 1, dy[out:][:s.in.C]) })
	return dx
}

// leak is the slope of LeakyReLU below 0.
const leak = 0.2

// LeakyReLU is x above 0 and x/5 below (Radford et al. Unsupervised Representation Learning with
// Deep Convolutional Generative Adversarial Networks. ICLR 2016).
func LeakyReLU() Layer { return leaky{} }

type leaky struct{ shape Shape }

func (leaky) fit(b *builder) error {
	b.describe(fl.Layer{Kind: fl.KindLeakyReLU}, b.shape)
	b.ops = append(b.ops, leaky{b.shape})
	return nil
}

func (l leaky) stage(*Tape) stage { return &leakyStage{leaky: l} }

type leakyStage struct {
	leaky
	y []float32
}

func (s *leakyStage) reserve(n int) { s.y = make([]float32, n*s.shape.Len()) }

func (s *leakyStage) forward(p *pass, x []float32) []float32 {
	y := s.y[:p.n*s.shape.Len()]
	for i, v := range x[:len(y)] {
		y[i] = max(v, leak*v)
	}
	return y
}

func (s *leakyStage) backward(_ *pass, dy []float32, _ bool) []float32 {
	for i, v := range s.y[:len(dy)] {
		if v <= 0 {
			dy[i] *= leak
		}
	}
	return dy
}
