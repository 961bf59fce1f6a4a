package nn

import "github.com/hansa-fl/hansa/framework/kernel"

// pool moves a window over images.
type pool struct {
	window
	in, out Shape
}

// paired reports whether windows are 2×2, side by side: then kernels take them by rows.
func (s *pool) paired() bool {
	return s.window == window{kh: 2, kw: 2, stride: 2} &&
		2*s.out.H <= s.in.H && 2*s.out.W <= s.in.W
}

// sees reports whether pixel k of the window of output pixel o is within the image.
func (s *pool) sees(o, k int) bool {
	o %= s.out.H * s.out.W
	y, x := o/s.out.W*s.stride-s.pad+k/s.kw, o%s.out.W*s.stride-s.pad+k%s.kw
	return y >= 0 && x >= 0 && y < s.in.H && x < s.in.W
}

// pair returns row r of pixels of the output, which counts through all samples, and the two rows of
// the input that it is computed from.
func (s *pool) pair(y, x []float32, r int) (out, top, bottom []float32) {
	b, row := r/s.out.H, r%s.out.H
	n, wide := s.out.W*s.in.C, s.in.W*s.in.C
	at := (b*s.in.H + 2*row) * wide
	return y[r*n:][:n], x[at:][:2*n], x[at+wide:][:2*n]
}

// corner returns where the pixel of the input begins that is the upper left of the window
// of output pixel o, which counts through all samples. Of a window that reaches beyond the image it
// is where that pixel would begin.
func (s *pool) corner(o int) int {
	size := s.out.H * s.out.W
	b, o := o/size, o%size
	y, x := o/s.out.W*s.stride-s.pad, o%s.out.W*s.stride-s.pad
	return ((b*s.in.H+y)*s.in.W + x) * s.in.C
}

// within returns where pixel k of a window begins, relative to its corner.
func (s *pool) within(k int) int { return (k/s.kw*s.in.W + k%s.kw) * s.in.C }

// next returns room for the gradient at the input, zero where no window needs to be.
func (s *pool) next(p *pass) []float32 {
	dx := p.next(s.in.Len())
	if !s.paired() || s.in.H%2 != 0 || s.in.W%2 != 0 {
		clear(dx)
	}
	return dx
}

type maxPool struct{ pool }

func (o maxPool) stage(*Tape) stage { return &maxPoolStage{pool: o.pool} }

type maxPoolStage struct {
	pool
	y      []float32
	choice []uint8 // which pixel of its window each output was
}

func (s *maxPoolStage) reserve(n int) {
	s.y = make([]float32, n*s.out.Len())
	s.choice = make([]uint8, n*s.out.Len())
}

func (s *maxPoolStage) forward(p *pass, x []float32) []float32 {
	c, y := s.in.C, s.y[:p.n*s.out.Len()]
	if s.paired() {
		for r := range p.n * s.out.H {
			out, top, bottom := s.pair(y, x, r)
			kernel.MaxPoolRow32(out, s.choice[r*len(out):][:len(out)], top, bottom, c)
		}
		return y
	}
	for o := range p.n * s.out.H * s.out.W {
		best, choice, corner := y[o*c:][:c], s.choice[o*c:][:c], s.corner(o)
		first := true
		for k := range s.kh * s.kw {
			if !s.sees(o, k) {
				continue
			}
			pixel := x[corner+s.within(k):][:c]
			if !first {
				keepLarger(best, choice, pixel, uint8(k))
				continue
			}
			first = false
			copy(best, pixel)
			for i := range choice {
				choice[i] = uint8(k)
			}
		}
	}
	return y
}

// keepLarger replaces best by x, and choice by k, where x is larger or not a number.
func keepLarger(best []float32, choice []uint8, x []float32, k uint8) {
	best, choice = best[:len(x)], choice[:len(x)]
	for i, v := range x {
		if v > best[i] || v != v {
			best[i], choice[i] = v, k
		}
	}
}

func (s *maxPoolStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	c, dx := s.in.C, s.next(p)
	if s.paired() {
		for r := range p.n * s.out.H {
			d, top, bottom := s.pair(dy, dx, r)
			kernel.MaxPoolRowBackward32(top, bottom, d, s.choice[r*len(d):][:len(d)], c)
		}
		return dx
	}
	for o := range p.n * s.out.H * s.out.W {
		corner := s.corner(o)
		for i, k := range s.choice[o*c:][:c] {
			dx[corner+s.within(int(k))+i] += dy[o*c+i]
		}
	}
	return dx
}

type avgPool struct{ pool }

func (o avgPool) stage(*Tape) stage { return &avgPoolStage{pool: o.pool} }

type avgPoolStage struct {
	pool
	y []float32
}

func (s *avgPoolStage) reserve(n int) { s.y = make([]float32, n*s.out.Len()) }

func (s *avgPoolStage) forward(p *pass, x []float32) []float32 {
	c, y := s.in.C, s.y[:p.n*s.out.Len()]
	if s.paired() {
		for r := range p.n * s.out.H {
			out, top, bottom := s.pair(y, x, r)
			kernel.MeanPoolRow32(out, top, bottom, c)
		}
		return y
	}
	clear(y)
	for o := range p.n * s.out.H * s.out.W {
		corner := s.corner(o)
		for k := range s.kh * s.kw {
			kernel.Axpy32(y[o*c:][:c], 1, x[corner+s.within(k):][:c])
		}
	}
	kernel.Scale32(y, 1/float32(s.kh*s.kw))
	return y
}

func (s *avgPoolStage) backward(p *pass, dy []float32, needed bool) []float32 {
	if !needed {
		return nil
	}
	c, dx := s.in.C, s.next(p)
	if s.paired() {
		for r := range p.n * s.out.H {
			d, top, bottom := s.pair(dy, dx, r)
			kernel.MeanPoolRowBackward32(top, bottom, d, c)
		}
		return dx
	}
	share := 1 / float32(s.kh*s.kw)
	for o := range p.n * s.out.H * s.out.W {
		corner := s.corner(o)
		for k := range s.kh * s.kw {
			kernel.Axpy32(dx[corner+s.within(k):][:c], share, dy[o*c:][:c])
		}
	}
	return dx
}
