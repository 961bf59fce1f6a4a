// F3AST, the server's half — clients count by importance over their rate of participation.
//
//	M. Ribero, H. Vikalo, G. de Veciana. Federated Learning Under Intermittent Client Availability
//	and Time-Varying Communication Constraints. IEEE Journal of Selected Topics in Signal
//	Processing, 2022 (arXiv:2205.06730), F3AST.
//
// Notation: S the cohort, p importance, rᵢ the rate of participation of client i, which the
// selection f3ast keeps and has renewed for this round, Δᵢ = θᵢ − θᵗ⁻¹, η_g the server's rate:
//
//	θᵗ = θᵗ⁻¹ + η_g·Σ_S (pᵢ/rᵢ)Δᵢ.
//
// Where rᵢ has come near the share of rounds in which i participates, in the mean over rounds
// clients count by p. With all clients in every round rᵢ stays 1, and this is Σ pᵢΔᵢ, weights =
// "importance" of FedAvg, but for rounding.
//
// Departures: the authors' code, mriberodiaz/f3ast, divides the sum by K, which a server rate takes
// in.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// F3AST describes the aggregator to the registry.
var F3AST = fl.AggregatorEntry{
	Name:       "f3ast",
	Summary:    "deltas times importance over the rate of participation that the selection keeps",
	Paper:      "ribero2022",
	Deviations: "the sum is not divided by K",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(f3ast{}, newServerRate(p)), nil
	},
	Traits: fl.AggregatorTraits{Method: "F3AST", Selects: true},
}

// f3ast reads in Shared: rate, rᵢ by client.
type f3ast struct{}

var _ fl.Weigher = f3ast{}

// Weights returns pᵢ/rᵢ of deltas.
func (f3ast) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	w, rate := r.Scratch(len(r.Updates)), r.Shared.Vector("rate", r.Roster.N)
	for k := range r.Updates {
		i := r.Updates[k].Client
		if w[k] = r.Roster.Importance[i]; rate[i] > 0 { // else no selection keeps one
			w[k] /= rate[i]
		}
	}
	r.Notes.Observe("sum of weights", w.Sum())
	return fl.Weights{By: w, Deltas: true}, nil
}
