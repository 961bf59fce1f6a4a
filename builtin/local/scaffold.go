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
//
// What programs divide by instead can be chosen, to see what it does: the epochs of a round, or the
// batches of one epoch, without the number of epochs. With r = τ over what is divided by, option II
// is cᵢ⁺ = cᵢ − c + r(x − y)/(τη): close to the optimum, where all clients participate, cᵢ − ∇fᵢ is
// multiplied by 1 − r in a round for small τη, so that it grows where r > 2, for any η.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// Scaffold describes the local rule to the registry.
var Scaffold = fl.LocalRuleEntry{
	Name:    "scaffold",
	Summary: "gradient descent whose drift control variates of client and server correct",
	Paper:   "karimireddy2020",
	New:     newScaffold,
	Traits: fl.LocalTraits{Packed: true,
		Method: "SCAFFOLD", Drift: fl.Drift{Handling: fl.DriftCorrected,
			Theory: "proven for K of N clients drawn uniformly in each round",
			Beyond: "availability that depends on the client or on time, and momentum"}},
}

// scaffold keeps cᵢ in the client's state.
type scaffold struct {
	work
	anew  bool // option I
	count string
}

var _ fl.LocalRule = (*scaffold)(nil)

func newScaffold(p *fl.Params) (fl.LocalRule, error) {
	s := &scaffold{
		work: newWork(p),
		anew: p.Choice("option", "II", "how the client's control variate is renewed: I by a "+
			"gradient of all its samples at the received model, II by the steps it made",
			"II", "I") == "I",
		count: p.Choice("divisor", "steps", "option II: what the model's move is divided by, "+
			"beside η: the steps of a round, as published; or, as some programs do, its epochs, "+
			"or the batches of one epoch", "steps", "epochs", "batches"),
	}
	p.Later("divisor")
	if s.anew && s.count != "steps" {
		p.Clash("divisor", "option", "option I divides by nothing")
	}
	return s, nil
}

// divisor returns what the move of a descent is divided by, beside η.
func (s *scaffold) divisor(d *fl.Descent) float64 {
	per := d.Batches.PerEpoch()
	switch s.count {
	case "epochs":
		return float64(d.Steps) / float64(per)
	case "batches":
		return float64(min(per, d.Steps))
	}
	return float64(d.Steps)
}

// Run implements fl.LocalRule.
func (s *scaffold) Run(t *fl.Task) (fl.Update, error) {
	old, next := t.State.Renew("control", len(t.Params)) // cᵢ, cᵢ⁺
	server := fl.Vector(t.Broadcast["control"].Data)     // c
	d := s.descent(t)
	d.Shift, d.Unshift = server, old
	t.Worker.Descend(d)

	sent := t.Payload(1, len(old)) // cᵢ⁺ − cᵢ
	change, divisor := fl.Vector(sent.Data), s.divisor(d)
	if s.anew {
		t.Worker.Gradient(change, t.Global, &t.Client.Data, nil)
	}
	for lo, hi := range stretches(len(change)) {
		part := change[lo:hi]
		switch {
		case s.anew:
			part.Sub(old[lo:hi])
		case d.Rate > 0: // (x − y)/(τη) − c
			part.Add(t.Global[lo:hi])
			part.Sub(t.Params[lo:hi])
			part.Scale(1 / (divisor * d.Rate))
			if server != nil {
				part.Sub(server[lo:hi])
			}
		}
		copy(next[lo:hi], old[lo:hi])
		next[lo:hi].Add(part)
	}
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"control": sent}}, nil
}
