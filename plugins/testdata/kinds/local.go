package kinds

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// Proximal is gradient descent with a pull towards the received model.
var Proximal = fl.LocalRuleEntry{
	Name:    "pull",
	Summary: "full gradients with a proximal term",
	New:     newProximal,
}

type proximal struct {
	steps    int
	rate, mu float64
}

func newProximal(p *fl.Params) (fl.LocalRule, error) {
	return &proximal{
		steps: p.Int("steps", 3, fl.AtLeast(1), "gradient steps"),
		rate:  p.Float("lr", 0.01, fl.Above(0), "step size"),
		mu:    p.Float("mu", 0.1, fl.AtLeast(0), "weight of the pull"),
	}, nil
}

// Run implements θ ← θ − η(∇f(θ) + μ(θ − θᵗ⁻¹)).
func (l *proximal) Run(t *fl.Task) (fl.Update, error) {
	grad := t.Scratch(len(t.Params))
	steps := t.Fit(l.steps)
	for range steps {
		for i := range grad {
			grad[i] = 0
		}
		t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
		grad.AddScaled(l.mu, t.Params)
		grad.AddScaled(-l.mu, t.Global)
		t.Params.AddScaled(-l.rate, grad)
	}
	return fl.Update{Steps: steps, Params: t.Params}, nil
}
