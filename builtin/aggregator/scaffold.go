// SCAFFOLD, the server's half — a mean of models, and of control variates.
//
//	S. P. Karimireddy, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. T. Suresh. SCAFFOLD:
//	Stochastic Controlled Averaging for Federated Learning. ICML 2020, Algorithm 1, lines 15–18.
//
// Notation: S the cohort, K = |S|, N clients, yᵢ their models, cᵢ⁺ − cᵢ the changes of their
// control variates, η_g the server's rate:
//
//	x ← x + η_g/K·Σ_S (yᵢ − x),    c ← c + 1/N·Σ_S (cᵢ⁺ − cᵢ).
//
// The second sum is divided by N, not by K: c stays the mean of all cᵢ. With server_schedule =
// "fedexp" η_g is chosen round by round as FedExP does, from the yᵢ − x: SCAFFOLD-ExP
// (Jhunjhunwala, Wang, Joshi, ICLR 2023, §6).
//
// Departures: N is the number of clients that are enrolled, as no others ever have a cᵢ. The mean
// is plain, as published: the objective is the mean of the losses of all enrolled clients.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Scaffold describes the aggregator to the registry.
var Scaffold = fl.AggregatorEntry{
	Name:       "scaffold",
	Summary:    "plain mean of models; keeps the mean of the clients' control variates",
	Paper:      "karimireddy2020",
	Deviations: "N counts enrolled clients",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &scaffold{rate: newMeanRate(p), sent: fl.Tensors{}}, nil
	},
	Traits: fl.AggregatorTraits{Method: "SCAFFOLD"},
}

// scaffold keeps c in State.
type scaffold struct {
	rate    *serverRate // η_g
	changes [][]float64 // cᵢ⁺ − cᵢ of a round's clients
	sent    fl.Tensors  // the broadcast of a round, whose memory is that of State
}

var _ fl.Aggregator = (*scaffold)(nil)

// Aggregate implements fl.Aggregator.
func (a *scaffold) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	var next fl.Vector
	if a.rate.extrapolates() {
		w.Fill(1 / float64(len(w)))
		next = extrapolated(r, w, a.rate.epsilon)
	} else {
		w.Fill(a.rate.of(r) / float64(len(w)))
		next = r.CombineDeltas(w)
	}
	a.changes = a.changes[:0]
	for k := range r.Updates {
		a.changes = append(a.changes, r.Updates[k].Payload["control"].Data)
	}
	share := r.Scratch(len(a.changes))
	share.Fill(1 / float64(r.Roster.Enrolment()))
	control := r.State.Vector("control", len(r.Global))
	control.AddWeighted(share, a.changes)
	a.sent["control"] = fl.Matrix{Rows: 1, Cols: len(control), Data: control}
	return fl.Outcome{Params: next, Broadcast: a.sent, Weights: w}, nil
}
