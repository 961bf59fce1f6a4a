// Ditto — a personal model near the global one: vᵢ, the state of each client.
//
//	T. Li, S. Hu, A. Beirami, V. Smith, ICML 2021, Algorithm 1.
//
// There w is the received model, fᵢ the client's loss, λ the weight of λ/2·‖v − w‖². The client
// trains a copy of w, which it sends, and vᵢ, which it keeps. Departures: vᵢ begins as the model
// that the client first receives, not as that of the first round.
package personalproximal

import "github.com/hansa-fl/hansa/framework/fl"

var PersonalProximal = fl.LocalRuleEntry{
	Name: "personal-proximal", Summary: "Ditto: a personal model, drawn to the received one",
	Paper:      "T. Li, S. Hu, A. Beirami, V. Smith, ICML 2021, Algorithm 1",
	Deviations: "a personal model begins as the model that its client first receives",
	Traits:     fl.LocalTraits{Personal: "own"}, // with which the client predicts
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &personalProximal{
			steps:  p.Int("steps", 10, fl.AtLeast(1), "gradient steps of each of the two models"),
			batch:  p.Int("batch", 0, fl.AtLeast(0), "samples per step; 0: all of them"),
			rate:   p.Float("lr", 0.1, fl.AtLeast(0), "η, rate of the steps"),
			lambda: p.Float("lambda", 1, fl.AtLeast(0), "λ; 0: local training alone"),
			by:     p.Optimizer("optimizer", "sgd", "what makes a step of a gradient"),
		}, nil
	},
}

type personalProximal struct {
	steps, batch int
	rate, lambda float64
	by           fl.Optimizer
}

func (m *personalProximal) Run(t *fl.Task) (fl.Update, error) {
	m.descend(t, t.Params, 0)
	own := t.State.Vector("own", len(t.Params)) // vᵢ: stays with the client, 0 at first
	if begun := t.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		copy(own, t.Global)
	}
	m.descend(t, own, m.lambda)
	return fl.Update{Steps: t.Fit(m.steps), Params: t.Params}, nil
}

// descend repeats v ← v − η(∇fᵢ(v) + λ(v − w)).
func (m *personalProximal) descend(t *fl.Task, v fl.Vector, lambda float64) {
	d := t.Descent()
	d.Params, d.Pull = v, lambda // to t.Global, which is w
	d.Steps, d.Batches = t.Fit(m.steps), t.Batches(m.batch)
	d.Rate, d.Optimizer = m.rate, m.by
	t.Worker.Descend(d)
}
