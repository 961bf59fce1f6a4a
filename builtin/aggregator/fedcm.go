// FedCM, the server's half — a mean of models, whose mean step is sent to the next clients.
//
//	J. Xu, S. Wang, L. Wang, A. C.-C. Yao. FedCM: Federated Learning with Client-level Momentum.
//	arXiv:2106.10874, 2021, Algorithm 2.
//
// Notation: S the cohort, xᵢ the models of its clients, x = θᵗ⁻¹, η_l the clients' rate, K their
// steps:
//
//	Δ = −1/|S|·Σ_S (xᵢ − x)/(η_l K),    θᵗ = x + η_g/|S|·Σ_S (xᵢ − x).
//
// Δ is sent to the clients of the next round.
//
// Departures: η_g multiplies the mean move of clients; it is the paper's divided by η_l K. Each
// client's move is divided by its own η_l K, which it sends; in the paper all have the same.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedCM describes the aggregator to the registry.
var FedCM = fl.AggregatorEntry{
	Name:       "fedcm",
	Summary:    "plain mean of models; sends the mean step of clients as their next momentum",
	Paper:      "xu2021",
	Deviations: "η_g is that of the paper divided by η_l K, and K is each client's own",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedCM{rate: newServerRate(p), sent: fl.Tensors{}}, nil
	},
	Traits: fl.AggregatorTraits{Method: "FedCM"},
}

// fedCM keeps nothing in State.
type fedCM struct {
	rate *serverRate // η_g
	sent fl.Tensors  // the broadcast of a round, whose memory is that of the round
}

var _ fl.Aggregator = (*fedCM)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedCM) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, each := r.Scratch(len(r.Updates)), r.Scratch(len(r.Updates))
	w.Fill(a.rate.of(r) / float64(len(w)))
	for k := range r.Updates {
		sent := r.Updates[k].Payload["length"].Data
		if len(sent) == 1 && sent[0] > 0 { // a client with a rate of 0 has not moved
			each[k] = -1 / (float64(len(w)) * sent[0])
		}
	}
	step := r.Combine(each)
	step.AddScaled(-each.Sum(), r.Global)
	a.sent["step"] = fl.Matrix{Rows: 1, Cols: len(step), Data: step}
	return fl.Outcome{Params: r.CombineDeltas(w), Broadcast: a.sent, Weights: w}, nil
}
