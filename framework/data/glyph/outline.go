package glyph

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A point lies in the plane of a digit: the origin is the centre of the digit's box, the
// box is 1 high, and y points down.
type point struct{ x, y float64 }

// A segment is a straight piece of an outline.
type segment struct{ from, to point }

// A typeface is one of the Go fonts of Bigelow & Holmes (BSD licence). All of them have a
// slash through the digit 0.
type typeface struct {
	ttf     []byte
	slashed bool // keep the slash
}

func typefaces() []typeface {
	return []typeface{
		{goregular.TTF, false}, {gobold.TTF, false}, {goitalic.TTF, false},
		{gomono.TTF, true}, {gomonobold.TTF, true},
	}
}

// outlines returns the ten digits of a typeface. A 0 without a slash is a capital O, as
// narrow as the digit.
func (t typeface) outlines() (digits [10][]segment, err error) {
	f, err := sfnt.Parse(t.ttf)
	if err != nil {
		return digits, err
	}
	for k := range digits {
		if digits[k], err = outline(f, rune('0'+k)); err != nil {
			return digits, err
		}
	}
	if t.slashed {
		return digits, nil
	}
	o, err := outline(f, 'O')
	if err != nil {
		return digits, err
	}
	narrow := width(digits[0]) / width(o)
	for k := range o {
		o[k].from.x *= narrow
		o[k].to.x *= narrow
	}
	digits[0] = o
	return digits, nil
}

// width returns the width of an outline that is centred.
func width(outline []segment) float64 {
	most := 0.0
	for _, s := range outline {
		most = max(most, 2*s.from.x)
	}
	return most
}

// outline returns the closed contours of a letter, in straight pieces.
func outline(f *sfnt.Font, letter rune) ([]segment, error) {
	var b sfnt.Buffer
	index, err := f.GlyphIndex(&b, letter)
	if err != nil {
		return nil, err
	}
	if index == 0 {
		return nil, fmt.Errorf("no %q in the typeface", letter)
	}
	ops, err := f.LoadGlyph(&b, index, fixed.I(int(f.UnitsPerEm())), nil)
	if err != nil {
		return nil, err
	}
	var pen pen
	for _, op := range ops {
		if err := pen.move(op); err != nil {
			return nil, err
		}
	}
	pen.line(pen.start)
	return normal(pen.drawn), nil
}

// A pen follows the operations of an outline.
type pen struct {
	start, at point
	drawn     []segment
}

func (p *pen) move(op sfnt.Segment) error {
	var to [3]point
	for k, a := range op.Args {
		to[k] = point{float64(a.X), float64(a.Y)}
	}
	switch op.Op {
	case sfnt.SegmentOpMoveTo:
		p.line(p.start)
		p.start, p.at = to[0], to[0]
	case sfnt.SegmentOpLineTo:
		p.line(to[0])
	case sfnt.SegmentOpQuadTo:
		p.curve(to[0], to[1])
	default:
		return errors.New("a cubic curve in a TrueType outline")
	}
	return nil
}

func (p *pen) line(to point) {
	if to != p.at {
		p.drawn = append(p.drawn, segment{p.at, to})
	}
	p.at = to
}

// curve draws a quadratic Bézier curve in pieces: an outline's curves turn by 45° or so,
// which four pieces follow to a thousandth of the height of a digit.
func (p *pen) curve(via, to point) {
	const pieces = 4
	from := p.at
	for k := 1; k <= pieces; k++ {
		t := float64(k) / pieces
		a, b, c := (1-t)*(1-t), 2*t*(1-t), t*t
		p.line(point{a*from.x + b*via.x + c*to.x, a*from.y + b*via.y + c*to.y})
	}
}

// normal moves an outline so that its box is 1 high and centred at the origin.
func normal(outline []segment) []segment {
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, s := range outline {
		lo = point{min(lo.x, s.from.x), min(lo.y, s.from.y)}
		hi = point{max(hi.x, s.from.x), max(hi.y, s.from.y)}
	}
	to := func(p point) point {
		return point{(p.x - (lo.x+hi.x)/2) / (hi.y - lo.y), (p.y - (lo.y+hi.y)/2) / (hi.y - lo.y)}
	}
	for k, s := range outline {
		outline[k] = segment{to(s.from), to(s.to)}
	}
	return outline
}
