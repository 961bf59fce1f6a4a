package fast

import "github.com/hansa-fl/hansa/framework/fl"

// FedExP describes the aggregator.
var FedExP = fl.AggregatorEntry{
	Name:    "fedexp",
	Summary: "a server rate that grows where updates differ",
	Paper:   "D. Jhunjhunwala, S. Wang, G. Joshi, ICLR 2023: FedExP",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedExP{p.Float("epsilon", 1e-3, fl.Above(0), "ε, added to the square of the step")}, nil
	},
}

type fedExP struct{ epsilon float64 }

// Aggregate returns θᵗ⁻¹ + ηΔ with η = max(1, Σ‖Δₖ‖²/(2n(‖Δ‖² + ε))), all clients equal.
func (a *fedExP) Aggregate(r *fl.Round) (fl.Outcome, error) {
	mean, squares := r.CombineDeltas(equal(r)), 0.0
	mean.Sub(r.Global)
	for _, u := range r.Updates {
		length := u.Params.Distance(r.Global)
		squares += length * length
	}
	rate := squares / (2 * float64(len(r.Updates)) * (mean.Dot(mean) + a.epsilon))
	return fl.Outcome{Params: moved(r, max(1, rate), mean)}, nil
}
