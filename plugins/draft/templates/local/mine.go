// Package mine is gradient descent with a proximal term.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the local rule. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.LocalRuleEntry{
	Name:    "mine",
	Summary: "gradient descent with a proximal term at the received model",
	Paper:   "T. Li et al., MLSys 2020: FedProx",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &mine{
			steps: p.Int("steps", 10, fl.AtLeast(1), "gradient steps"),
			batch: p.Int("batch", 0, fl.AtLeast(0), "samples per step; 0: all of them"),
			rate:  p.Float("lr", 0.01, fl.AtLeast(0), "learning rate η"),
			mu:    p.Float("mu", 0.1, fl.AtLeast(0), "weight of the proximal term μ"),
		}, nil
	},
}

type mine struct {
	steps, batch int
	rate, mu     float64
}

// Run repeats θ ← θ − η(∇f(θ) + μ(θ − θᵗ⁻¹)). The Task holds all that a client may know:
// t.Global is θᵗ⁻¹, to be read; t.Params is a copy of it, to be trained in place;
// t.Client.Data are its samples, and t.Worker computes the model's loss and gradient.
func (m *mine) Run(t *fl.Task) (fl.Update, error) {
	grad := t.Scratch(len(t.Params)) // zeros, valid until Run returns
	batches := t.Batches(m.batch)
	steps := t.Fit(m.steps) // fewer where the client has no time for all of them
	for range steps {
		clear(grad) // to which Gradient adds
		t.Worker.Gradient(grad, t.Params, &t.Client.Data, batches.Next())
		grad.AddScaled(m.mu, t.Params)
		grad.AddScaled(-m.mu, t.Global)
		t.Params.AddScaled(-m.rate, grad)
	}
	return fl.Update{Steps: steps, Params: t.Params}, nil
}
