// CORAL — every client's features are whitened by its own covariance and coloured by that of the
// reference.
//
//	B. Sun, J. Feng, K. Saenko. Return of Frustratingly Easy Domain Adaptation. AAAI 2016.
//	Algorithm 1.
//
// Notation: μₖ and Σₖ the moments of client k; wₖ = nₖ/Σn; rows z; τ ∈ [0, 1] how far rows are
// moved.
//
//	client:  μₖ; Σₖ, shrunk, with a floor under its eigenvalues
//	server:  μ_r = Σ wₖμₖ;  Σ_r = Σ wₖΣₖ
//	client:  z ← (1 − τ)z + τ(μ_r + (z − μₖ)·Σₖ^−½·Σ_r^½)
//
// What is sent is what SLOT-Align sends. Rows have the covariance Σ_r afterwards, as they have with
// the transport of SLOT-Align to Σ_r: the two maps differ by a rotation, and transport is the one
// that moves rows least. Where Σₖ and Σ_r commute they are the same.
//
// Departures: the paper has one source and one target, whose covariance is what is coloured with;
// in a federation that is the mean of all. It regularises by adding the identity; here covariances
// are shrunk as those of SLOT-Align are. Means are aligned, too, where the paper standardises
// features first. τ is ours.

package preprocess

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CORAL describes the preprocessor to the registry.
var CORAL = fl.PreprocessorEntry{
	Name:    "coral",
	Summary: "whitens every client's features and gives them the mean covariance",
	Paper:   "sun2016",
	Deviations: "the target is the mean of the clients; covariances are shrunk, where the paper " +
		"adds the identity; means are aligned, too",
	New:  newCORAL,
	Fits: needsOwners,
}

type coral struct {
	tau       float64
	equal     bool // wₖ = 1/K
	estimator estimator
}

var _ fl.Preprocessor = (*coral)(nil)

func newCORAL(p *fl.Params) (fl.Preprocessor, error) {
	c := &coral{estimator: newEstimator(p)}
	c.tau = p.Float("tau", 1, fl.Closed(0, 1), "τ: how far features are moved; 0: not at all")
	c.equal = p.Choice("weights", "samples", "wₖ, by the number of samples or the same for all",
		"samples", "equal") == "equal"
	return c, nil
}

// Shape implements fl.Preprocessor: features stay features.
func (c *coral) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// Summarize returns μₖ and Σₖ.
func (c *coral) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	g, _, err := c.estimator.of(s.Data.X)
	if err != nil {
		return nil, err
	}
	return c.estimator.sent(g), nil
}

// Combine returns μ_r and Σ_r.
func (c *coral) Combine(in *fl.CombineInput) (fl.Tensors, error) {
	d := in.Shape.Features
	to, w := ot.Gaussian{Mean: make(fl.Vector, d), Cov: fl.NewMatrix(d, d)}, 0.0
	for _, u := range in.Uploads {
		of := float64(u.Samples)
		if c.equal {
			of = 1
		}
		g := received(u.Payload)
		to.Mean.AddScaled(of, g.Mean)
		fl.Vector(to.Cov.Data).AddScaled(of, g.Cov.Data)
		w += of
	}
	to.Mean.Scale(1 / w)
	fl.Vector(to.Cov.Data).Scale(1 / w)
	return c.estimator.sent(to), nil
}

// Transform moves features towards the reference.
func (c *coral) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	own, _, err := c.estimator.of(m.Own.X)
	if err != nil {
		return fl.Matrix{}, err
	}
	to := received(m.Reference)
	white, err := whitening(own.Cov)
	if err != nil {
		return fl.Matrix{}, err
	}
	var e tensor.Eigen
	if _, err := e.FactorPositive(to.Cov, leastShare); err != nil {
		return fl.Matrix{}, fmt.Errorf("reference: %w", err)
	}
	colour, a := fl.NewMatrix(white.Rows, white.Cols), fl.NewMatrix(white.Rows, white.Cols)
	e.Sqrt(colour)
	tensor.Mul(a, white, colour)
	return affine(m.Rows, own.Mean, a, to.Mean, c.tau), nil
}

// leastShare is the smallest eigenvalue beside the largest: the estimator's floor is above it
// unless variances span ten orders.
const leastShare = 1e-12

// whitening returns Σ^−½.
func whitening(cov fl.Matrix) (fl.Matrix, error) {
	var e tensor.Eigen
	if _, err := e.FactorPositive(cov, leastShare); err != nil {
		return fl.Matrix{}, fmt.Errorf("covariance of a client: %w", err)
	}
	white := fl.NewMatrix(cov.Rows, cov.Cols)
	e.InvSqrt(white)
	return white, nil
}

// affine returns (1 − τ)z + τ(to + (z − from)·A) of every row z.
func affine(rows fl.Matrix, from fl.Vector, a fl.Matrix, to fl.Vector, tau float64) fl.Matrix {
	moved := copied(rows)
	if tau == 0 {
		return moved
	}
	centred := copied(rows)
	for i := range centred.Rows {
		centred.Row(i).Sub(from)
	}
	tensor.Mul(moved, centred, a)
	for i := range moved.Rows {
		row := moved.Row(i)
		row.Add(to)
		if tau < 1 {
			row.Scale(tau)
			row.AddScaled(1-tau, rows.Row(i))
		}
	}
	return moved
}
