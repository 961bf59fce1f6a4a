// FedProx — local descent with a proximal term.
//
//	T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith. Federated Optimization in
//	Heterogeneous Networks. MLSys 2020, Algorithm 2.
//
// Notation: θᵗ⁻¹ the received model, fᵢ the client's loss, μ the proximal weight. The client
// descends on hᵢ(θ) = fᵢ(θ) + μ/2·‖θ − θᵗ⁻¹‖² (eq. 2). With μ = 0 it is sgd, bit for bit; so is a
// first step for any μ, whose proximal term has no gradient.
//
// Departures: the paper asks for a γ-inexact minimiser of hᵢ; here, as in its experiments, that is
// so many steps, of which stragglers make fewer: the parameter stragglers of completion models. How
// clients are weighed is the aggregator's: the paper draws them with probability nᵢ/n and takes a
// plain mean.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedProx describes the local rule to the registry.
var FedProx = fl.LocalRuleEntry{
	Name:    "fedprox",
	Summary: "gradient descent with a proximal term, which holds models near the received one",
	Paper:   "li2020prox",
	Deviations: "a number of steps stands for the γ-inexact minimiser; the aggregator decides " +
		"how clients are weighed",
	New: newFedProx,
	Traits: fl.LocalTraits{Packed: true, Drift: fl.Drift{Handling: fl.DriftBounded,
		Theory: "the proximal term holds clients near the received model"}},
}

// fedProx keeps nothing in State.
type fedProx struct {
	sgd
	mu float64 // μ
}

var _ fl.LocalRule = (*fedProx)(nil)

func newFedProx(p *fl.Params) (fl.LocalRule, error) {
	return &fedProx{
		mu: p.Float("mu", 0.01, fl.AtLeast(0), "weight μ of the proximal term μ/2·‖θ − θᵗ⁻¹‖²; "+
			"the paper tries 0.001, 0.01, 0.1 and 1"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule: the steps of sgd, by ∇f(θ; ξ) + μ(θ − θᵗ⁻¹).
func (s *fedProx) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	d.Pull = s.mu
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
