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
// Departures: θᵗ waits for the clients of S as mail until they take part again; clients that were
// never seen have the initial model. The server keeps as many models as there are clients, which
// in the paper are at the clients.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAWE describes the aggregator to the registry.
var FedAWE = fl.AggregatorEntry{
	Name:       "fedawe",
	Summary:    "plain mean of models, from which only its own clients go on",
	Paper:      "xiang2024",
	Deviations: "what a client goes on from waits at the server until it participates again",
	New: func(*fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(naive{}, &fedAWE{map[int]fl.Tensors{}, fl.Tensors{}}), nil
	},
	Traits: fl.AggregatorTraits{Method: "FedAWE", Remembers: true},
}

// fedAWE keeps in State: begun, whether the initial model was sent.
type fedAWE struct {
	sent  map[int]fl.Tensors // the mail of a round
	model fl.Tensors         // θᵗ in it
}

var _ fl.ServerOptimizer = (*fedAWE)(nil)

// Step implements fl.ServerOptimizer: the mean is θᵗ.
func (a *fedAWE) Step(r *fl.Round, mean fl.Vector) (fl.Outcome, error) {
	clear(a.sent)
	if begun := r.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		first := fl.Tensors{"model": row(r.Global)}
		for i := range r.Roster.N {
			if r.Roster.Reaches(i) {
				a.sent[i] = first
			}
		}
	}
	a.model["model"] = row(mean)
	for k := range r.Updates {
		a.sent[r.Updates[k].Client] = a.model
	}
	return fl.Outcome{Params: mean, Mail: a.sent}, nil
}

// row is a vector as a matrix of one row.
func row(v fl.Vector) fl.Matrix { return fl.Matrix{Rows: 1, Cols: len(v), Data: v} }
