// Adam — steps along the mean gradient over the root of the mean squared gradient.
//
//	D. Kingma, J. Ba. Adam: A Method for Stochastic Optimization. ICLR 2015, Algorithm 1.
//
// Notation: g gradient, η rate, m, v means of g and g² (Slots), β₁, β₂ how much of them
// stays, ε epsilon, λ weight_decay, t steps so far.
// Departures: weight decay, which the paper has not, adds λθ to the gradient, as in PyTorch.

package optimizer

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Adam describes the optimizer to the registry.
var Adam = fl.OptimizerEntry{
	Name:       "adam",
	Summary:    "steps along the mean gradient over the root of its mean square",
	Paper:      "kingma2015",
	Deviations: "weight decay, which the paper has not, adds λθ to the gradient, as in PyTorch",
	New: func(p *fl.Params) (fl.Optimizer, error) {
		return &adam{moments: newMoments(p), decay: decay(p, "λ: adds λθ to the gradient")}, nil
	},
}

type adam struct {
	moments
	decay float64 // λ, ≥ 0
}

var _ fl.Optimizer = (*adam)(nil)

// Rule implements fl.Optimizer.
func (o *adam) Rule() fl.Rule {
	r := o.rule()
	r.Decay = o.decay
	return r
}

// Step implements fl.Optimizer.
func (o *adam) Step(s *fl.Step) {
	if o.decay > 0 {
		s.Grad.AddScaled(o.decay, s.Params)
	}
	o.step(s)
}

// moments are what Adam and AdamW have in common.
type moments struct {
	beta1, beta2 float64 // β₁, β₂ in [0, 1)
	epsilon      float64 // ε > 0
}

func newMoments(p *fl.Params) moments {
	return moments{
		beta1:   p.Float("beta1", 0.9, fl.RightOpen(0, 1), "β₁: what stays of the mean gradient"),
		beta2:   p.Float("beta2", 0.999, fl.RightOpen(0, 1), "β₂: what stays of its mean square"),
		epsilon: p.Float("epsilon", 1e-8, fl.Above(0), "ε: added to the root"),
	}
}

// Slots implements fl.Optimizer.
func (o moments) Slots() int { return 2 }

func (o moments) rule() fl.Rule {
	return fl.Rule{Form: fl.Adam, Beta1: o.beta1, Beta2: o.beta2, Epsilon: o.epsilon}
}

// step is Algorithm 1: m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g² and
// θ ← θ − η·m̂/(√v̂ + ε), with m̂ = m/(1 − β₁ᵗ) and v̂ = v/(1 − β₂ᵗ).
func (o moments) step(s *fl.Step) {
	m, v, t := s.Slots[0], s.Slots[1], float64(s.T+1)
	rate := s.Rate / (1 - math.Pow(o.beta1, t))
	root := math.Sqrt(1 - math.Pow(o.beta2, t))
	for i, g := range s.Grad {
		m[i] = o.beta1*m[i] + (1-o.beta1)*g
		v[i] = o.beta2*v[i] + (1-o.beta2)*g*g
		s.Params[i] -= rate * m[i] / (math.Sqrt(v[i])/root + o.epsilon)
	}
}
