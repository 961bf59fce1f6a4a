// FedAWE, the client's half — descent from the model of the client's last participation.
//
//	M. Xiang, S. Ioannidis, E. Yeh, C. Joe-Wong, L. Su. Efficient Federated Learning against
//	Heterogeneous and Non-stationary Client Unavailability. NeurIPS 2024 (arXiv:2409.17446),
//	Algorithm 1: adaptive innovation echoing and implicit gossiping.
//
// Notation: xᵢ the model that the client has, τᵢ the round of its last participation, −1 before the
// first, xᵢ′ its model after local steps from xᵢ, η_g the global rate. In round t it sends
//
//	xᵢ† = xᵢ + η_g·(t − τᵢ)·(xᵢ′ − xᵢ),
//
// as many times its steps as rounds have passed since τᵢ, and gets the mean of all that are sent in
// that round. xᵢ is that mean, of round τᵢ, and the initial model before the first participation:
// not the model that other clients have made since. So all clients count the same, since the sum of
// all t − τᵢ of a client is the number of rounds, and models mix through the cohorts they meet in.
//
// Departures: the mean of a round waits at the server until its client takes part again, as mail.
// The engine sends θᵗ⁻¹ as well, which this rule does not read: downloads are up to twice those of
// the paper. Agrees with the authors' code, mingxiang12/FedAWE, varying_awe.py, which also scales
// the mean of all η_g·(t − τᵢ)(xᵢ′ − xᵢ) to a norm of at most 0.5; the paper's text does not.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedAWE describes the local rule to the registry.
var FedAWE = fl.LocalRuleEntry{
	Name:    "fedawe",
	Summary: "descent from the model of the last participation, times the rounds since then",
	Paper:   "xiang2024",
	Deviations: "the model of the last participation is sent when the client participates again, " +
		"beside that of the round, which is not read",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &fedAWE{
			global: p.Float("global_rate", 1, fl.Above(0), "η_g, how far to go along what the "+
				"client did, for each round since its last participation"),
			sgd: newSteps(p),
		}, nil
	},
	Traits: fl.LocalTraits{Packed: true,
		Method: "FedAWE", Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// fedAWE keeps in the client's state: next, τᵢ + 1.
type fedAWE struct {
	sgd
	global float64 // η_g
}

var _ fl.LocalRule = (*fedAWE)(nil)

// Run implements fl.LocalRule.
func (s *fedAWE) Run(t *fl.Task) (fl.Update, error) {
	start, next := t.Global, t.State.Vector("next", 1)
	if own := t.Mail["model"].Data; len(own) == len(t.Params) {
		start = own
		copy(t.Params, own)
	}
	d := s.descent(t)
	t.Worker.Descend(d)
	if echo := s.global * (float64(t.T+1) - next[0]); echo != 1 {
		t.Params.Scale(echo)
		t.Params.AddScaled(1-echo, start)
	}
	next[0] = float64(t.T + 1)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
