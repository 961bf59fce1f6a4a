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
// Weights wᵢ that sum to 1 lead to θ = Σ wᵢaᵢ, whose excess is (μ/2)(Σ wᵢaᵢ − Σ pᵢaᵢ)².
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
}

var _ fl.Source = (*quadratics)(nil)

func newQuadratics(p *fl.Params) (fl.Source, error) {
	q := &quadratics{
		minima: p.Floats("minima", fl.Anything(), "a, where the loss of client 0, 1, … is least"),
		mu: p.Float("curvature", 1, fl.Above(0), "μ of every loss that is mse; half-mse halves "+
			"it"),
	}
	if s := p.Setting(); s.Known() && len(q.minima) != s.Clients {
		p.Fail("minima", "%d minima for %d clients", len(q.minima), s.Clients)
	}
	return q, nil
}

// Shape is that of regression on one number; every row has a client.
func (q *quadratics) Shape() fl.Shape { return fl.Shape{Features: 1, Owned: true} }

// Load draws nothing.
func (q *quadratics) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	n, x := len(q.minima), math.Sqrt(q.mu/2)
	train = &fl.Dataset{Shape: q.Shape(), X: fl.NewMatrix(n, 1), Target: make(fl.Vector, n),
		Owner: make([]int, n)}
	for i, a := range q.minima {
		train.X.Data[i], train.Target[i], train.Owner[i] = x, a*x, i
	}
	return train, nil, nil
}
