// SGD — local (stochastic) gradient descent from the received model, by any optimizer.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Algorithm 2, line 8.
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from
//	Decentralized Data. AISTATS 2017, Algorithm 1.
//
// Notation: η the rate, H steps, b batch, Π_C projection on the ball ‖θ‖ ≤ radius. What an
// optimizer keeps from step to step begins at zero in every round.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// SGD describes the local rule to the registry.
var SGD = fl.LocalRuleEntry{
	Name:    "sgd",
	Summary: "gradient descent on the client's samples, all at once or in batches",
	Paper:   "mcmahan2017",
	New:     newSGD,
}

// sgd keeps nothing in State.
type sgd struct {
	steps  int // H; 0: as many as epochs take
	epochs int // passes over the samples when steps is 0
	batch  int // b; 0: all samples
	rate   schedule
	by     fl.Optimizer
	radius float64 // of C; 0: no projection
}

var _ fl.LocalRule = (*sgd)(nil)

func newSGD(p *fl.Params) (fl.LocalRule, error) {
	s := &sgd{
		steps: p.Int("steps", 0, fl.AtLeast(0), "gradient steps H; 0: as many as epochs take"),
		epochs: p.Int("epochs", 0, fl.AtLeast(0),
			"passes over the client's samples, instead of steps; one when neither is given"),
		batch: p.Int("batch", 0, fl.AtLeast(0),
			"samples per step, drawn without replacement; 0: all of them"),
		rate: newSchedule(p),
		by: p.Optimizer("optimizer", "sgd",
			"what makes a step of a gradient; begins anew in every round"),
		radius: p.Float("radius", 0, fl.AtLeast(0),
			"project on the ball ‖θ‖ ≤ radius after each step; 0: do not"),
	}
	switch {
	case s.steps > 0 && s.epochs > 0:
		p.Clash("epochs", "steps", "steps = %d is given too; set one of them to 0", s.steps)
	case s.steps == 0 && s.epochs == 0:
		s.epochs = 1
	}
	return s, nil
}

// Run implements fl.LocalRule: θ ← Π_C(θ − η ∇f(θ; ξ)), or as the optimizer steps, H times.
func (s *sgd) Run(t *fl.Task) (fl.Update, error) {
	d := t.Descent()
	d.Optimizer, d.Rate, d.Radius = s.by, s.rate.rate(t.T), s.radius
	d.Batches, d.Steps = t.Batches(s.batch), s.steps
	if d.Steps == 0 {
		d.Steps = s.epochs * d.Batches.PerEpoch()
	}
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
