package nn

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Residual adds its input to what its layers make of it. Where the shapes differ, a 1×1
// convolution with a bias, of the stride that it takes, projects the input.
func Residual(layers ...Layer) Layer { return residual{layers: layers} }

// ResidualBy is Residual with a shortcut of layers of its own, of which one at most is a
// convolution, pools, or subsamples.
func ResidualBy(shortcut []Layer, layers ...Layer) Layer { return residual{layers, shortcut} }

type residual struct{ layers, shortcut []Layer }

func (l residual) fit(b *builder) error {
	if len(l.layers) == 0 {
		return errors.New("residual: has no layers")
	}
	in, from := b.shape, b.from
	main, err := b.branch("", l.layers)
	if err != nil {
		return fmt.Errorf("residual: %w", err)
	}
	out, end := b.shape, b.from
	b.shape, b.from = in, from
	given := l.shortcut
	if given == nil && in != out {
		given = []Layer{projection(in, out)}
	}
	shortcut, err := b.branch("shortcut", given)
	switch {
	case err != nil:
		return fmt.Errorf("residual: shortcut: %w", err)
	case b.shape != out && l.shortcut == nil:
		return fmt.Errorf("residual: no 1×1 convolution projects %v to %v", in, out)
	case b.shape != out:
		return fmt.Errorf("residual: the shortcut turns %v into %v, not %v", in, b.shape, out)
	case movers(shortcut) > 1:
		return errors.New("residual: the shortcut has more than one convolution or the like")
	}
	b.describe(fl.Layer{Kind: fl.KindAdd, From: []int{end}}, out)
	b.ops = append(b.ops, join{main: main, shortcut: shortcut, out: out})
	return nil
}

// projection returns the 1×1 convolution from a shape to another, if there is one.
func projection(in, out Shape) Layer {
	stride := 1
	for (in.H-1)/stride+1 > out.H {
		stride++
	}
	return Conv(out.C, 1, stride, 0)
}

// movers counts the ops whose gradient at the input lies elsewhere than that at the output.
func movers(ops []op) (n int) {
	for _, o := range ops {
		switch o.(type) {
		case bias, norm, relu:
		case join, fork:
			n += 2 // these have ops of their own
		default:
			n++
		}
	}
	return n
}

// join adds a main branch and a shortcut, the identity when that is empty.
type join struct {
	main, shortcut []op
	out            Shape
	relu           bool
}

func (o join) rectify() op {
	o.relu = true
	return o
}

func (o join) stage(t *Tape) stage {
	return &joinStage{join: o, main: newChain(t, o.main), shortcut: newChain(t, o.shortcut),
		zero: make([]float32, o.out.C)}
}

type joinStage struct {
	join
	main, shortcut chain
	y              []float32
	zero           []float32 // a bias that is none
	held           []float32 // the gradient at the output, while the main branch runs
}

func (s *joinStage) reserve(n int) {
	s.main.reserve(n)
	s.shortcut.reserve(n)
	s.y = make([]float32, n*s.out.Len())
	s.held = make([]float32, n*s.out.Len())
}

func (s *joinStage) forward(p *pass, x []float32) []float32 {
	y := s.y[:p.n*s.out.Len()]
	main := s.main.forward(p, x)[:len(y)]
	nothing := float32(math.Copysign(0, -1)) // −0 changes no number, not even −0
	kernel.Blend32(y, main, s.shortcut.forward(p, x)[:len(y)], [3]float32{1, 1, nothing})
	if s.relu {
		kernel.AddBiasReLU32(y, s.zero)
	}
	return y
}

func (s *joinStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if s.relu {
		kernel.ReLUBackward32(dy, s.y[:len(dy)])
	}
	held := s.held[:len(dy)]
	copy(held, dy)
	// Gradients alternate between the tape's two buffers: the shortcut, with at most one mover,
	// writes where the main branch did not end.
	main := s.main.backward(p, dy, needed)
	dx := s.shortcut.backward(p, held, needed)
	if !needed {
		return nil
	}
	kernel.Axpy32(dx, 1, main)
	return dx
}
