// Package mine is gradient descent with a momentum that each client keeps from round to round.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the local rule. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.LocalRuleEntry{
	Name:    "mine",
	Summary: "gradient descent with a momentum that each client keeps from round to round",
	Paper:   "J. Wang et al., ICLR 2020: SlowMo, the strategy that maintains buffers",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &mine{
			steps: p.Int("steps", 10, fl.AtLeast(1), "gradient steps"),
			batch: p.Int("batch", 0, fl.AtLeast(0), "samples per step; 0: all of them"),
			rate:  p.Float("lr", 0.01, fl.AtLeast(0), "learning rate η"),
			beta:  p.Float("beta", 0.5, fl.RightOpen(0, 1), "momentum β"),
		}, nil
	},
}

// mine keeps in Task.State: velocity, as long as the model. State is that of one client: zeros
// when it first trains, as it was left when the client trains again, and part of checkpoints.
// Nothing of it is sent. Fields are shared by all clients, and are never written to by Run.
type mine struct {
	steps, batch int
	rate, beta   float64
}

// Run repeats v ← βv + ∇f(θ), θ ← θ − ηv. The Task holds all that a client may know: t.Global is
// θᵗ⁻¹, to be read; t.Params is a copy of it, to be trained in place; t.State is what the client
// keeps; t.Client.Data are its samples, and t.Worker computes the model's loss and gradient.
// Where a vector of State is a model with which the client predicts, add to the entry
// Traits: fl.LocalTraits{Personal: "its name"}; metrics with model = "personal" measure it.
func (m *mine) Run(t *fl.Task) (fl.Update, error) {
	velocity := t.State.Vector("velocity", len(t.Params)) // written to in place
	grad := t.Scratch(len(t.Params))                      // zeros, valid until Run returns
	batches := t.Batches(m.batch)
	steps := t.Fit(m.steps) // fewer where the client has no time for all of them
	for range steps {
		clear(grad) // to which Gradient adds
		t.Worker.Gradient(grad, t.Params, &t.Client.Data, batches.Next())
		velocity.Scale(m.beta)
		velocity.Add(grad)
		t.Params.AddScaled(-m.rate, velocity)
	}
	return fl.Update{Steps: steps, Params: t.Params}, nil
}
