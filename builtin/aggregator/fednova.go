// FedNova, the server's half — a mean of what clients do in a step, not in a round.
//
//	J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor. Tackling the Objective Inconsistency Problem
//	in Heterogeneous Federated Optimization. NeurIPS 2020, eq. (6) and Section 4.1.
//
// Notation: S the cohort, Δᵢ = θᵢ − θᵗ⁻¹, ‖aᵢ‖₁ the length of a client's steps, which it sends, p̂ᵢ
// weights that sum to 1 over S. With τ_eff = Σ p̂ᵢ‖aᵢ‖₁,
//
//	θᵗ = θᵗ⁻¹ + τ_eff Σ_S p̂ᵢ Δᵢ/‖aᵢ‖₁.
//
// Where all clients have the same ‖aᵢ‖₁ this is FedAvg, bit for bit.
//
// Departures: p̂ᵢ = nᵢ/n is taken over the cohort, which the paper leaves to the sampling scheme;
// other weights can be chosen. The server has no momentum of its own.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedNova describes the aggregator to the registry.
var FedNova = fl.AggregatorEntry{
	Name:       "fednova",
	Summary:    "weighted mean of deltas, each divided by the length of the client's steps",
	Paper:      "wang2020nova",
	Deviations: "p̂ is made to sum to 1 over the cohort; no momentum of the server",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedNova{fedAvg{deltas: true, weights: p.Choice("weights", "samples",
			"p̂ᵢ = nᵢ/Σₛn | 1/K | pᵢ/Σₛp", "samples", "uniform", "self-normalised")}}, nil
	},
	Traits: fl.AggregatorTraits{Method: "FedNova"},
}

// fedNova keeps nothing in State.
type fedNova struct{ of fedAvg }

var _ fl.Aggregator = (*fedNova)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedNova) Aggregate(r *fl.Round) (fl.Outcome, error) {
	weights, err := a.of.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w, length := weights.By, r.Scratch(len(weights.By))
	for k := range r.Updates {
		sent := r.Updates[k].Payload["length"].Data
		if len(sent) != 1 || !(sent[0] > 0) {
			return fl.Outcome{}, fmt.Errorf("client %d: the length of its steps is %v, want a "+
				"number above 0; try a lower lr or mu", r.Updates[k].Client, sent)
		}
		length[k] = sent[0]
	}
	effective := length[0] // τ_eff, exactly that of clients which all have the same
	for k := range w {
		effective += w[k] * (length[k] - length[0])
	}
	for k := range w {
		w[k] *= effective / length[k]
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
