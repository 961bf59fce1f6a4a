package glyph

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A Painter draws digits. It serves one goroutine at a time.
type Painter struct {
	size, channels int
	deform, noise  float64
	faces          [][10]field
	looks          []Look

	pose         pose
	bend, rough  *lattice
	dx, dy, edge []float64 // displacement and retreat of the outline at each pixel, pixels
	hand         *Hand     // of the next image; nil: every image is of another one
	ink          []float64 // coverage of each pixel, [0, 1]
	canvas       canvas
}

// A pose is what is the same for all pixels of an image.
type pose struct {
	glyph    *field
	beside   [2]*field  // to the left and to the right; nil where nothing stands
	gap      float64    // between the centres of two digits
	toPlane  [4]float64 // the linear map from pixels to the plane of the digit, by rows
	shift    point      // of the digit from the image's centre, pixels
	unit     float64    // pixels in the height of a digit
	boldness float64    // by which the outline moves outwards, heights of a digit
	soft     float64    // width of its edge, pixels
}

// NewPainter returns a painter of square images, grey with one channel and in colour with
// three. Deform multiplies all that bends digits, from 0 for the typeface's own on; noise is
// the standard deviation of pixels, and five times that, in pixels, how rough outlines are.
func NewPainter(size, channels int, deform, noise float64) (*Painter, error) {
	if size < 8 || channels != 1 && channels != 3 {
		return nil, fmt.Errorf("no digits of %d pixels and %d channels", size, channels)
	}
	faces, err := fields()
	if err != nil {
		return nil, err
	}
	n := size * size
	p := &Painter{
		size: size, channels: channels, deform: deform, noise: noise,
		faces: faces, looks: Looks(),
		bend: newLattice(size, 4), rough: newLattice(size, 9),
		dx: make([]float64, n), dy: make([]float64, n), edge: make([]float64, n),
		ink: make([]float64, n), canvas: newCanvas(size, channels),
	}
	if channels == 1 {
		for k := range p.looks {
			l := &p.looks[k]
			l.Ink, l.Paper, l.Other = l.Ink.grey(), l.Paper.grey(), l.Other.grey()
		}
	}
	return p, nil
}

// By says whose hand draws the images that follow; nil: every image is of a hand of its own.
func (p *Painter) By(hand *Hand) { p.hand = hand }

// Paint draws a digit into dst, in the look of a domain: the channels one after another, row by row
// from the top, multiples of 1/255 between 0 and 1. The shape depends on the generator alone, so
// that it is the same in every look.
func (p *Painter) Paint(dst []float64, digit, domain int, rng *rand.Rand) {
	look := &p.looks[domain]
	p.hold(digit, rng)
	p.surround(look, rng)
	ink := p.canvas.prepare(look, rng)
	p.trace()
	if look.Grain > 0 {
		for k, c := range p.ink {
			p.ink[k] = c * (1 - look.Grain*rng.Float64())
		}
	}
	n := p.size * p.size
	for c := range p.channels {
		part, paper := dst[c*n:][:n], p.canvas.paper[c*n:][:n]
		for k, cover := range p.ink {
			full := ink[c]
			if look.Ground == Photo {
				full = 1 - paper[k]
			}
			v := paper[k] + cover*(full-paper[k]) + p.noise*rng.NormFloat64()
			part[k] = math.Floor(255*max(0, min(1, v))+0.5) / 255
		}
	}
}

// hold draws typeface, affine map and elastic displacement, as much as deform and noise say.
func (p *Painter) hold(digit int, rng *rand.Rand) {
	normal := func(sd float64) float64 { return p.deform * sd * rng.NormFloat64() }
	pixel := float64(p.size) / 28 // all lengths are those of MNIST
	h := &p.pose
	own := habits{face: rng.IntN(len(p.faces)), turn: 2*rng.Float64() - 1,
		shear: rng.NormFloat64(), wide: rng.NormFloat64(), high: rng.NormFloat64()}
	h.shift = point{normal(0.8 * pixel), normal(0.8 * pixel)}
	h.unit = 20 * pixel
	own.bold = rng.Float64()
	p.hand.blend(&own, rng)
	h.glyph = &p.faces[own.face][digit]
	sin, cos := math.Sincos(p.deform * own.turn * math.Pi / 12)
	shear := p.deform * 0.13 * own.shear
	wide, high := math.Exp(p.deform*0.10*own.wide), math.Exp(p.deform*0.06*own.high)
	h.boldness = p.deform * (0.05*own.bold - 0.01) // a thin stroke is 0.1 wide
	// pixels = unit · R(angle) · shear · diag(wide, high) · plane, inverted.
	x, y := 1/(h.unit*wide), 1/(h.unit*high)
	h.toPlane = [4]float64{(cos + shear*sin) * x, (sin - shear*cos) * x, -sin * y, cos * y}
	p.bend.draw(p.dx, 0.9*p.deform*pixel, rng)
	p.bend.draw(p.dy, 0.9*p.deform*pixel, rng)
	p.rough.draw(p.edge, 5*p.noise*pixel, rng)
}

// surround draws what a look adds to the hand: neighbours and how sharp edges are.
func (p *Painter) surround(look *Look, rng *rand.Rand) {
	h := &p.pose
	h.beside, h.gap = [2]*field{}, 0
	h.soft = (1.5 + look.Blur*(0.6+0.8*rng.Float64())) * h.unit / 20
	if !look.Neighbours {
		return
	}
	h.gap = 0.85 + 0.15*rng.Float64()
	for side := range h.beside {
		if digit := rng.IntN(15); digit < 10 { // two times out of three
			h.beside[side] = &p.faces[rng.IntN(len(p.faces))][digit]
		}
	}
}

// trace computes the coverage of all pixels.
func (p *Painter) trace() {
	h := &p.pose
	middle := float64(p.size-1) / 2
	for y := range p.size {
		for x := range p.size {
			k := y*p.size + x
			u := float64(x) - middle - h.shift.x + p.dx[k]
			v := float64(y) - middle - h.shift.y + p.dy[k]
			at := point{h.toPlane[0]*u + h.toPlane[1]*v, h.toPlane[2]*u + h.toPlane[3]*v}
			t := 0.5 - ((h.distance(at)-h.boldness)*h.unit+p.edge[k])/h.soft
			t = max(0, min(1, t))
			p.ink[k] = t * t * (3 - 2*t)
		}
	}
}

// distance returns that from the nearest outline.
func (h *pose) distance(at point) float64 {
	d := h.glyph.at(at.x, at.y)
	for side, f := range h.beside {
		if f != nil {
			d = min(d, f.at(at.x+h.gap*float64(1-2*side), at.y))
		}
	}
	return d
}
