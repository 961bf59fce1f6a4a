package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Depthwise is a convolution of every channel by a window of its own, k×k, without a bias (A. G.
// Howard et al. MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications.
// 2017, Section 3.1). It moves by stride over the image and pad zeros around it.
func Depthwise(k, stride, pad int) Layer {
	return depthwise{window: window{kh: k, kw: k, stride: stride, pad: pad}}
}

type depthwise struct {
	window
	in, out Shape
	weight  *fl.Block // a row for each channel
}

func (d depthwise) fit(b *builder) error {
	h, w, ok := d.over(b.shape)
	if !ok {
		return fmt.Errorf("depthwise: %v does not fit %v", d.window, b.shape)
	}
	d.in, d.out = b.shape, Shape{h, w, b.shape.C}
	info := fl.Layer{Kind: fl.KindDepthwise, KH: d.kh, KW: d.kw, Stride: d.stride, Pad: d.pad}
	d.weight = b.describeBlocks(info, d.out,
		fl.Block{Name: fl.Weight, Rows: d.in.C, Cols: d.kh * d.kw})[0]
	b.ops = append(b.ops, d)
	return nil
}

func (d depthwise) stage(*Tape) stage {
	c, all := d.in.C, d.in.C*d.kh*d.kw
	return &depthwiseStage{depthwise: d, taps: make([]float32, all), slope: make([]float32, all),
		sums: make([]float64, all), moments: make([]float64, 2*c),
		strip: make([]float32, d.out.W*c)}
}

type depthwiseStage struct {
	depthwise
	x, y    []float32 // the input, until backward, and the output
	taps    []float32 // weights, one pixel of the window after another
	slope   []float32 // the gradient at weights
	sums    []float64 // of its terms, in the order of taps
	moments []float64 // of channels
	strip   []float32 // pixels of the input that are not side by side
}

func (s *depthwiseStage) reserve(n int) { s.y = make([]float32, n*s.out.Len()) }

// A reach is what a pixel of the window sees from a row of the output: so many pixels of the input,
// stride apart, from an element on, for as many of the output.
type reach struct{ tap, out, in, pixels int }

// each calls a function for each row of the output and each pixel of the window.
func (s *depthwiseStage) each(n int, visit func(r reach)) {
	for row := range n * s.out.H {
		image, top := row/s.out.H, row%s.out.H*s.stride-s.pad
		for k := range s.kh * s.kw {
			y, left := top+k/s.kw, k%s.kw-s.pad
			lo := (max(0, -left) + s.stride - 1) / s.stride
			hi := min(s.out.W, (s.in.W-1-left+s.stride)/s.stride)
			if y < 0 || y >= s.in.H || lo >= hi {
				continue
			}
			in := ((image*s.in.H+y)*s.in.W + lo*s.stride + left) * s.in.C
			visit(reach{k, (row*s.out.W + lo) * s.in.C, in, hi - lo})
		}
	}
}

// seen returns the pixels of the input that are reached, side by side.
func (s *depthwiseStage) seen(r reach) []float32 {
	c := s.in.C
	if s.stride == 1 {
		return s.x[r.in:][:r.pixels*c]
	}
	for k := range r.pixels {
		copy(s.strip[k*c:][:c], s.x[r.in+k*s.stride*c:])
	}
	return s.strip[:r.pixels*c]
}

func (s *depthwiseStage) forward(p *pass, x []float32) []float32 {
	c, y := s.in.C, s.y[:p.n*s.out.Len()]
	s.x = x[:p.n*s.in.Len()]
	kernel.Transpose32(kernel.RowMajor(s.taps, s.kh*s.kw, c), p.weight(s.weight))
	clear(y)
	s.each(p.n, func(r reach) {
		to := y[r.out:][:r.pixels*c]
		kernel.ScaleRows32(to, s.seen(r), s.taps[r.tap*c:][:c], to, false)
	})
	return y
}

func (s *depthwiseStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	c := s.in.C
	if needed {
		dx = p.next(s.in.Len())
		clear(dx)
		s.each(p.n, func(r reach) { s.give(dx, dy[r.out:][:r.pixels*c], r) })
	}
	if p.grad == nil {
		return dx
	}
	clear(s.sums)
	s.each(p.n, func(r reach) {
		sum, dot := s.moments[:c], s.moments[c:]
		kernel.Moments32(sum, dot, s.seen(r), dy[r.out:][:r.pixels*c])
		for k, v := range dot {
			s.sums[r.tap*c+k] += v
		}
	})
	taps := s.kh * s.kw
	for k, v := range s.sums {
		s.slope[k%c*taps+k/c] = float32(v)
	}
	p.set(s.weight, s.slope)
	return dx
}

// give adds to the gradient at the input what pixels of the output give it that are reached.
func (s *depthwiseStage) give(dx, dy []float32, r reach) {
	c, w := s.in.C, s.taps[r.tap*s.in.C:][:s.in.C]
	if s.stride == 1 {
		to := dx[r.in:][:len(dy)]
		kernel.ScaleRows32(to, dy, w, to, false)
		return
	}
	for k := range r.pixels {
		to := dx[r.in+k*s.stride*c:][:c]
		kernel.ScaleRows32(to, dy[k*c:][:c], w, to, false)
	}
}

// most6 is where ReLU6 ends.
const most6 = 6

// ReLU6 is min(max(x, 0), 6) (A. Krizhevsky. Convolutional Deep Belief Networks on CIFAR-10. 2010).
// Its slope is 0 at both ends.
func ReLU6() Layer { return relu6{} }

type relu6 struct{ relu }

func (relu6) fit(b *builder) error {
	b.describe(fl.Layer{Kind: fl.KindReLU6}, b.shape)
	b.ops = append(b.ops, relu6{relu{b.shape}})
	return nil
}

func (l relu6) stage(t *Tape) stage { return &relu6Stage{l.relu.stage(t).(*reluStage)} }

type relu6Stage struct{ *reluStage }

func (s relu6Stage) forward(p *pass, x []float32) []float32 {
	y := s.reluStage.forward(p, x)
	for i, v := range y {
		if v > most6 {
			y[i] = most6
		}
	}
	return y
}

func (s relu6Stage) backward(p *pass, dy []float32, needed bool) []float32 {
	dy = s.reluStage.backward(p, dy, needed)
	for i, v := range s.y[:len(dy)] {
		if v == most6 {
			dy[i] = 0
		}
	}
	return dy
}
