// FedLaAvg, the client's half — local descent, of which the client sends what changed.
//
//	Y. Yan, C. Niu, Y. Ding, Z. Zheng, S. Tang, Q. Li, F. Wu, C. Lyu, Y. Feng, G. Chen. Federated
//	Optimization Under Intermittent Client Availability. INFORMS Journal on Computing, 2024
//	(arXiv:2002.07399), Federated Latest Averaging.
//
// Notation: θᵗ⁻¹ the received model, θ that after the client's steps, ηₜ their rate, gᵢ the sum of
// gradients of the client's last participation, which is its state, 0 before the first:
//
//	g = (θᵗ⁻¹ − θ)/ηₜ,    it sends θᵗ⁻¹ − η₀(g − gᵢ), and then gᵢ ← g.
//
// That is as much as FedAvg sends.
//
// Departures: kept and sent are g times the first rate; a rate of 0 renews no gᵢ. With an optimizer
// other than sgd g is what its steps add up to.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedLaAvg describes the local rule to the registry.
var FedLaAvg = fl.LocalRuleEntry{
	Name:    "fedlaavg",
	Summary: "gradient descent, of which is sent what changed since the last participation",
	Paper:   "yan2024",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &fedLaAvg{newSteps(p)}, nil
	},
	Traits: fl.LocalTraits{Packed: true, Method: "FedLaAvg",
		Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// fedLaAvg keeps −η₀gᵢ in the client's state.
type fedLaAvg struct{ sgd }

var _ fl.LocalRule = (*fedLaAvg)(nil)

// Run implements fl.LocalRule.
func (s *fedLaAvg) Run(t *fl.Task) (fl.Update, error) {
	old, next := t.State.Renew("latest", len(t.Params))
	d := s.descent(t)
	t.Worker.Descend(d)
	fade := 1.0 // ηₜ/η₀
	if first := s.rate.At(0); first > 0 {
		fade = s.rate.At(t.T) / first
	}
	trained := len(next)
	if w, normed := t.Worker.(fl.StatisticsWorker); normed {
		trained = w.Trained() // running statistics are sent as they are
	}
	for lo, hi := range stretches(trained) {
		part, sent := next[lo:hi], t.Params[lo:hi]
		copy(part, old[lo:hi])
		if fade > 0 {
			copy(part, sent)
			part.Sub(t.Global[lo:hi])
			part.Scale(1 / fade)
		}
		copy(sent, part)
		sent.Sub(old[lo:hi])
		sent.Add(t.Global[lo:hi])
	}
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
