// Standardize — every feature has mean 0 and variance 1.
//
//	T. F. Chan, G. H. Golub, R. J. LeVeque. Updating Formulae and a Pairwise Algorithm for
//	Computing Sample Variances, 1979. Equation 2.1: how counts, means and squares are merged.
//
// Notation: nᵢ the samples of client i, μᵢ the means of its features, Qᵢ their sums of squared
// deviations from μᵢ. All clients together have n = Σ nᵢ, μ and Q, and a row x becomes
//
//	(x − μ)/σ,  σ² = Q/n.
//
// Clients upload μᵢ and Qᵢ, which are merged by differences of means: nothing is lost where means
// are large beside deviations, as it is in Σ x² − nμ². By client, each uses μᵢ and Qᵢ/nᵢ and
// nothing is uploaded.
//
// Departures: a feature without variance has σ = 1, so that it becomes 0.

package preprocess

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Standardize describes the preprocessor to the registry.
var Standardize = fl.PreprocessorEntry{
	Name:       "standardize",
	Summary:    "features to mean 0 and variance 1, over all clients or by client",
	Paper:      "chan1979",
	Deviations: "a feature without variance becomes 0",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		by := p.Choice("by", "all", "whose means and variances: those of the enrolled together, "+
			"or each client's own", "all", "client")
		return &standardize{alone: by == "client"}, nil
	},
	Waives: map[string]string{"identity": "it changes the scale of features, not what sets " +
		"clients apart"},
}

type standardize struct{ alone bool }

var _ fl.Preprocessor = (*standardize)(nil)

// Shape implements fl.Preprocessor.
func (s *standardize) Shape(in fl.Shape) (fl.Shape, error) { return in, nil }

// Summarize implements fl.Preprocessor: a client uploads μᵢ and Qᵢ.
func (s *standardize) Summarize(c *fl.SummaryInput) (fl.Tensors, error) {
	if s.alone {
		return nil, nil
	}
	own := spreadOf(c.Data.X)
	return fl.Tensors{"mean": vector(own.mean), "squares": vector(own.squares)}, nil
}

// Combine implements fl.Preprocessor: the server sends μ and σ.
func (s *standardize) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	if s.alone {
		return nil, nil
	}
	d := c.Shape.Features
	all := spread{mean: make(fl.Vector, d), squares: make(fl.Vector, d)}
	for _, u := range c.Uploads {
		all.merge(spread{float64(u.Samples), u.Payload["mean"].Data, u.Payload["squares"].Data})
	}
	return fl.Tensors{"mean": vector(all.mean), "deviation": vector(all.deviations())}, nil
}

var errWhose = errors.New("standardize by client: some rows belong to no client, such as " +
	"test rows that stay with no client, or the server's own; partition = \"natural\" or " +
	"\"domains\" gives test rows to clients, and by = \"all\" moves all rows in the same way")

// Transform implements fl.Preprocessor.
func (s *standardize) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	var mean, deviation fl.Vector
	switch {
	case !s.alone:
		mean, deviation = m.Reference["mean"].Data, m.Reference["deviation"].Data
	case m.Own == nil:
		return fl.Matrix{}, errWhose
	default:
		own := spreadOf(m.Own.X)
		mean, deviation = own.mean, own.deviations()
	}
	out := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
	for i := range out.Rows {
		row := out.Row(i)
		for j, x := range m.Rows.Row(i) {
			row[j] = (x - mean[j]) / deviation[j]
		}
	}
	return out, nil
}

// A spread is n, μ and Q of so many rows.
type spread struct {
	n             float64
	mean, squares fl.Vector
}

// spreadOf returns that of the rows of x. Features that say the same in all rows have exactly
// that as their mean, and no squares.
func spreadOf(x fl.Matrix) spread {
	s := spread{float64(x.Rows), make(fl.Vector, x.Cols), make(fl.Vector, x.Cols)}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			s.mean[j] += (v - x.Data[j]) / s.n
		}
	}
	s.mean.AddScaled(1, x.Row(0))
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			s.squares[j] += (v - s.mean[j]) * (v - s.mean[j])
		}
	}
	return s
}

// merge takes in other rows.
func (s *spread) merge(o spread) {
	n := s.n + o.n
	for j := range s.mean {
		apart := o.mean[j] - s.mean[j]
		s.mean[j] += apart * (o.n / n)
		s.squares[j] += o.squares[j] + apart*apart*(s.n*(o.n/n))
	}
	s.n = n
}

// deviations returns σ. Less than the rounding of the numbers themselves is none.
func (s *spread) deviations() fl.Vector {
	d := make(fl.Vector, len(s.mean))
	for j := range d {
		if d[j] = math.Sqrt(s.squares[j] / s.n); !(d[j] > 0x1p-50*math.Abs(s.mean[j])) {
			d[j] = 1
		}
	}
	return d
}
