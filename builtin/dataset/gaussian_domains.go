// Gaussian domains — features of Gaussian classes, seen through a different affine map in every
// domain: the kind of shift that alignment by Gaussian transport can undo.
//
//	Distribution Alignment for One-Shot Federated Learning via Optimal Transport. ICML 2026. These
//	data are what its assumption describes; the paper has no such experiment.
//
// Notation: C classes, D domains, m features, s the shift, g the gap. Class c has the centre
// a_c ~ N(0, g²I); a row of class c in domain d is
//
//	x = exp(s·H_d)·z + s·g·t_d,  z ~ N(a_c, I)
//
// with H_d symmetric and random, of operator norm 1, and t_d ~ N(0, I). So maps are symmetric and
// positive definite, which is the case in favour of alignment, and with s = 0 domains are equal.
// Classes are balanced in every domain: label shift is up to the partition.
//
// z, H and t depend on the seed and not on s: as s grows domains move and samples stay.
//
// Departures: none.

package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// GaussianDomains describes the data set to the registry.
var GaussianDomains = fl.SourceEntry{
	Name:    "gaussian-domains",
	Summary: "Gaussian classes, with an affine map of its own in every domain",
	Paper:   "slot-align",
	New:     newGaussianDomains,
	Example: map[string]any{"train": int64(240), "test": int64(120)},
}

type gaussianDomains struct {
	shape       fl.Shape
	train, test int // rows of every domain
	shift, gap  float64
}

var _ fl.Source = (*gaussianDomains)(nil)

func newGaussianDomains(p *fl.Params) (fl.Source, error) {
	s := &gaussianDomains{shape: fl.Shape{
		Classes:  p.Int("classes", 10, fl.Closed(2, 1000), "number of classes"),
		Features: p.Int("features", 16, fl.Closed(1, 2048), "number of features"),
	}}
	for d := range p.Int("domains", 4, fl.Closed(1, 1000), "number of domains") {
		s.shape.Domains = append(s.shape.Domains, fmt.Sprintf("d%d", d+1))
	}
	s.train = p.Int("train", 1000, fl.Closed(1, 1e6), "training rows of every domain")
	s.test = p.Int("test", 500, fl.Closed(0, 1e6), "test rows of every domain; 0 for none")
	s.shape.Tested = s.test > 0
	s.shape.Rows = len(s.shape.Domains) * (s.train + s.test)
	s.shift = p.Float("shift", 0.5, fl.Closed(0, 3),
		"how far domains are bent and moved apart; 0: they are equal")
	s.gap = p.Float("gap", 1, fl.Closed(0, 100),
		"standard deviation of the centres of classes, of which the rows have 1")
	return s, nil
}

// Shape is that of classes in domains.
func (s *gaussianDomains) Shape() fl.Shape { return s.shape }

// Load draws the centres, then domain by domain its map and its rows.
func (s *gaussianDomains) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	centres := fl.NewMatrix(s.shape.Classes, s.shape.Features)
	for i := range centres.Data {
		centres.Data[i] = s.gap * l.RNG.NormFloat64()
	}
	seed := l.RNG.Uint64()
	rows, views := fl.NewStream(seed, "rows"), fl.NewStream(seed, "domains")
	train, test = s.empty(s.train), s.empty(s.test)
	reseedable := fl.NewReseedableRand()
	for d := range s.shape.Domains {
		v, err := s.view(reseedable.Open(views.At(0, d)))
		if err != nil {
			return nil, nil, err
		}
		s.fill(train, d, v, centres, reseedable.Open(rows.At(0, d)))
		s.fill(test, d, v, centres, reseedable.Open(rows.At(1, d)))
	}
	if s.test == 0 {
		test = nil
	}
	return train, test, nil
}

func (s *gaussianDomains) empty(each int) *fl.Dataset {
	n := each * len(s.shape.Domains)
	return &fl.Dataset{Shape: s.shape, X: fl.NewMatrix(n, s.shape.Features), Y: make([]int, n),
		Domain: make([]int, n)}
}

// A view is the map z ↦ Az + b of a domain.
type view struct {
	bend fl.Matrix
	move fl.Vector
}

// view draws the map of a domain.
func (s *gaussianDomains) view(rng *rand.Rand) (view, error) {
	m := s.shape.Features
	h := fl.NewMatrix(m, m)
	for i := range m {
		for j := range i + 1 {
			h.Row(i)[j] = rng.NormFloat64()
			h.Row(j)[i] = h.Row(i)[j]
		}
	}
	values, vectors, err := new(tensor.Eigen).Factor(h)
	if err != nil {
		return view{}, err
	}
	norm := max(math.Abs(values[0]), math.Abs(values[m-1]))
	bend := fl.NewMatrix(m, m)
	for k, value := range values { // exp(sH) = Σ exp(s·value)·v·vᵀ
		v, grow := vectors.Row(k), math.Exp(s.shift*value/norm)
		for i := range m {
			bend.Row(i).AddScaled(grow*v[i], v)
		}
	}
	move := normal(m, rng)
	move.Scale(s.shift * s.gap)
	return view{bend, move}, nil
}

// fill draws the rows of domain d, whose classes take turns.
func (s *gaussianDomains) fill(set *fl.Dataset, d int, v view, centres fl.Matrix, rng *rand.Rand) {
	each := set.Len() / len(s.shape.Domains)
	z, x := make(fl.Vector, s.shape.Features), make(fl.Vector, s.shape.Features)
	for r := d * each; r < (d+1)*each; r++ {
		set.Y[r], set.Domain[r] = r%s.shape.Classes, d
		for i := range z {
			z[i] = centres.Row(set.Y[r])[i] + rng.NormFloat64()
		}
		v.bend.MulVec(x, z)
		x.Add(v.move)
		copy(set.X.Row(r), x)
	}
}
