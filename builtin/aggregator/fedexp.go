// FedExP — a server whose step is longer, the more the clients' updates differ in direction.
//
//	D. Jhunjhunwala, S. Wang, G. Joshi. FedExP: Speeding Up Federated Averaging via Extrapolation.
//	ICLR 2023, Algorithm 1 and eq. (6).
//
// Notation: S the cohort, M = |S|, Δᵢ = θᵢ − θᵗ⁻¹ of a client, Δ̄ their mean, ε a small number:
//
//	η_g = max{1, Σ_S ‖Δᵢ‖² / (2M(‖Δ̄‖² + ε))},    θᵗ = θᵗ⁻¹ + η_g Δ̄.
//
// With weights wᵢ that sum to 1, Δ̄ = Σ_S wᵢΔᵢ and Σ_S wᵢ‖Δᵢ‖² takes the place of Σ_S ‖Δᵢ‖²/M: the
// official code has weights by samples. Nothing is sent that FedAvg does not send. Clients that
// agree have η_g = 1; those whose updates are orthogonal, and of the same norm, have η_g = M/2 when
// ε is 0. Where Δ̄ vanishes and the Δᵢ do not, as at a fixed point of FedAvg with heterogeneous
// clients, ε alone bounds η_g.
//
// naive and scaffold have the same rate with server_schedule = "fedexp": the first is this rule,
// the second is SCAFFOLD-ExP. Steps that are no mean of deltas have no such rate.
//
// Departures: the model that is measured is θᵗ; the paper takes the mean of the last two. ε is that
// of eq. (6); the official code, github.com/Divyansh03/FedExP, has M times its ε there, and makes
// it smaller from round to round.

package aggregator

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedExP describes the aggregator to the registry.
var FedExP = fl.AggregatorEntry{
	Name:       "fedexp",
	Summary:    "mean of deltas, times a rate that it chooses by how much they differ",
	Paper:      "jhunjhunwala2023",
	Deviations: "the last model is measured, not the mean of the last two",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &fedExP{epsilon: newFedExPEpsilon(p, "epsilon")}
		a.mean = meanOf(p, p.Choice("weights", "uniform",
			"wᵢ = 1/K | nᵢ/Σₛn | pᵢ/Σₛp | pᵢ/πᵢ over its sum; a cohort whose weights are all 0 "+
				"leaves the model as it is", "uniform", "samples", "self-normalised", "hajek"))
		p.Later("weights")
		return a, nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}

// newFedExPEpsilon declares ε.
func newFedExPEpsilon(p *fl.Params, name string) float64 {
	return p.Float(name, 0.001, fl.AtLeast(0), "ε, added to ‖Δ̄‖²; the paper tries 10^-3 to 10^-1")
}

// fedExP keeps nothing in State.
type fedExP struct {
	epsilon float64    // ε
	mean    fl.Weigher // of weights that sum to 1, or are all 0
}

var _ fl.Aggregator = (*fedExP)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedExP) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := a.mean.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	return fl.Outcome{Params: extrapolated(r, w.By, a.epsilon), Weights: w.By}, nil
}

// extrapolated returns θᵗ⁻¹ + η_g Σ wᵢΔᵢ, and makes the weights, which sum to 1, those that count.
func extrapolated(r *fl.Round, w fl.Vector, epsilon float64) fl.Vector {
	next := r.CombineDeltas(w)
	along, most := next.Distance(r.Global), slices.Max(w)
	squares, sum := 0.0, 0.0 // of weights over the largest: those of a plain mean are exactly 1
	for k := range r.Updates {
		away, share := r.Updates[k].Params.Distance(r.Global), w[k]/most
		squares += share * away * away
		sum += share
	}
	rate := squares / (2 * sum * (along*along + epsilon))
	if !(rate > 1) || along == 0 { // NaN where nothing moved
		rate = 1
	}
	r.Notes.Observe("server rate", rate)
	if rate != 1 {
		w.Scale(rate)
		next = r.CombineDeltas(w)
	}
	return next
}
