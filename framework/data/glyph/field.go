package glyph

import (
	"fmt"
	"math"
)

const (
	cells = 48   // of a field, in each direction
	reach = 0.75 // a field covers [−reach, reach]²
)

// A field holds the distance of the corners of a grid from an outline, negative inside.
type field [(cells + 1) * (cells + 1)]float64

// fields returns the ten digits of every typeface.
func fields() ([][10]field, error) {
	fonts := typefaces()
	faces := make([][10]field, len(fonts))
	for k, face := range fonts {
		digits, err := face.outlines()
		if err != nil {
			return nil, fmt.Errorf("typeface %d: %w", k, err)
		}
		for digit, outline := range digits {
			faces[k][digit].fill(outline)
		}
	}
	return faces, nil
}

// fill computes the distances from an outline.
func (f *field) fill(outline []segment) {
	for k := range f {
		const step = 2 * reach / cells
		p := point{float64(k%(cells+1))*step - reach, float64(k/(cells+1))*step - reach}
		f[k] = distance(outline, p)
	}
}

// distance returns the distance of p from an outline, negative where the outline winds
// around it.
func distance(outline []segment, p point) float64 {
	least, winding := math.Inf(1), 0
	for _, s := range outline {
		dx, dy := s.to.x-s.from.x, s.to.y-s.from.y
		px, py := p.x-s.from.x, p.y-s.from.y
		t := max(0, min(1, (px*dx+py*dy)/(dx*dx+dy*dy)))
		ex, ey := px-t*dx, py-t*dy
		least = min(least, ex*ex+ey*ey)
		side := dx*py - dy*px
		switch {
		case s.from.y <= p.y && p.y < s.to.y && side > 0:
			winding++
		case s.to.y <= p.y && p.y < s.from.y && side < 0:
			winding--
		}
	}
	if winding != 0 {
		return -math.Sqrt(least)
	}
	return math.Sqrt(least)
}

// at returns the distance at a point, interpolated; beyond the field that of its edge.
func (f *field) at(x, y float64) float64 {
	const scale, most = cells / (2 * reach), cells - 1e-9
	x = max(0, min(most, (x+reach)*scale))
	y = max(0, min(most, (y+reach)*scale))
	i, j := int(x), int(y)
	x, y = x-float64(i), y-float64(j)
	k := j*(cells+1) + i
	above := f[k] + x*(f[k+1]-f[k])
	below := f[k+cells+1] + x*(f[k+cells+2]-f[k+cells+1])
	return above + y*(below-above)
}
