// FedMD, the server's half — the consensus of clients on public data.
//
//	D. Li, J. Wang. FedMD: Heterogenous Federated Learning via Model Distillation. NeurIPS 2019
//	Workshop on Federated Learning, arXiv:1910.03581, Algorithm 1.
//
// Notation: S the cohort, f_k(x) the scores by which client k classifies the public sample x. The
// server sends the consensus
//
//	f̃(x) = 1/|S|·Σ_S f_k(x)
//
// to all clients that participate later. There is no global model: θ⁰ stays what it is.
//
// Departures: the mean is over the cohort, where in the paper all clients participate.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedMD describes the aggregator to the registry.
var FedMD = fl.AggregatorEntry{
	Name:       "fedmd",
	Summary:    "sends the mean of the scores that clients give public samples; no global model",
	Paper:      "li2019fedmd",
	Deviations: "the mean is over the cohort; in the paper all clients participate",
	OneLabel:   true,
	New: func(*fl.Params) (fl.Aggregator, error) {
		return &fedMD{sent: fl.Tensors{}}, nil
	},
	Fits:   needsNetworkOfClasses,
	Traits: fl.AggregatorTraits{Method: "FedMD"},
}

// fedMD keeps nothing in State.
type fedMD struct{ sent fl.Tensors }

var _ fl.Aggregator = (*fedMD)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedMD) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	first := r.Updates[0].Payload["scores"]
	mean := fl.Matrix{Rows: first.Rows, Cols: first.Cols, Data: r.Scratch(len(first.Data))}
	for k := range r.Updates {
		own := r.Updates[k].Payload["scores"]
		if own.Rows != mean.Rows || own.Cols != mean.Cols {
			return fl.Outcome{}, errors.New("clients scored different public samples")
		}
		fl.Vector(mean.Data).AddScaled(1/float64(len(r.Updates)), own.Data)
	}
	a.sent["scores"] = mean
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	return fl.Outcome{Params: next, Broadcast: a.sent}, nil
}
