// SGD — local (stochastic) gradient descent from the received model, by any optimizer.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Algorithm 2, line 8.
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from
//	Decentralized Data. AISTATS 2017, Algorithm 1.
//
// Notation: η the rate, H steps, b batch, Π_C projection on the ball ‖θ‖ ≤ radius. What an
// optimizer keeps from step to step, such as a velocity, begins at zero in every round, or with
// optimizer_state = "kept" goes on from where it was when the client trained last: it stays with
// the client, and is no communication.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// SGD describes the local rule to the registry.
var SGD = fl.LocalRuleEntry{
	Name:    "sgd",
	Summary: "gradient descent on the client's samples, all at once or in batches",
	Paper:   "mcmahan2017",
	New:     newSGD,
	Traits:  fl.LocalTraits{Packed: true, Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// sgd keeps in State what its optimizer does, where it is to.
type sgd struct {
	work
	by     fl.Optimizer
	radius float64 // of C; 0: no projection
	keeps  bool    // optimizer_state = "kept"
}

var _ fl.LocalRule = (*sgd)(nil)

func newSGD(p *fl.Params) (fl.LocalRule, error) {
	s := newSteps(p)
	s.keeps = p.Choice("optimizer_state", "reset", "whether what the optimizer keeps, such as "+
		"momentum, begins anew in every round, or goes on from the client's last one", "reset",
		"kept") == "kept"
	p.Later("optimizer_state")
	return &s, nil
}

// newSteps declares the steps of a client's descent.
func newSteps(p *fl.Params) sgd {
	return sgd{work: newWork(p), by: newOptimizer(p), radius: newRadius(p)}
}

// descent returns a descent by these steps in the round of a task.
func (s *sgd) descent(t *fl.Task) *fl.Descent {
	d := s.work.descent(t)
	d.Optimizer, d.Radius = s.by, s.radius
	return d
}

// newOptimizer declares what steps are made by.
func newOptimizer(p *fl.Params) fl.Optimizer {
	return p.Optimizer("optimizer", "sgd",
		"what makes a step of a gradient; begins anew in every round")
}

// newRadius declares the ball that parameters stay in.
func newRadius(p *fl.Params) float64 {
	return p.Float("radius", 0, fl.AtLeast(0),
		"project on the ball ‖θ‖ ≤ radius after each step; 0: do not")
}

// Run implements fl.LocalRule: θ ← Π_C(θ − η ∇f(θ; ξ)), or as the optimizer steps, H times.
func (s *sgd) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	if s.keeps {
		d.Keep()
	}
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
