package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// tiled is a convolution by products of polynomials (see kernel.Points32): images are cut
// into tiles whose windows see 6×6 pixels, and a product of matrices for each of 36 pairs of
// points takes the place of one for each pixel of the window. For windows of 3×3 that is a
// quarter of the multiplications, for 5×5 a third.
//
// Rounding is about three times that of the definition: in float32, sums of a thousand
// products are off by 1e-6 of their standard deviation, at most 3e-6 of the largest.
type tiled struct {
	in, out Shape
	r, pad  int       // side of the window, zeros around the image
	weight  *fl.Block // out × (r·r·in)
}

const (
	leastChannels = 32 // below, transforms take longer than what they save
	leastGain     = 2  // times fewer multiplications
)

// tiles reports whether a convolution is done in tiles.
func (c convolution) tiles(in, out Shape) bool {
	square := c.kh == c.kw && c.stride == 1 && c.pad < c.kw && (c.kh == 3 || c.kh == 5)
	if !square || min(in.C, out.C) < leastChannels {
		return false
	}
	m := points + 1 - c.kh
	tiles := ((out.H + m - 1) / m) * ((out.W + m - 1) / m)
	return leastGain*points*points*tiles <= c.kh*c.kw*out.H*out.W
}

func (o tiled) stage(t *Tape) stage { return &tiledStage{tiled: o, tape: t} }

type tiledStage struct {
	tiled
	tape *Tape
	x    []float32 // the input, until backward
	y    []float32
}

func (s *tiledStage) reserve(n int) {
	s.y = make([]float32, n*s.out.Len())
	for _, w := range []workshop{s.forth(n), s.back(n)} {
		s.tape.lend(w.len())
	}
}

func (s *tiledStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.in.Len()]
	y := s.y[:p.n*s.out.Len()]
	w := s.forth(p.n)
	w.divide(p.scratch)
	s.convolve(p, &w, y, s.x)
	return y
}

func (s *tiledStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	if needed {
		dx = p.next(s.in.Len())
		w := s.back(p.n)
		w.divide(p.scratch)
		s.convolve(p, &w, dx, dy)
	}
	w := s.forth(p.n)
	w.divide(p.scratch)
	s.backwardWeights(p, &w, dy)
	return dx
}

// A workshop is a tiling of the images of a batch, and how scratch space is divided to
// transform so many bands at a time, or fewer at last.
type workshop struct {
	seen, made   tiling // of what windows see and of what they yield
	bands, group int    // of all images, and at a time
	turned       bool   // windows are those of the gradient
	x, y, w      planes // of the images seen, of those made, of a block of weights
	space        []float32
}

// tilesTogether is about how many tiles are transformed at a time: enough for products, which
// pass once over all weights, and few enough for a cache.
const tilesTogether = 120

// forth is how n samples are convolved.
func (s *tiledStage) forth(n int) workshop { return s.workshop(n, s.in, s.out, s.pad) }

// back is how the gradient at the input is made of that at the output: by a convolution
// whose windows are turned round, and whose channels trade places.
func (s *tiledStage) back(n int) workshop {
	w := s.workshop(n, s.out, s.in, s.r-1-s.pad)
	w.turned = true
	return w
}

func (s *tiledStage) workshop(n int, from, to Shape, pad int) workshop {
	m := points + 1 - s.r
	t := tiling{image: to, high: (to.H + m - 1) / m, wide: (to.W + m - 1) / m, step: m, side: m}
	w := workshop{seen: t, made: t, bands: n * t.high, w: newPlanes(blockDeep, blockWide)}
	w.seen.image, w.seen.side, w.seen.pad = from, points, pad
	w.group = even(w.bands, max(1, tilesTogether/t.wide))
	w.x = newPlanes(w.group*t.wide, from.C)
	w.y = newPlanes(w.group*t.wide, to.C)
	return w
}

// even returns the length of the longest part when n is cut into equal parts of at most most.
func even(n, most int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

// room returns how many numbers the steps of a transform need room for.
func (w *workshop) room() int {
	of := w.made // what windows yield is lifted for the gradient at the weights
	return max(w.seen.liftRoom(), of.liftRoom(), of.lowerRoom(&w.y), chunkRoom)
}

// len returns the numbers of a workshop.
func (w *workshop) len() int { return w.x.len() + w.y.len() + w.w.len() + w.room() }

// divide gives everything its place in scratch space.
func (w *workshop) divide(scratch []float32) {
	for _, p := range []*planes{&w.x, &w.y, &w.w} {
		p.data, scratch = scratch[:p.len()], scratch[p.len():]
	}
	w.space = scratch
}

// take lifts tiles of the images x for bands lo to hi.
func (w *workshop) take(x []float32, lo, hi int) {
	w.x.rows = (hi - lo) * w.made.wide
	w.y.rows = w.x.rows
	w.seen.lift(&w.x, x, lo, hi, w.space)
}

// convolve sets y to the convolution of x.
func (s *tiledStage) convolve(p *pass, w *workshop, y, x []float32) {
	for lo := 0; lo < w.bands; lo += w.group {
		hi := min(lo+w.group, w.bands)
		w.take(x, lo, hi)
		for b := range w.blocks {
			s.takeWeights(p, w, b)
			for e := range points * points {
				kernel.Gemm32(&p.work, w.y.part(e, b.wide, b.wideEnd),
					w.x.part(e, b.deep, b.deepEnd), w.w.part(e, 0, w.w.cols), b.deep > 0)
			}
		}
		w.made.lower(y, &w.y, lo, hi, w.space)
	}
}

// backwardWeights sets the gradient at the weights, or descends by it: the sum over tiles of
// the products of what windows see and of the gradient dy at what they yield.
func (s *tiledStage) backwardWeights(p *pass, w *workshop, dy []float32) {
	for lo := 0; lo < w.bands; lo += w.group {
		hi := min(lo+w.group, w.bands)
		w.take(s.x, lo, hi)
		w.made.lift(&w.y, dy, lo, hi, w.space)
		for b := range w.blocks {
			w.w.shape(b.wideEnd-b.wide, b.deepEnd-b.deep)
			for e := range points * points {
				kernel.Gemm32(&p.work, w.w.part(e, 0, w.w.cols),
					w.y.part(e, b.wide, b.wideEnd).T(), w.x.part(e, b.deep, b.deepEnd), false)
			}
			s.giveWeights(p, w, b, p.descends || lo > 0)
		}
	}
}
