// SGD — gradient descent, with heavy-ball or Nesterov momentum and weight decay.
//
//	I. Sutskever, J. Martens, G. Dahl, G. Hinton. On the Importance of Initialization and
//	Momentum in Deep Learning. ICML 2013, Equations 1 to 4.
//
// Notation: g gradient, η rate, μ momentum, λ weight_decay, v velocity (Slots[0]).
// Departures: as in PyTorch, the rate multiplies the velocity when it is used, not when it
// is gathered, and weight decay adds λθ to the gradient.

package optimizer

import "github.com/hansa-fl/hansa/framework/fl"

// SGD describes the optimizer to the registry.
var SGD = fl.OptimizerEntry{
	Name:    "sgd",
	Summary: "gradient descent, on request with momentum",
	Paper:   "sutskever2013",
	Deviations: "as in PyTorch, the rate multiplies the velocity when it is used, not when it is " +
		"gathered",
	New: newSGD,
}

type sgd struct {
	momentum float64 // μ, in [0, 1)
	decay    float64 // λ, ≥ 0
	nesterov bool
}

var _ fl.Optimizer = (*sgd)(nil)

func newSGD(p *fl.Params) (fl.Optimizer, error) {
	o := &sgd{
		momentum: p.Float("momentum", 0, fl.RightOpen(0, 1), "μ: how much of the velocity stays"),
		nesterov: p.Bool("nesterov", false, "look ahead by the momentum; needs one"),
		decay:    decay(p, "λ: adds λθ to the gradient"),
	}
	if o.nesterov && o.momentum == 0 {
		p.Clash("nesterov", "momentum", "needs a momentum above 0")
	}
	return o, nil
}

// decay declares the parameter of that name.
func decay(p *fl.Params, doc string) float64 {
	return p.Float("weight_decay", 0, fl.AtLeast(0), doc)
}

// Slots implements fl.Optimizer.
func (o *sgd) Slots() int {
	if o.momentum == 0 {
		return 0
	}
	return 1
}

// Rule implements fl.Optimizer.
func (o *sgd) Rule() fl.Rule {
	return fl.Rule{Form: fl.Momentum, Momentum: o.momentum, Nesterov: o.nesterov, Decay: o.decay}
}

// Step implements fl.Optimizer: v ← μv + g + λθ; θ ← θ − ηv, or θ − η(g + λθ + μv) where it
// looks ahead.
func (o *sgd) Step(s *fl.Step) {
	if o.decay > 0 {
		s.Grad.AddScaled(o.decay, s.Params)
	}
	move := s.Grad
	if o.momentum > 0 {
		v := s.Slots[0]
		v.Scale(o.momentum)
		v.AddScaled(1, s.Grad)
		if o.nesterov {
			move.AddScaled(o.momentum, v)
		} else {
			move = v
		}
	}
	s.Params.AddScaled(-s.Rate, move)
}
