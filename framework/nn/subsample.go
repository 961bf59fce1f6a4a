package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Subsample takes every stride-th row and column, from the first one on, and puts channels of
// zeros around those that are there, up to out of them: half of them in front (He et al., CVPR
// 2016, shortcut A). It has no parameters.
func Subsample(out, stride int) Layer { return subsampling{out, stride} }

type subsampling struct{ out, stride int }

func (l subsampling) fit(b *builder) error {
	in := b.shape
	if l.stride < 1 || l.out < in.C {
		return fmt.Errorf("subsample: stride %d and %d channels do not fit %v", l.stride, l.out, in)
	}
	out := Shape{(in.H-1)/l.stride + 1, (in.W-1)/l.stride + 1, l.out}
	front := (l.out - in.C) / 2
	b.describe(fl.Layer{Kind: fl.KindSubsample, Stride: l.stride, Pad: front}, out)
	b.ops = append(b.ops, subsample{in: in, out: out, stride: l.stride, front: front})
	return nil
}

type subsample struct {
	in, out       Shape
	stride, front int
}

func (o subsample) stage(*Tape) stage { return &subsampleStage{subsample: o} }

type subsampleStage struct {
	subsample
	y []float32
}

func (s *subsampleStage) reserve(n int) { s.y = make([]float32, n*s.out.Len()) }

// pixels calls a function for every pixel of the output of n samples and the one that it is.
func (s *subsampleStage) pixels(n int, visit func(out, in int)) {
	for r := range n * s.out.H {
		b, y := r/s.out.H, r%s.out.H
		for x := range s.out.W {
			visit((r*s.out.W+x)*s.out.C+s.front,
				((b*s.in.H+y*s.stride)*s.in.W+x*s.stride)*s.in.C)
		}
	}
}

// forward leaves the zeros alone that y has from the beginning.
func (s *subsampleStage) forward(p *pass, x []float32) []float32 {
	s.pixels(p.n, func(out, in int) { copy(s.y[out:][:s.in.C], x[in:]) })
	return s.y[:p.n*s.out.Len()]
}

func (s *subsampleStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	dx := p.next(s.in.Len())
	clear(dx)
	s.pixels(p.n, func(out, in int) { copy(dx[in:][:s.in.C], dy[out:]) })
	return dx
}
