// Glyphs — digits drawn on the fly: an image data set, in several domains, without files.
//
//	P. Simard, D. Steinkraus, J. Platt. Best Practices for Convolutional Neural Networks
//	Applied to Visual Document Analysis. ICDAR 2003, Section 2: affine and elastic
//	distortions.
//	Y. Ganin et al. Domain-Adversarial Training of Neural Networks. JMLR 17, 2016: MNIST-M,
//	digits that invert photographs, which the domain "photo" resembles.
//
// Notation: D domains, N clients; rows are counted from 0. Ten rows in succession are the
// ten digits of one domain, in random order: row r is of block b = ⌊r/10⌋, and of domain
// b mod D. So classes are balanced in every domain. Domains are, in this order: ink (white
// on black, as in MNIST), print, photo, sign (blurred, with neighbours), notebook, chalk,
// dusk, neon. They differ in colours, ground and sharpness, not in how digits are drawn.
//
// With D > 1 rows have a natural client: domain d belongs to the clients i ≡ d (mod D), which
// receive its rows in turn; with fewer clients than domains, to client d mod N. With N = D the
// partition "natural" thus makes every domain one client, in this order, and so does the partition
// "domains", which can shift labels, too.
//
// Row r is drawn from a stream of its own, and test rows from other streams. So its pixels
// depend on nothing but the seed, r, and the parameters that say how digits are drawn; its
// label and its hand not even on D; with scale = "standard", on the other rows, too.
//
// Departures: elastic displacements are white noise on a lattice, smoothed by the cubic
// B-spline, where the paper smooths noise at every pixel by a Gaussian; the standard
// deviation of the kernel is the paper's, 4 pixels of 28. That of the displacements is 0.9
// pixels times deform, where the paper's α = 34 makes it 1.4.

package dataset

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/glyph"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Glyphs describes the data set to the registry.
var Glyphs = fl.SourceEntry{
	Name:    "glyphs",
	Summary: "digits drawn on the fly, in up to eight domains; needs no files",
	Paper:   "simard2003",
	Deviations: "displacements are noise on a lattice smoothed by a cubic B-spline, not noise " +
		"at every pixel smoothed by a Gaussian",
	New:     newGlyphs,
	Traits:  fl.SourceTraits{Untested: untested()},
	Example: map[string]any{"train": int64(120), "test": int64(60), "domains": int64(3)},
}

type glyphs struct {
	train, test   int // rows; no test rows when 0
	image         fl.Image
	domains       int     // D
	deform, noise float64 // ≥ 0
	scale         string
}

const digits = 10 // classes

var _ fl.Source = (*glyphs)(nil)

func newGlyphs(p *fl.Params) (fl.Source, error) {
	var names []string
	for _, look := range glyph.Looks() {
		names = append(names, look.Name)
	}
	g := &glyphs{
		train: p.Int("train", 10_000, fl.Closed(1, 1e6), "training rows"),
		test:  p.Int("test", 2_000, fl.Closed(0, 1e6), "test rows; 0 for none"),
		domains: p.Int("domains", 1, fl.Closed(1, float64(len(names))),
			"number of domains, the first of "+strings.Join(names, ", ")),
		deform: p.Float("deform", 1, fl.Closed(0, 2), "how far digits are turned, sheared, "+
			"stretched, shifted, thickened and bent; 0: not at all"),
		noise: p.Float("noise", 0.04, fl.Closed(0, 1), "standard deviation of pixels, "+
			"and how rough outlines are"),
		image: fl.Image{C: 1, H: 28, W: 28},
	}
	if p.Choice("image", "grey", "28×28 pixels like MNIST, or 32×32 pixels in red, green and "+
		"blue", "grey", "colour") == "colour" {
		g.image = fl.Image{C: 3, H: 32, W: 32}
	}
	g.scale = p.Choice("scale", unit, "pixels between 0 and 1, or each with mean 0 and "+
		"variance 1 over the training rows", unit, standard)
	return g, nil
}

// Shape is that of images in ten classes, which have a natural client when they have domains.
func (g *glyphs) Shape() fl.Shape {
	shape := fl.Shape{
		Features: g.image.C * g.image.H * g.image.W, Classes: digits, Image: g.image,
		Owned: g.domains > 1, Tested: g.test > 0, Rows: g.train + g.test,
	}
	if shape.Owned {
		for _, look := range glyph.Looks()[:g.domains] {
			shape.Domains = append(shape.Domains, look.Name)
		}
	}
	return shape
}

// Load draws the images.
func (g *glyphs) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	painter, err := glyph.NewPainter(g.image.H, g.image.C, g.deform, g.noise)
	if err != nil {
		return nil, nil, err
	}
	seed := l.RNG.Uint64()
	train = g.draw(painter, fl.NewStream(seed, "train"), g.train, l.Clients)
	var others []fl.Matrix
	if g.test > 0 {
		test = g.draw(painter, fl.NewStream(seed, "test"), g.test, l.Clients)
		others = append(others, test.X)
	}
	if g.scale == standard {
		data.Standardize(train.X, others...)
	}
	return train, test, nil
}

// draw returns the first n rows of a stream, for a number of clients.
func (g *glyphs) draw(painter *glyph.Painter, s fl.Stream, n, clients int) *fl.Dataset {
	d := &fl.Dataset{Shape: g.Shape(), Y: make([]int, n)}
	d.X = fl.NewMatrix(n, d.Shape.Features)
	if d.Shape.Owned {
		d.Owner, d.Domain = make([]int, n), make([]int, n)
	}
	order, row := fl.NewReseedableRand(), fl.NewReseedableRand()
	var labels [digits]int
	for r := range n {
		block, k := r/digits, r%digits
		if k == 0 {
			for j := range labels {
				labels[j] = j
			}
			rng := order.Open(s.At(0, block))
			rng.Shuffle(digits, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		}
		d.Y[r] = labels[k]
		painter.Paint(d.X.Row(r), labels[k], block%g.domains, row.Open(s.At(1, r)))
		if d.Owner != nil {
			d.Owner[r], d.Domain[r] = g.owner(r, clients), block%g.domains
		}
	}
	return d
}

// owner returns the natural client of row r among n.
func (g *glyphs) owner(r, n int) int {
	block, domain := r/digits, r/digits%g.domains
	if n <= g.domains {
		return domain % n
	}
	place := block/g.domains*digits + r%digits        // of the row in its domain
	peers := (n - domain + g.domains - 1) / g.domains // clients of the domain
	return domain + g.domains*(place%peers)
}
