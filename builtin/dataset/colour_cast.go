// Colour cast — every client's images have a cast of their own, as if each had another camera:
// a shift between clients that aligning colours can undo.
//
//	R. C. Gonzalez, R. E. Woods. Digital Image Processing. 3rd edition, Prentice Hall 2008,
//	Section 3.2: transformations of intensities, linear and by a power.
//
// Notation: N clients, s the strength, x ∈ [0, 1] a pixel in channel c of a row of client i.
//
//	x ↦ min(1, max(0, g·x^γ + o)),  g = 2^(s·u),  γ = 2^(s·v),  o = s·w/4
//
// with u, v and w uniform in [−1, 1), drawn anew for every client and channel. So at s = 1 a
// channel has up to twice its contrast or half of it, and is lighter or darker by up to a quarter;
// at s = 0 rows are those of the wrapped data set, to the bit. Grey images have one channel. What
// is clipped is lost for good: no alignment brings it back.
//
// With a turn t the colours of three channels are turned about the axis of greys by the angle π·t·y
// of the client, y uniform in [−1, 1), after that, and clipped again: a cast that mixes channels,
// which no map of each channel alone undoes. With t = 0 nothing changes, to the bit.
//
// A cast depends on the client of a row, before any partition. So rows have a natural client: the
// one of the wrapped data set, or else one drawn at random, in equal shares but for a row, for
// training and test rows. The domain of a row is the cast of its client. Hence the partitions
// "natural" and "domains", which can shift labels, too, leave every client one cast, and test rows
// belong to clients. Others mix casts. Domains of the wrapped data set are dropped.
//
// u, v, w and y depend on the seed, the client and the channel; not on s, on N, or on the rows of
// clients: as s grows, casts move and rows stay. The wrapped data set draws first, as if it were
// alone; one that draws more where it has more rows leaves other casts.
//
// Departures: the offset is added after the power, where the book adds one before it. The turn is
// ours.

package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ColourCast describes the data set to the registry.
var ColourCast = fl.SourceEntry{
	Name:    "colour-cast",
	Summary: "images of another data set, with a colour cast of its own for every client",
	Paper:   "gonzalez2008",
	Deviations: "the offset is added after the power, where the book adds one before it; turns " +
		"are ours",
	New:     newColourCast,
	Example: map[string]any{"of": map[string]any{"name": "glyphs", "train": int64(60)}},
}

type colourCast struct {
	of       fl.Source
	strength float64  // s
	turn     float64  // t
	clean    bool     // test rows have no cast
	casts    []string // names, one for every client
}

var _ fl.Source = (*colourCast)(nil)

func newColourCast(p *fl.Params) (fl.Source, error) {
	s := &colourCast{
		of: p.Source("of", "required: the data set of images, whose pixels are between 0 and 1"),
		strength: p.Float("strength", 1, fl.Closed(0, 3), "how far casts change images; "+
			"0: not at all"),
		clean: p.Choice("test", "cast", "test rows have the cast of their client, or none",
			"cast", "clean") == "clean",
	}
	s.turn = p.Float("turn", 0, fl.Closed(0, 1), "t: how far colours are turned about the axis of "+
		"greys at most, in units of 180°; 0: not at all")
	p.Later("turn")
	for i := range p.Setting().Clients {
		s.casts = append(s.casts, fmt.Sprintf("cast %d", i+1))
	}
	if !p.Setting().Known() {
		return s, nil
	}
	of, _ := p.Resolved()["of"].(map[string]any)
	switch scale, scaled := of["scale"]; {
	case s.of == nil:
		p.Fail("of", `is required, such as of = { name = "glyphs", image = "colour" }`)
	case s.of.Shape().Image == (fl.Image{}):
		p.Fail("of", "casts are of images; the rows of %v are none", of["name"])
	case s.turn > 0 && s.of.Shape().Image.C != 3:
		p.Clash("turn", "of", "colours that are turned have three channels, not %d",
			s.of.Shape().Image.C)
	case scaled && scale != unit:
		p.Fail("of.scale", "casts are of pixels between 0 and 1: want %q, have %q", unit, scale)
	}
	return s, nil
}

// Shape is that of the wrapped data set, with a natural client and a domain for every row.
func (s *colourCast) Shape() fl.Shape {
	shape := s.of.Shape()
	shape.Owned, shape.Domains = true, s.casts
	return shape
}

// Load loads the wrapped data set and changes its pixels in place.
func (s *colourCast) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	wide := *l
	wide.Packed = false // pixels become real numbers
	if train, test, err = s.of.Load(&wide); err != nil {
		return nil, nil, err
	}
	seed := l.RNG.Uint64()
	deals, casts := fl.NewStream(seed, "deal"), fl.NewStream(seed, "casts")
	train = s.owned(train, deals.At(0, 0).Rand())
	if err := s.cast(train, casts); err != nil || test == nil {
		return train, nil, err
	}
	test = s.owned(test, deals.At(1, 0).Rand())
	of := *s
	if s.clean {
		of.strength, of.turn = 0, 0
	}
	return train, test, of.cast(test, casts)
}

// owned returns rows that belong to clients, and are of their casts.
func (s *colourCast) owned(d *fl.Dataset, rng *rand.Rand) *fl.Dataset {
	own := assigned(d, s.Shape(), len(s.casts), rng)
	own.Domain = own.Owner
	return own
}

// cast gives every row the cast of its client, or says which pixels cannot have one.
func (s *colourCast) cast(d *fl.Dataset, casts fl.Stream) error {
	image, reseedable := d.Shape.Image, fl.NewReseedableRand()
	size := image.H * image.W
	for r, client := range d.Owner {
		row := d.X.Row(r)
		for _, x := range row {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("casts are of pixels between 0 and 1; row %d has one of %v", r, x)
			}
		}
		if s.strength == 0 && s.turn == 0 {
			continue
		}
		rng := reseedable.Open(casts.At(0, client))
		for c := range image.C {
			by := newTint(s.strength, rng)
			if s.strength > 0 {
				by.apply(row[c*size : (c+1)*size])
			}
		}
		if s.turn > 0 {
			turnColours(row, math.Pi*s.turn*(2*rng.Float64()-1))
		}
	}
	return nil
}

// turnColours turns the colours of an image of three channels about the axis of greys.
func turnColours(image fl.Vector, angle float64) {
	size := len(image) / 3
	r, g, b := image[:size], image[size:2*size], image[2*size:]
	sin, cos := math.Sincos(angle)
	sin /= math.Sqrt(3)
	for k, x := range r {
		y, z := g[k], b[k]
		grey := (x + y + z) / 3
		r[k] = min(1, max(0, grey+cos*(x-grey)+sin*(z-y)))
		g[k] = min(1, max(0, grey+cos*(y-grey)+sin*(x-z)))
		b[k] = min(1, max(0, grey+cos*(z-grey)+sin*(y-x)))
	}
}

// A tint is what a cast does to one channel.
type tint struct{ gain, gamma, offset float64 } // g, γ, o

// newTint draws a tint of some strength.
func newTint(s float64, rng *rand.Rand) tint {
	u, v, w := 2*rng.Float64()-1, 2*rng.Float64()-1, 2*rng.Float64()-1
	return tint{gain: math.Exp2(s * u), gamma: math.Exp2(s * v), offset: s * w / 4}
}

// apply changes pixels x into g·x^γ + o, clipped to [0, 1].
func (t tint) apply(pixels fl.Vector) {
	for k, x := range pixels {
		pixels[k] = min(1, max(0, math.FMA(t.gain, math.Pow(x, t.gamma), t.offset)))
	}
}
