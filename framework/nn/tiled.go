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
// Rounding is three to six times that of the definition: in float32, sums of a thousand
// products are off by about 1e-6 of their standard deviation, at most 3e-6 of the largest.
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
	bands, most := s.bands(n)
	w := s.workshop(bands, min(bands, most)) // batches of fewer may be cut into larger groups
	s.tape.lend(w.len())
}

func (s *tiledStage) forward(p *pass, x []float32) []float32 {
	s.x = x[:p.n*s.in.Len()]
	y, w := s.y[:p.n*s.out.Len()], s.open(p)
	for lo := 0; lo < w.bands; lo += w.group {
		hi := w.take(lo)
		w.seen.lift(&w.x, s.x, lo, hi, w.space)
		for b := range blocks(s.in.C, s.out.C) {
			if lo == 0 || !oneBlock(s.in.C, s.out.C) {
				s.takeWeights(p, &w, b, true)
			}
			for e := range points * points {
				kernel.Gemm32(&p.work, w.y.part(e, b.wide, b.wideEnd),
					w.x.part(e, b.deep, b.deepEnd), w.w.all(e), b.deep > 0)
			}
		}
		w.made.lower(y, &w.y, lo, hi, w.space)
	}
	return y
}

func (s *tiledStage) backward(p *pass, dy []float32, needed bool) (dx []float32) {
	w := s.open(p)
	if needed {
		dx = p.next(s.in.Len())
		s.backwardInput(p, &w, dx, dy)
	}
	if p.grad == nil {
		return dx
	}
	p.adjustBlock(s.weight)
	s.backwardWeights(p, &w, dy)
	return dx
}

// backwardInput sets dx to the gradient at the input: every step of forward, transposed.
func (s *tiledStage) backwardInput(p *pass, w *workshop, dx, dy []float32) {
	clear(dx)
	for lo := 0; lo < w.bands; lo += w.group {
		hi := w.take(lo)
		w.made.lift(&w.y, dy, lo, hi, w.space)
		for b := range blocks(s.out.C, s.in.C) {
			if lo == 0 || !oneBlock(s.out.C, s.in.C) {
				s.takeWeights(p, w, b, false)
			}
			for e := range points * points {
				kernel.Gemm32(&p.work, w.x.part(e, b.wide, b.wideEnd),
					w.y.part(e, b.deep, b.deepEnd), w.w.all(e), b.deep > 0)
			}
		}
		w.seen.spread(dx, &w.x, lo, hi, w.space)
	}
}

// backwardWeights sets the gradient at the weights, or descends by it: the sum over tiles of
// the products of what windows see and of the gradient dy at what they yield.
func (s *tiledStage) backwardWeights(p *pass, w *workshop, dy []float32) {
	for lo := 0; lo < w.bands; lo += w.group {
		hi := w.take(lo)
		w.seen.lift(&w.x, s.x, lo, hi, w.space)
		w.made.lift(&w.y, dy, lo, hi, w.space)
		for b := range blocks(s.in.C, s.out.C) {
			w.w.shape(b.wideEnd-b.wide, b.deepEnd-b.deep)
			for e := range points * points {
				kernel.Gemm32(&p.work, w.w.all(e), w.y.part(e, b.wide, b.wideEnd).T(),
					w.x.part(e, b.deep, b.deepEnd), false)
			}
			s.giveWeights(p, w, b, p.descends || lo > 0)
		}
	}
}

// A workshop is how the images of a batch are cut into tiles, and how scratch space is divided
// to transform so many bands at a time.
type workshop struct {
	seen, made   tiling // of what windows see and of what they yield
	bands, group int    // of all images, and at a time; the last group may be smaller
	x, y, w      planes // of what is seen, of what is made, of a block of weights
	space        []float32
}

// tilesTogether is about how many tiles are transformed at a time: enough for products, which
// pass once over all weights, and few enough for a cache.
const tilesTogether = 120

// bands returns how many bands n samples have, and how many are transformed at a time at most.
func (s *tiledStage) bands(n int) (all, most int) {
	m := points + 1 - s.r
	return n * ((s.out.H + m - 1) / m), max(1, tilesTogether/((s.out.W+m-1)/m))
}

// workshop returns a workshop without space.
func (s *tiledStage) workshop(bands, group int) workshop {
	m := points + 1 - s.r
	seen := tiling{image: s.in, high: (s.out.H + m - 1) / m, wide: (s.out.W + m - 1) / m,
		step: m, side: points, pad: s.pad}
	made := seen
	made.image, made.side, made.pad = s.out, m, 0
	return workshop{seen: seen, made: made, bands: bands, group: group,
		x: newPlanes(group*seen.wide, s.in.C),
		y: newPlanes(group*seen.wide, s.out.C),
		w: newPlanes(blockDeep, blockWide)}
}

// even returns the length of the longest part when n is cut into equal parts of at most most.
func even(n, most int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

// room returns how many numbers the steps of a transform need room for.
func (w *workshop) room() int {
	return max(w.seen.liftRoom(), w.made.liftRoom(), w.made.lowerRoom(&w.y),
		w.seen.lowerRoom(&w.x), blockRoom)
}

// len returns the numbers of a workshop.
func (w *workshop) len() int { return w.x.len() + w.y.len() + w.w.len() + w.room() }

// open returns the workshop for a pass, in scratch space.
func (s *tiledStage) open(p *pass) workshop {
	bands, most := s.bands(p.n)
	w, scratch := s.workshop(bands, even(bands, most)), p.scratch
	for _, p := range []*planes{&w.x, &w.y, &w.w} {
		p.data, scratch = scratch[:p.len()], scratch[p.len():]
	}
	w.space = scratch
	return w
}

// take begins the group of bands at lo and returns its end.
func (w *workshop) take(lo int) (hi int) {
	hi = min(lo+w.group, w.bands)
	w.x.rows = (hi - lo) * w.seen.wide
	w.y.rows = w.x.rows
	return hi
}
