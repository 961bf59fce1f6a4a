// MimeLite, the client's half — local steps with the server's momentum, which does not change.
//
//	S. P. Karimireddy, M. Jaggi, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. T. Suresh. Mime:
//	Mimicking Centralized Stochastic Algorithms in Federated Learning. arXiv:2008.03606, 2020,
//	Algorithm 1 (MimeLite), for SGD with momentum (MimeLiteSGDm).
//
// Notation: x the received model, y the local one, η the rate, g a gradient, ∇fᵢ(x) that of all
// samples of the client, m the momentum, which is broadcast and held still, β ∈ [0, 1). A step is
//
//	y ← y − η((1 − β)g(y) + βm).
//
// The client sends y and (1 − β)∇fᵢ(x) + βm, whose mean over clients is the server's next m. With
// β = 0 its models are those of sgd, bit for bit.
//
// Departures: the momentum is renewed by the client with the gradient that the paper has it send,
// so that β is said once; the server's mean is the same. Of the paper's base methods it is the one.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// MimeLite describes the local rule to the registry.
var MimeLite = fl.LocalRuleEntry{
	Name:       "mimelite",
	Summary:    "gradient descent with the server's momentum, the same in all steps of a round",
	Paper:      "karimireddy2020mime",
	Deviations: "clients send a renewed momentum, not a gradient; SGD with momentum alone",
	New:        newMimeLite,
	Traits: fl.LocalTraits{Packed: true,
		Method: "MimeLite", Drift: fl.Drift{Handling: fl.DriftBounded,
			Theory: "a share β of every step is the mean gradient at θ"}},
}

// mimeLite keeps nothing in State.
type mimeLite struct {
	work
	beta float64 // β
}

var _ fl.LocalRule = (*mimeLite)(nil)

func newMimeLite(p *fl.Params) (fl.LocalRule, error) {
	return &mimeLite{
		beta: p.Float("beta", 0.9, fl.RightOpen(0, 1), "β, the weight of the momentum; the paper "+
			"tries 0, 0.9 and 0.99"),
		work: newWork(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *mimeLite) Run(t *fl.Task) (fl.Update, error) {
	momentum := fl.Vector(t.Broadcast["momentum"].Data) // m
	sent := t.Payload(1, len(t.Params))
	next := fl.Vector(sent.Data)
	t.Worker.Gradient(next, t.Global, &t.Client.Data, nil)
	next.Scale(1 - s.beta)
	if momentum != nil {
		next.AddScaled(s.beta, momentum)
	}
	d := s.descent(t)
	blend(t, d, momentum, 1-s.beta)
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"momentum": sent}}, nil
}
