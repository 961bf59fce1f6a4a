// SCAFFOLD, the client's half — local descent corrected by control variates.
//
//	S. P. Karimireddy, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. T. Suresh. SCAFFOLD:
//	Stochastic Controlled Averaging for Federated Learning. ICML 2020, Algorithm 1, lines 7–14.
//
// Notation: x = θᵗ⁻¹ the received model, y the local one, η the local rate, τ steps, gᵢ a gradient
// of the client's loss, cᵢ the client's control variate, which is its state, c the server's, which
// is broadcast. A step is y ← y − η(gᵢ(y) − cᵢ + c). Then
//
//	I:  cᵢ⁺ = gᵢ(x), of all samples of the client,
//	II: cᵢ⁺ = cᵢ − c + (x − y)/(τη).
//
// The client sends y and cᵢ⁺ − cᵢ, twice what FedAvg sends. Both variates are 0 at first, and c is
// sent from the second round on.
//
// Departures: none. τ counts steps, not epochs. Momentum and weight decay would break option II, so
// no optimizer can be chosen. All steps of a round have one rate η, so that τη is their sum; with
// η = 0 the variate stays as it is.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// Scaffold describes the local rule to the registry.
var Scaffold = fl.LocalRuleEntry{
	Name:    "scaffold",
	Summary: "gradient descent whose drift control variates of client and server correct",
	Paper:   "karimireddy2020",
	New:     newScaffold,
	Traits:  fl.LocalTraits{Method: "SCAFFOLD"},
}

// scaffold keeps cᵢ in the client's state.
type scaffold struct {
	work
	anew bool // option I
}

var _ fl.LocalRule = (*scaffold)(nil)

func newScaffold(p *fl.Params) (fl.LocalRule, error) {
	return &scaffold{
		work: newWork(p),
		anew: p.Choice("option", "II", "how the client's control variate is renewed: I by a "+
			"gradient of all its samples at the received model, II by the steps it made",
			"II", "I") == "I",
	}, nil
}

// Run implements fl.LocalRule.
func (s *scaffold) Run(t *fl.Task) (fl.Update, error) {
	own := t.State.Vector("control", len(t.Params))
	shift := t.Scratch(len(t.Params)) // c − cᵢ
	if c, sent := t.Broadcast["control"]; sent {
		copy(shift, c.Data)
	}
	shift.AddScaled(-1, own)
	d := s.descent(t)
	d.Shift = shift
	t.Worker.Descend(d)

	change := t.Payload(1, len(own)) // cᵢ⁺ − cᵢ
	next := fl.Vector(change.Data)
	switch {
	case s.anew:
		t.Worker.Gradient(next, t.Global, &t.Client.Data, nil)
		next.AddScaled(-1, own)
	case d.Rate > 0: // cᵢ⁺ − cᵢ = (x − y)/(τη) − c
		next.Add(t.Global)
		next.AddScaled(-1, t.Params)
		next.Scale(1 / (float64(d.Steps) * d.Rate))
		next.AddScaled(-1, shift) // −c + cᵢ
		next.AddScaled(-1, own)
	}
	own.Add(next)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"control": change}}, nil
}
