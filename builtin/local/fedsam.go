// FedSAM — local sharpness-aware minimisation.
//
//	Z. Qu, X. Li, R. Duan, Y. Liu, B. Tang, Z. Lu. Generalized Federated Learning via
//	Sharpness Aware Minimization. ICML 2022, Algorithm 1 (FedSAM).
//	P. Foret, A. Kleiner, H. Mobahi, B. Neyshabur. Sharpness-Aware Minimization for Efficiently
//	Improving Generalization. ICLR 2021, eq. (3).
//
// Notation: ρ the radius, g = ∇f(θ; ξ) the gradient of a batch. Each step goes along the gradient
// of the same batch at the point of the ball around θ where the loss is largest, to first order:
//
//	θ ← θ − η∇f(θ + ρ g/‖g‖; ξ).
//
// With ρ = 0 it is sgd, bit for bit; otherwise a step takes two gradients.
//
// Departures: none. How clients are weighed is the aggregator's; the paper takes a plain mean.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedSAM describes the local rule to the registry.
var FedSAM = fl.LocalRuleEntry{
	Name:    "fedsam",
	Summary: "gradient descent by gradients at the sharpest point near the parameters",
	Paper:   "qu2022",
	New:     newFedSAM,
	Traits:  fl.LocalTraits{Packed: true, Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// fedSAM keeps nothing in State.
type fedSAM struct {
	sgd
	rho float64 // ρ
}

var _ fl.LocalRule = (*fedSAM)(nil)

func newFedSAM(p *fl.Params) (fl.LocalRule, error) {
	return &fedSAM{
		rho: p.Float("rho", 0.05, fl.AtLeast(0), "ρ, how far from the parameters gradients are "+
			"taken, in their Euclidean norm"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *fedSAM) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	d.Ascent = s.rho
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
