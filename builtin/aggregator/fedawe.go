// FedAWE, the server's half — a mean that only the clients of the round go on from.
//
//	M. Xiang, S. Ioannidis, E. Yeh, C. Joe-Wong, L. Su. Efficient Federated Learning against
//	Heterogeneous and Non-stationary Client Unavailability. NeurIPS 2024 (arXiv:2409.17446),
//	Algorithm 1.
//
// Notation: S the cohort, xᵢ the model that client i has, xᵢ† what it sends:
//
//	θᵗ = 1/|S|·Σ_S xᵢ†,    xᵢ ← θᵗ  for i ∈ S.
//
// Clients that are absent keep their xᵢ. Without innovations, xᵢ† = xᵢ, a round leaves the mean of
// all N models as it is and brings them nearer to each other: gossip, with the server as the
// meeting place. Where all participate in every round it is the plain mean of FedAvg.
//
// A client that was absent for long sends a long step, which may undo what others did. The authors'
// code, mingxiang12/FedAWE, util/util.py, scales 1/|S|·Σ_S (xᵢ† − xᵢ) to a norm of at most
// clip = 0.5, with η_g = 1. clip = 0 is Algorithm 1, which has no such step.
//
// Departures: θᵗ waits for the clients of S as mail until they take part again; clients that were
// never seen have the initial model. The server keeps as many models as there are clients, which in
// the paper are at the clients, and with a clip twice as many.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAWE describes the aggregator to the registry.
var FedAWE = fl.AggregatorEntry{
	Name:       "fedawe",
	Summary:    "plain mean of models, from which only its own clients go on",
	Paper:      "xiang2024",
	Deviations: "what a client goes on from waits at the server until it participates again",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(naive{}, &fedAWE{
			clip: p.Float("clip", 0, fl.AtLeast(0), "largest norm of the mean of what clients "+
				"add to their models, 0.5 in the authors' code; 0: any"),
			own: newLatest(), sent: map[int]fl.Tensors{}, model: fl.Tensors{},
		}), nil
	},
	Traits: fl.AggregatorTraits{Method: "FedAWE", Remembers: true},
}

// fedAWE keeps in State: begun, whether the initial model was sent; with a clip also initial, that
// model, and of each client that was seen its own one.
type fedAWE struct {
	clip  float64
	own   latest             // xᵢ, less the initial model
	sent  map[int]fl.Tensors // the mail of a round
	model fl.Tensors         // θᵗ in it
}

var _ fl.ServerOptimizer = (*fedAWE)(nil)

// Step implements fl.ServerOptimizer: the mean is that of all xᵢ†.
func (a *fedAWE) Step(r *fl.Round, mean fl.Vector) (fl.Outcome, error) {
	clear(a.sent)
	begun := r.State.Vector("begun", 1)
	if begun[0] == 0 {
		first := fl.Tensors{"model": row(r.Global)}
		for i := range r.Roster.N {
			if r.Roster.Reaches(i) {
				a.sent[i] = first
			}
		}
	}
	if a.clip > 0 {
		a.shorten(r, mean, begun[0] == 0)
	}
	begun[0] = 1
	a.model["model"] = row(mean)
	for k := range r.Updates {
		a.sent[r.Updates[k].Client] = a.model
	}
	return fl.Outcome{Params: mean, Mail: a.sent}, nil
}

// shorten makes the mean that of all xᵢ plus a vector that is not longer than the clip, and that
// the model of the cohort's clients.
func (a *fedAWE) shorten(r *fl.Round, mean fl.Vector, first bool) {
	initial, base := r.State.Vector("initial", len(mean)), r.Scratch(len(mean))
	if first {
		copy(initial, r.Global)
	}
	for k := range r.Updates {
		base.AddScaled(1/float64(len(r.Updates)), a.own.of(r, r.Updates[k].Client))
	}
	base.Add(initial)
	mean.Sub(base)
	if norm := mean.Norm(); norm > a.clip {
		mean.Scale(a.clip / norm)
		r.Notes.Observe("mean of what clients add, norm before the clip", norm)
	}
	mean.Add(base)
	for k := range r.Updates {
		own := a.own.of(r, r.Updates[k].Client)
		copy(own, mean)
		own.Sub(initial)
	}
}

// row is a vector as a matrix of one row.
func row(v fl.Vector) fl.Matrix { return fl.Matrix{Rows: 1, Cols: len(v), Data: v} }
