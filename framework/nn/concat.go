package nn

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Concat puts the channels of what its branches make of its input one after another.
func Concat(branches ...[]Layer) Layer { return concat{branches} }

type concat struct{ branches [][]Layer }

func (l concat) fit(b *builder) error {
	in, from := b.shape, b.from
	o := fork{in: in}
	var ends []int
	for k, layers := range l.branches {
		b.shape, b.from = in, from
		ops, err := b.branch(fmt.Sprint(k), layers)
		switch out := b.shape; {
		case err != nil:
			return fmt.Errorf("concat: branch %d: %w", k, err)
		case k > 0 && (out.H != o.out.H || out.W != o.out.W):
			return fmt.Errorf("concat: branch %d turns %v into %v, another into %v", k, in, out,
				o.out)
		default:
			o.widths = append(o.widths, out.C)
			out.C += o.out.C
			o.out = out
		}
		o.branches = append(o.branches, ops)
		ends = append(ends, b.from)
	}
	if len(ends) == 0 {
		return errors.New("concat: has no branches")
	}
	b.from = ends[len(ends)-1]
	b.describe(fl.Layer{Kind: fl.KindConcat, From: ends[:len(ends)-1]}, o.out)
	b.ops = append(b.ops, o)
	return nil
}

type fork struct {
	branches [][]op
	widths   []int // channels of each
	in, out  Shape
}

func (o fork) stage(t *Tape) stage {
	s := &forkStage{fork: o}
	for _, ops := range o.branches {
		s.chains = append(s.chains, newChain(t, ops))
	}
	return s
}

type forkStage struct {
	fork
	chains []chain
	y      []float32
	held   []float32 // the gradient at the output of a branch
	sum    []float32 // of the gradients at the input
}

func (s *forkStage) reserve(n int) {
	for _, c := range s.chains {
		c.reserve(n)
	}
	s.y = make([]float32, n*s.out.Len())
	s.held = make([]float32, n*s.out.Len())
	s.sum = make([]float32, n*s.in.Len())
}

func (s *forkStage) forward(p *pass, x []float32) []float32 {
	at := 0
	for k, c := range s.chains {
		y := c.forward(p, x)
		wide := s.widths[k]
		for r := range p.n * s.out.H * s.out.W {
			copy(s.y[r*s.out.C+at:][:wide], y[r*wide:])
		}
		at += wide
	}
	return s.y[:p.n*s.out.Len()]
}

func (s *forkStage) backward(p *pass, dy []float32, needed bool) []float32 {
	// The gradient at the output lies in a buffer that branches write to.
	whole := s.y[:len(dy)]
	copy(whole, dy)
	sum, at := s.sum[:p.n*s.in.Len()], 0
	clear(sum)
	for k, c := range s.chains {
		wide := s.widths[k]
		held := s.held[:p.n*s.out.H*s.out.W*wide]
		for r := range p.n * s.out.H * s.out.W {
			copy(held[r*wide:][:wide], whole[r*s.out.C+at:])
		}
		if dx := c.backward(p, held, needed); needed {
			kernel.Axpy32(sum, 1, dx)
		}
		at += wide
	}
	if !needed {
		return nil
	}
	dx := p.next(s.in.Len())
	copy(dx, sum)
	return dx
}
