package glyph

import (
	"math"
	"math/rand/v2"
)

// A canvas holds the paper of one image.
type canvas struct {
	size, channels int
	paper          []float64 // the channels one after another
	share, fine    []float64 // of the other colour at each pixel; fine structure
	octaves        []*lattice
}

func newCanvas(size, channels int) canvas {
	c := canvas{size: size, channels: channels, paper: make([]float64, channels*size*size),
		share: make([]float64, size*size), fine: make([]float64, size*size)}
	for cells := 2; cells <= 16; cells *= 2 {
		c.octaves = append(c.octaves, newLattice(size, cells))
	}
	return c
}

// prepare fills the paper in a look's colours, which vary, and returns the ink's.
func (c *canvas) prepare(look *Look, rng *rand.Rand) (ink Colour) {
	ink = c.vary(look.Ink, look.Spread, rng)
	paper, other := c.vary(look.Paper, look.Spread, rng), c.vary(look.Other, look.Spread, rng)
	clear(c.share)
	clear(c.fine)
	switch look.Ground {
	case Gradient:
		c.gradient(rng)
	case Ruled:
		c.lines(rng)
	case Photo:
		paper, other = c.any(rng), c.any(rng)
		c.photo(rng)
	}
	n := c.size * c.size
	for k := range c.channels {
		part := c.paper[k*n:][:n]
		for i, s := range c.share {
			part[i] = max(0, min(1, paper[k]+s*(other[k]-paper[k])+c.fine[i]))
		}
	}
	return ink
}

// vary returns a colour near another: brighter or darker, and a little off in hue.
func (c *canvas) vary(from Colour, spread float64, rng *rand.Rand) Colour {
	bright := spread * rng.NormFloat64()
	for k := range from {
		from[k] = max(0, min(1, from[k]+bright+spread/2*rng.NormFloat64()))
	}
	if c.channels == 1 {
		return from.grey()
	}
	return from
}

// any returns a colour of any kind but a middling grey, whose inverse it would be.
func (c *canvas) any(rng *rand.Rand) (of Colour) {
	y := 0.35 * rng.Float64()
	if rng.IntN(2) == 1 {
		y = 1 - y
	}
	for k := range of {
		of[k] = max(0, min(1, y+0.15*rng.NormFloat64()))
	}
	if c.channels == 1 {
		return of.grey()
	}
	return of
}

// gradient goes from one colour to the other, from edge to edge.
func (c *canvas) gradient(rng *rand.Rand) {
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	middle := float64(c.size-1) / 2
	for k := range c.share {
		x, y := float64(k%c.size)-middle, float64(k/c.size)-middle
		c.share[k] = max(0, min(1, 0.5+(cos*x+sin*y)/float64(c.size)))
	}
}

// lines rules the paper, not quite level.
func (c *canvas) lines(rng *rand.Rand) {
	apart := float64(c.size) / 4
	phase, slope := rng.Float64(), 0.05*rng.NormFloat64()
	for k := range c.share {
		at := (float64(k/c.size)+slope*float64(k%c.size))/apart + phase
		from := math.Abs(at-math.Round(at)) * apart // the nearest line, pixels
		c.share[k] = max(0, min(1, 1.2-from))
	}
}

// photo sets shapes with edges, and fine structure that dies off with its frequency as that
// of photographs does.
func (c *canvas) photo(rng *rand.Rand) {
	sharp := 0.5 + 3*rng.Float64()
	c.octaves[0].draw(c.share, 1, rng)
	for k, v := range c.share {
		c.share[k] = max(0, min(1, 0.5+sharp*v))
	}
	layer := c.paper[:c.size*c.size] // not in use yet
	strength := 0.12 * rng.Float64()
	for _, l := range c.octaves[1:] {
		l.draw(layer, strength, rng)
		for k, v := range layer {
			c.fine[k] += v
		}
		strength /= 1.5
	}
}
