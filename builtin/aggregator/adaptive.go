package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// adaptive is Algorithm 2 of Reddi et al., which FedAdagrad, FedAdam and FedYogi share:
//
//	m ← β₁m + (1 − β₁)Δ,    v ← second(v, Δ²),    θᵗ = θᵗ⁻¹ + η_g m/(√v + τ),
//
// Δ the weighted mean of the cohort's deltas, m = 0 and v = τ² at first. There is no correction of
// their bias. It keeps m and v in State.
type adaptive struct {
	rate   *serverRate // η_g
	beta1  float64     // β₁, [0, 1)
	tau    float64     // τ > 0
	second func(v, square float64) float64
}

var _ fl.ServerOptimizer = (*adaptive)(nil)

// newAdaptive declares what the three share; beta1 is the default of β₁.
func newAdaptive(p *fl.Params, beta1 float64) *adaptive {
	return &adaptive{
		rate: newServerRate(p),
		beta1: p.Float("beta1", beta1, fl.RightOpen(0, 1),
			"β₁, what stays of the mean update"),
		tau: p.Float("tau", 1e-3, fl.Above(0), "τ, added to the root: the larger, the less "+
			"adaptive; the paper tries 10^-5 to 10^-1, together with both rates"),
	}
}

// newBeta2 declares β₂.
func newBeta2(p *fl.Params) float64 {
	return p.Float("beta2", 0.99, fl.RightOpen(0, 1), "β₂, what stays of the mean square")
}

// Step implements fl.ServerOptimizer.
func (a *adaptive) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	m, v := r.State.Vector("mean", len(next)), r.State.Vector("square", len(next))
	if begun := r.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		v.Fill(a.tau * a.tau)
	}
	rate := a.rate.of(r)
	for i, before := range r.Global {
		delta := next[i] - before
		m[i] = a.beta1*m[i] + (1-a.beta1)*delta
		v[i] = a.second(v[i], delta*delta)
		next[i] = before + rate*m[i]/(math.Sqrt(v[i])+a.tau)
	}
	return fl.Outcome{Params: next}, nil
}
