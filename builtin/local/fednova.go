// FedNova, the client's half — local descent that says how far its gradients go.
//
//	J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor. Tackling the Objective Inconsistency Problem
//	in Heterogeneous Federated Optimization. NeurIPS 2020, Section 4.1 and eq. (6).
//
// Notation: τᵢ steps, η the rate, ρ the momentum, μ the weight of a proximal term. A client ends at
// θᵢ = θᵗ⁻¹ − η Σₖ aᵢₖ gₖ. The sum of its aᵢ, ‖aᵢ‖₁, is
//
//	τᵢ without both, [τᵢ − ρ(1 − ρ^τᵢ)/(1 − ρ)]/(1 − ρ) with momentum,
//	[1 − (1 − ημ)^τᵢ]/(ημ) with a proximal term:
//
// how far, in units of η, the same steps go along gradients of 1. The client sends it beside θᵢ.
//
// Departures: with momentum and a proximal term at once, for which the paper has no formula, aᵢ is
// that of the steps that are made, and its sum takes the place of ‖aᵢ‖₁. Momentum begins at zero in
// every round.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedNova describes the local rule to the registry.
var FedNova = fl.LocalRuleEntry{
	Name:       "fednova",
	Summary:    "gradient descent, with momentum or a proximal term, that tells its length",
	Paper:      "wang2020nova",
	Deviations: "with momentum and a proximal term at once, aᵢ is that of the steps made",
	New:        newFedNova,
	Traits: fl.LocalTraits{Packed: true,
		Method: "FedNova", Drift: fl.Drift{Handling: fl.DriftRemains,
			Theory: "different numbers of steps are made up for, drift within them is not"}},
}

// fedNova keeps nothing in State.
type fedNova struct {
	work
	by momentum // ρ
	mu float64  // μ
}

var _ fl.LocalRule = (*fedNova)(nil)

func newFedNova(p *fl.Params) (fl.LocalRule, error) {
	return &fedNova{
		work: newWork(p),
		by:   momentum(p.Float("momentum", 0, fl.RightOpen(0, 1), "ρ of the client's steps")),
		mu:   p.Float("mu", 0, fl.AtLeast(0), "weight μ of a proximal term; 0: none"),
	}, nil
}

// Run implements fl.LocalRule.
func (s *fedNova) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	d.Optimizer, d.Pull = s.by, s.mu
	t.Worker.Descend(d)
	length := t.Payload(1, 1)
	length.Data[0] = s.length(d.Steps, d.Rate)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"length": length}}, nil
}

// length returns Σₖ aᵢₖ: how far so many steps go along gradients of 1, in units of η.
func (s *fedNova) length(steps int, rate float64) (far float64) {
	velocity, pull := 0.0, rate*s.mu
	for range steps {
		velocity = float64(s.by)*velocity + (1 - pull*far)
		far += velocity
	}
	return far
}

// momentum is v ← ρv + g, θ ← θ − ηv, where ρ is 0 a plain step.
type momentum float64

var _ fl.Optimizer = momentum(0)

// Slots implements fl.Optimizer.
func (m momentum) Slots() int {
	if m == 0 {
		return 0
	}
	return 1
}

// Rule implements fl.Optimizer.
func (m momentum) Rule() fl.Rule { return fl.Rule{Form: fl.Momentum, Momentum: float64(m)} }

// Step implements fl.Optimizer.
func (m momentum) Step(s *fl.Step) {
	if m == 0 {
		s.Params.AddScaled(-s.Rate, s.Grad)
		return
	}
	v := s.Slots[0]
	v.Scale(float64(m))
	v.Add(s.Grad)
	s.Params.AddScaled(-s.Rate, v)
}
