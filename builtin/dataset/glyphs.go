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
// With hand > 0 every client is a writer, as in FEMNIST: a share of the variance of how digits
// are turned, sheared, stretched and thickened is that between clients, and not between the
// rows of one, and rows have a natural client without domains, too. With uneven = s > 0 the
// shares of clients are log-normal, exp(s·z) with z ~ N(0, 1), and a row is of a client by
// them; the first N rows are of one each.
//
// Row r is drawn from a stream of its own, and test rows from other streams. So its pixels
// depend on nothing but the seed, r, and the parameters that say how digits are drawn, and with
// hand > 0 on its client; its label and its pose not even on D; with scale = "standard", on
// the other rows, too.
//
// Departures: elastic displacements are white noise on a lattice, smoothed by the cubic
// B-spline, where the paper smooths noise at every pixel by a Gaussian; the standard
// deviation of the kernel is the paper's, 4 pixels of 28. That of the displacements is 0.9
// pixels times deform, where the paper's α = 34 makes it 1.4.

package dataset

import (
	"math"
	"math/rand/v2"
	"sort"
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
	hand          float64 // [0, 1]; 0: clients are no writers
	uneven        float64 // ≥ 0
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
	g.hand = p.Float("hand", 0, fl.Closed(0, 1), "clients are writers, as in FEMNIST: this share "+
		"of the variance of turn, shear, width, height and boldness is between clients; 0: none")
	g.uneven = p.Float("uneven", 0, fl.Closed(0, 3), "standard deviation of the logarithm of a "+
		"client's share of the rows; needs hand, and one domain")
	p.Later("hand")
	p.Later("uneven")
	if g.uneven > 0 && (g.hand == 0 || g.domains > 1) {
		p.Fail("uneven", "needs hand > 0, by which clients have rows of their own, and one domain")
	}
	g.scale = p.Choice("scale", unit, "pixels between 0 and 1, or each with mean 0 and "+
		"variance 1 over the training rows", unit, standard)
	return g, nil
}

// Shape is that of images in ten classes, which have a natural client when they have domains.
func (g *glyphs) Shape() fl.Shape {
	shape := fl.Shape{
		Features: g.image.C * g.image.H * g.image.W, Classes: digits, Image: g.image,
		Owned: g.domains > 1 || g.hand > 0, Tested: g.test > 0, Rows: g.train + g.test,
	}
	if g.domains > 1 {
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
	w := g.newWriters(seed, l.Clients)
	train = g.draw(painter, fl.NewStream(seed, "train"), g.train, w)
	var others []fl.Matrix
	if g.test > 0 {
		test = g.draw(painter, fl.NewStream(seed, "test"), g.test, w)
		others = append(others, test.X)
	}
	if g.scale == standard {
		data.Standardize(train.X, others...)
	}
	return train, test, nil
}

// draw returns the first n rows of a stream, for a number of clients.
func (g *glyphs) draw(painter *glyph.Painter, s fl.Stream, n int, w *writers) *fl.Dataset {
	d := &fl.Dataset{Shape: g.Shape(), Y: make([]int, n)}
	d.X = fl.NewMatrix(n, d.Shape.Features)
	if d.Shape.Owned {
		d.Owner = make([]int, n)
	}
	if g.domains > 1 {
		d.Domain = make([]int, n)
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
		rng := row.Open(s.At(1, r))
		if d.Domain != nil {
			d.Domain[r] = block % g.domains
		}
		if d.Owner != nil {
			d.Owner[r] = w.owner(r, rng)
			painter.By(w.hands[d.Owner[r]])
		}
		painter.Paint(d.X.Row(r), labels[k], block%g.domains, rng)
	}
	return d
}

// Writers are the natural clients of rows.
type writers struct {
	*glyphs
	hands []*glyph.Hand // nil where an image has a hand of its own
	upTo  []float64     // sums of the shares of the clients so far; nil: they are equal
}

// newWriters draws the hands of n clients and their shares, each from a stream of its own.
func (g *glyphs) newWriters(seed uint64, n int) *writers {
	w := &writers{glyphs: g, hands: make([]*glyph.Hand, n)}
	if g.hand == 0 {
		return w
	}
	s, reseedable, sum := fl.NewStream(seed, "writer"), fl.NewReseedableRand(), 0.0
	for i := range n {
		rng := reseedable.Open(s.At(0, i))
		sum += math.Exp(g.uneven * rng.NormFloat64())
		w.hands[i], w.upTo = glyph.NewHand(g.hand, rng), append(w.upTo, sum)
	}
	if g.uneven == 0 {
		w.upTo = nil
	}
	return w
}

// owner returns the natural client of row r; where shares are uneven, by its generator.
func (w *writers) owner(r int, rng *rand.Rand) int {
	n := len(w.hands)
	switch {
	case w.upTo == nil:
		return w.equal(r, n)
	case r < n:
		return r
	}
	i := sort.SearchFloat64s(w.upTo, rng.Float64()*w.upTo[n-1])
	return min(i, n-1)
}

// equal returns the client of row r among n of equal shares.
func (g *glyphs) equal(r, n int) int {
	block, domain := r/digits, r/digits%g.domains
	if n <= g.domains {
		return domain % n
	}
	place := block/g.domains*digits + r%digits        // of the row in its domain
	peers := (n - domain + g.domains - 1) / g.domains // clients of the domain
	return domain + g.domains*(place%peers)
}
