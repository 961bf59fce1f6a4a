// Feature noise — the features of every client have Gaussian noise of a level of its own.
//
//	Q. Li, Y. Diao, Q. Chen, B. He. Federated Learning on Non-IID Data Silos: An Experimental
//	Study (NIID-Bench). ICDE 2022, Section IV-B: noise-based feature distribution skew.
//
// Notation: N clients, σ the noise. A row x of client i = 1 … N becomes x + z with z ~ N(0, σ·i/N),
// of that variance. Nothing is clipped. With σ = 0 rows are those of the wrapped data set, to the
// bit.
//
// The client of a row is the one of the wrapped data set, or else one drawn at random, in equal
// shares but for a row. The level of a client is the domain of its rows. Hence the partitions
// natural and domains leave every client one level. Test rows belong to clients and are clean
// unless test says otherwise.
//
// z depends on the seed and on the row, not on σ and N: as σ grows the noise of a row grows by its
// square root.
//
// Departures: rows belong to clients before they are partitioned, in equal shares.

package dataset

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FeatureNoise describes the data set to the registry.
var FeatureNoise = fl.SourceEntry{
	Name:       "feature-noise",
	Summary:    "another data set, with Gaussian noise of a level of its own for every client",
	Paper:      "li2022",
	Deviations: "rows belong to clients before they are partitioned, in equal shares",
	New:        newFeatureNoise,
	Example:    map[string]any{"of": map[string]any{"name": "glyphs", "train": int64(60)}},
}

type featureNoise struct {
	of     fl.Source
	sigma  float64 // σ
	clean  bool    // test rows have no noise
	levels []string
}

var _ fl.Source = (*featureNoise)(nil)

func newFeatureNoise(p *fl.Params) (fl.Source, error) {
	s := &featureNoise{
		of: newWrapped(p, "whose features are changed"),
		sigma: p.Float("sigma", 0.1, fl.Closed(0, 1e6), "σ, the variance of the noise of the last "+
			"client"),
		clean: p.Choice("test", "clean", "test rows have no noise, or that of their client",
			"clean", "noisy") == "clean",
	}
	for i := range p.Setting().Clients {
		s.levels = append(s.levels, fmt.Sprintf("noise %d", i+1))
	}
	if p.Setting().Known() && s.of != nil && s.of.Shape().Tokens > 0 {
		p.Fail("of", "noise is of numbers; the rows of %v hold tokens", wrappedName(p))
	}
	return s, nil
}

// Shape is that of the wrapped data set, with a natural client and a domain for every row.
func (s *featureNoise) Shape() fl.Shape {
	shape := s.of.Shape()
	shape.Owned, shape.Domains, shape.Stored = true, s.levels, 0
	return shape
}

// Load loads the wrapped data set and adds noise to its features in place.
func (s *featureNoise) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	wide := *l
	wide.Packed = false // features become real numbers
	if train, test, err = s.of.Load(&wide); err != nil {
		return nil, nil, err
	}
	seed := l.RNG.Uint64()
	deals, noise := fl.NewStream(seed, "deal"), fl.NewStream(seed, "noise")
	train = s.noisy(assigned(train, s.Shape(), len(s.levels), deals.At(0, 0).Rand()), s.sigma,
		noise, 0)
	if test == nil {
		return train, nil, nil
	}
	sigma := s.sigma
	if s.clean {
		sigma = 0
	}
	return train, s.noisy(assigned(test, s.Shape(), len(s.levels), deals.At(1, 0).Rand()), sigma,
		noise, 1), nil
}

// noisy adds noise to the rows of a part, and says of which level they are.
func (s *featureNoise) noisy(d *fl.Dataset, sigma float64, noise fl.Stream, part int) *fl.Dataset {
	d.Domain = d.Owner
	if sigma == 0 {
		return d
	}
	d.Moments = nil
	reseedable := fl.NewReseedableRand()
	for r, client := range d.Owner {
		level := math.Sqrt(sigma * float64(client+1) / float64(len(s.levels)))
		d.X.Row(r).AddNoise(level, reseedable.Open(noise.At(part, r)))
	}
	return d
}
