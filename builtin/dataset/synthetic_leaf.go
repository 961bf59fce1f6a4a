// Synthetic(α, β) — logistic regression in ten classes, whose model and features differ between
// clients, as FedProx and the LEAF benchmark use it.
//
//	T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith. Federated Optimization in
//	Heterogeneous Networks. MLSys 2020, Section 5.1 and Appendix C.1.
//
// Notation: client i has u ~ N(0, α) and the matrix W of 10×60 and b of 10 numbers, each ~ N(u, 1);
// B ~ N(0, β) and the centre v of 60 numbers, each ~ N(B, 1). Its rows are x ~ N(v, Σ) with Σ
// diagonal and Σ_jj = j^(−1.2), and the class of x is the largest of Wx + b. α says how far models
// differ, β how far features do. With iid all clients have one W and b, of N(0, 1), and the centre
// is B everywhere. A client has 50 rows and a whole number from the log-normal distribution of mean
// 4 and deviation 2 of its logarithm; nine in ten of them are training rows.
//
// u, B and all rows depend on the seed and the client, not on α and β, and not on N.
//
// Departures: α and β are standard deviations, as in the code of the authors; the paper writes
// N(0, α). A client has no more rows than most says, where the authors have no bound.

package dataset

import (
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// SyntheticLEAF describes the data set to the registry.
var SyntheticLEAF = fl.SourceEntry{
	Name:    "synthetic-leaf",
	Summary: "Synthetic(α, β): logistic regression whose model and features differ by client",
	Paper:   "li2020prox",
	Deviations: "α and β are standard deviations, as in the authors' code; a client has no more " +
		"rows than most says",
	New:     newSyntheticLEAF,
	Example: map[string]any{"most": int64(60)},
}

const (
	leafFeatures, leafClasses = 60, 10
	leafLeast                 = 50
)

type syntheticLEAF struct {
	alpha, beta float64
	iid         bool
	most        int // rows of a client
}

var _ fl.Source = (*syntheticLEAF)(nil)

func newSyntheticLEAF(p *fl.Params) (fl.Source, error) {
	return &syntheticLEAF{
		alpha: p.Float("alpha", 1, fl.Closed(0, 100), "how far models of clients differ"),
		beta:  p.Float("beta", 1, fl.Closed(0, 100), "how far features of clients differ"),
		iid:   p.Bool("iid", false, "all clients have one model, and features differ by β alone"),
		most: p.Int("most", 10_000, fl.Closed(leafLeast, 1e7), "rows that a client has at most, "+
			"training and test rows together"),
	}, nil
}

// Shape is that of ten classes whose rows come with a client.
func (*syntheticLEAF) Shape() fl.Shape {
	return fl.Shape{Features: leafFeatures, Classes: leafClasses, Owned: true, Tested: true}
}

// Load draws the model that all have, then client by client its model and its rows.
func (s *syntheticLEAF) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	common := make(fl.Vector, leafClasses*(leafFeatures+1))
	common.AddNoise(1, l.RNG)
	streams, reseedable := fl.NewStream(l.RNG.Uint64(), "client"), fl.NewReseedableRand()
	train, test = &fl.Dataset{Shape: s.Shape()}, &fl.Dataset{Shape: s.Shape()}
	for i := range l.Clients {
		rng := reseedable.Open(streams.At(0, i))
		d := s.device(rng, common)
		n := leafLeast + int(min(math.Exp(4+2*rng.NormFloat64()), float64(s.most)))
		n = min(n, s.most)
		for k := range n {
			part := train
			if k >= n*9/10 {
				part = test
			}
			x := make(fl.Vector, leafFeatures)
			part.Y = append(part.Y, d.draw(x, rng))
			part.X.Data, part.Owner = append(part.X.Data, x...), append(part.Owner, i)
		}
	}
	for _, d := range []*fl.Dataset{train, test} {
		d.X.Rows, d.X.Cols = len(d.Y), leafFeatures
	}
	return train, test, nil
}

// A device is the distribution of the rows of a client.
type device struct {
	model  fl.Matrix // W, and b in the last column
	centre fl.Vector // v
}

// device draws that of a client.
func (s *syntheticLEAF) device(rng *rand.Rand, common fl.Vector) *device {
	u, b := s.alpha*rng.NormFloat64(), s.beta*rng.NormFloat64()
	d := &device{model: fl.NewMatrix(leafClasses, leafFeatures+1),
		centre: make(fl.Vector, leafFeatures)}
	fl.Vector(d.model.Data).AddNoise(1, rng)
	d.centre.AddNoise(1, rng)
	if s.iid {
		copy(d.model.Data, common)
		clear(d.centre)
		u = 0
	}
	for k := range d.model.Data {
		d.model.Data[k] += u
	}
	for j := range d.centre {
		d.centre[j] += b
	}
	return d
}

// draw draws a row, and returns its class.
func (d *device) draw(x fl.Vector, rng *rand.Rand) (class int) {
	for j := range x {
		x[j] = d.centre[j] + math.Pow(float64(j+1), -0.6)*rng.NormFloat64()
	}
	return d.class(x)
}

// class returns the first class of the largest score.
func (d *device) class(x fl.Vector) (best int) {
	most := math.Inf(-1)
	for c := range leafClasses {
		row := d.model.Row(c)
		if score := row[:leafFeatures].Dot(x) + row[leafFeatures]; score > most {
			best, most = c, score
		}
	}
	return best
}
