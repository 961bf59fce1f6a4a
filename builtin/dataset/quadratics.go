// Quadratics — clients whose losses are parabolas with a minimum of their own.
//
//	FedIPW: the two-client instance with which the paper shows that its bound on the residual
//	bias of wrong weights is sharp.
//
// Notation: aᵢ the minimum of client i, μ the curvature. Client i has the one sample
// x = √(μ/2), y = aᵢ√(μ/2), so that squared loss of a linear model without bias is
//
//	fᵢ(θ) = (μ/2)(θ − aᵢ)².
//
// That is the loss "mse" of the model; "half-mse" is half of it, with a curvature of μ/2.
// Weights wᵢ that sum to 1 lead to θ = Σ wᵢaᵢ, whose excess is (μ/2)(Σ wᵢaᵢ − Σ pᵢaᵢ)². Each
// client may have a covariate, by which participation can be estimated.
//
// Departures: none.

package dataset

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Quadratics describes the data set to the registry.
var Quadratics = fl.SourceEntry{
	Name:    "quadratics",
	Summary: "one quadratic for each client: fᵢ(θ) = (μ/2)(θ − aᵢ)², for models without bias",
	Paper:   "fedipw",
	New:     newQuadratics,
	Example: map[string]any{"minima": []any{-2.0, -1.0, 0.0, 1.0, 2.0, 4.0}},
}

type quadratics struct {
	minima fl.Vector // aᵢ
	mu     float64   // μ > 0
	known  fl.Vector // covariate of each client; nil: there are none
}

var _ fl.Source = (*quadratics)(nil)

func newQuadratics(p *fl.Params) (fl.Source, error) {
	q := &quadratics{
		minima: p.Floats("minima", fl.Anything(), "a, where the loss of client 0, 1, … is least"),
		mu: p.Float("curvature", 1, fl.Above(0), "μ of every loss that is mse; half-mse halves "+
			"it"),
	}
	q.known = p.FloatsOr("covariate", nil, fl.Anything(), "what is known of client 0, 1, … "+
		"beside its sample, such as the logarithm of its seconds; none: nothing")
	if s := p.Setting(); s.Known() && len(q.minima) != s.Clients {
		p.Fail("minima", "%d minima for %d clients", len(q.minima), s.Clients)
	}
	if n := len(q.known); n > 0 && n != len(q.minima) {
		p.Fail("covariate", "%d numbers for %d clients", n, len(q.minima))
	}
	return q, nil
}

// Shape is that of regression on one number; every row has a client.
func (q *quadratics) Shape() fl.Shape {
	s := fl.Shape{Features: 1, Owned: true}
	if len(q.known) > 0 {
		s.Covariates = []string{"covariate"}
	}
	return s
}

// Load draws nothing.
func (q *quadratics) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	n, x := len(q.minima), math.Sqrt(q.mu/2)
	train = &fl.Dataset{Shape: q.Shape(), X: fl.NewMatrix(n, 1), Target: make(fl.Vector, n),
		Owner: make([]int, n)}
	for i, a := range q.minima {
		train.X.Data[i], train.Target[i], train.Owner[i] = x, a*x, i
	}
	if len(q.known) > 0 {
		train.Covariates = fl.Matrix{Rows: n, Cols: 1, Data: q.known.Clone()}
	}
	return train, nil, nil
}
