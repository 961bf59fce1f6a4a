// FedExP — a server whose step is longer, the more the clients' updates differ in direction.
//
//	D. Jhunjhunwala, S. Wang, G. Joshi. FedExP: Speeding Up Federated Averaging via Extrapolation.
//	ICLR 2023, Algorithm 1 and eq. (6).
//
// Notation: S the cohort, M = |S|, Δᵢ = θᵢ − θᵗ⁻¹ of a client, Δ̄ their mean, ε a small number:
//
//	η_g = max{1, Σ_S ‖Δᵢ‖² / (2M(‖Δ̄‖² + ε))},    θᵗ = θᵗ⁻¹ + η_g Δ̄.
//
// Nothing is sent that FedAvg does not send. Clients that agree have η_g = 1; those whose updates
// are orthogonal, and of the same norm, have η_g = M/2 when ε is 0. Where Δ̄ vanishes and the Δᵢ do
// not, as at a fixed point of FedAvg with heterogeneous clients, ε alone bounds η_g.
//
// Departures: the model that is measured is θᵗ; the paper takes the mean of the last two.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedExP describes the aggregator to the registry.
var FedExP = fl.AggregatorEntry{
	Name:       "fedexp",
	Summary:    "plain mean of deltas, times a rate that it chooses by how much they differ",
	Paper:      "jhunjhunwala2023",
	Deviations: "the last model is measured, not the mean of the last two",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedExP{p.Float("epsilon", 0.001, fl.AtLeast(0), "ε, added to ‖Δ̄‖²; the paper "+
			"tries 10^-3 to 10^-1")}, nil
	},
}

// fedExP keeps nothing in State.
type fedExP struct{ epsilon float64 } // ε

var _ fl.Aggregator = (*fedExP)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedExP) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	next := r.CombineDeltas(w)
	squares, along := 0.0, next.Distance(r.Global)
	for k := range r.Updates {
		away := r.Updates[k].Params.Distance(r.Global)
		squares += away * away
	}
	rate := squares / (2 * float64(len(w)) * (along*along + a.epsilon))
	if !(rate > 1) || along == 0 { // NaN where nothing moved
		rate = 1
	}
	r.Notes.Observe("server rate", rate)
	if rate != 1 {
		w.Scale(rate)
		next = r.CombineDeltas(w)
	}
	return fl.Outcome{Params: next, Weights: w}, nil
}
