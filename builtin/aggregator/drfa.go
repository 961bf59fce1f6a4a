// DRFA, the server's half — a mean of models, and of models on the way.
//
//	Y. Deng, M. M. Kamani, M. Mahdavi. Distributionally Robust Federated Averaging. NeurIPS 2020,
//	Algorithm 1.
//
// Notation: S the m clients that the selection drew by the mixture λ, one as often as it was
// drawn, τ their steps, t′ a step that is drawn for all of them, θᵢ the model of a client after τ
// steps and sᵢ after t′:
//
//	θᵗ = 1/m·Σ_S θᵢ,    s = 1/m·Σ_S sᵢ.
//
// λ ascends along the losses at the snapshot s, for which the selection asks: at θᵗ they would be
// those of the end of the round alone, and not of a mean over its steps. The server sends clients
// t′/τ, one number, and clients send sᵢ: twice what FedAvg sends.
//
// Departures: t′/τ is sent from the second round on; in the first one t′ = τ.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DRFA describes the aggregator to the registry.
var DRFA = fl.AggregatorEntry{
	Name:       "drfa",
	Summary:    "plain mean of models, and of snapshots that clients take at a random step",
	Paper:      "deng2020drfa",
	Deviations: "in the first round the snapshot is of the last step",
	New: func(*fl.Params) (fl.Aggregator, error) {
		return &drfa{sent: fl.Tensors{}}, nil
	},
	Traits: fl.AggregatorTraits{Method: "DRFA", Selects: true, Repeats: true},
}

// drfa keeps in State: moment, t′/τ of the next round. In Shared: snapshot, s; taken, how long it
// is and τ, where the selection has not asked for its losses.
type drfa struct {
	sent      fl.Tensors  // the broadcast of a round, whose memory is that of State
	snapshots [][]float64 // sᵢ of a round's clients
}

var _ fl.Aggregator = (*drfa)(nil)

// Aggregate implements fl.Aggregator.
func (a *drfa) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, steps, m := r.Scratch(len(r.Updates)), 0.0, r.Counted()
	a.snapshots = a.snapshots[:0]
	for k := range r.Updates {
		u := &r.Updates[k]
		w[k] = 1 / m * r.Count(k)
		steps += w[k] * float64(u.Steps)
		sent := u.Payload["snapshot"].Data
		if len(sent) != len(r.Global) {
			return fl.Outcome{}, fmt.Errorf("client %d: its snapshot has %d parameters, the model "+
				"has %d", u.Client, len(sent), len(r.Global))
		}
		a.snapshots = append(a.snapshots, sent)
	}
	snapshot := r.Shared.Vector("snapshot", len(r.Global))
	clear(snapshot)
	snapshot.AddWeighted(w, a.snapshots)
	taken := r.Shared.Vector("taken", 2)
	taken[0], taken[1] = float64(len(snapshot)), steps
	moment := r.State.Vector("moment", 1)
	moment[0] = 1 - r.RNG.Float64() // (0, 1]
	a.sent["moment"] = fl.Matrix{Rows: 1, Cols: 1, Data: moment}
	return fl.Outcome{Params: r.CombineDeltas(w), Broadcast: a.sent, Weights: w}, nil
}
