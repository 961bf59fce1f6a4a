// FedDyn, the client's half — local descent with a dynamic regulariser.
//
//	D. A. E. Acar, Y. Zhao, R. Matas Navarro, M. Mattina, P. N. Whatmough, V. Saligrama.
//	Federated Learning Based on Dynamic Regularization. ICLR 2021, Algorithm 1.
//
// Notation: θᵗ⁻¹ the received model, fᵢ the client's loss, α > 0, hᵢ the gradient that the client
// remembers, 0 at first. The client descends on
//
//	fᵢ(θ) − ⟨hᵢ, θ⟩ + α/2·‖θ − θᵗ⁻¹‖², and then hᵢ ← hᵢ − α(θᵢ − θᵗ⁻¹).
//
// Its state is −hᵢ. It sends θᵢ alone.
//
// Departures: the paper asks for a minimiser; here, as in its experiments, that is so many steps.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedDyn describes the local rule to the registry.
var FedDyn = fl.LocalRuleEntry{
	Name:       "feddyn",
	Summary:    "gradient descent with a regulariser that follows what the client did before",
	Paper:      "acar2021",
	Deviations: "a number of steps stands for the minimiser of the regularised loss",
	New:        newFedDyn,
	Traits: fl.LocalTraits{Packed: true,
		Method: "FedDyn", Drift: fl.Drift{Handling: fl.DriftCorrected,
			Theory: "proven for clients drawn uniformly in each round that minimise their " +
				"regularised losses",
			Beyond: "steps instead of minimisers, and availability that depends on the client or " +
				"on time"}},
}

// fedDyn keeps −hᵢ in the client's state.
type fedDyn struct {
	sgd
	alpha float64 // α
}

var _ fl.LocalRule = (*fedDyn)(nil)

func newFedDyn(p *fl.Params) (fl.LocalRule, error) {
	return &fedDyn{
		alpha: p.Float("alpha", 0.01, fl.Above(0), "weight α of the regulariser; the paper tries "+
			"0.1, 0.01 and 0.001"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule: the steps of sgd, by ∇f(θ; ξ) − hᵢ + α(θ − θᵗ⁻¹).
func (s *fedDyn) Run(t *fl.Task) (fl.Update, error) {
	old, next := t.State.Renew("gradient", len(t.Params)) // −hᵢ before and after
	d := s.descent(t)
	d.Shift, d.Pull = old, s.alpha
	t.Worker.Descend(d)
	for lo, hi := range stretches(len(next)) {
		part := next[lo:hi]
		copy(part, t.Params[lo:hi])
		part.Sub(t.Global[lo:hi])
		part.Scale(s.alpha)
		part.Add(old[lo:hi])
	}
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
