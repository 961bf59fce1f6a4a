// FedAsync — a server that mixes each model with its own as it arrives, the less the older it is.
//
//	C. Xie, S. Koyejo, I. Gupta. Asynchronous Federated Optimization. OPT 2020 (arXiv:1903.03934),
//	Algorithm 1 and §5.2.
//
// Notation: θₖ the model that client k trained, τₖ how many models were made since it was sent one:
//
//	αₖ = α·s(τₖ),    θᵗ = (1 − αₖ)θᵗ⁻¹ + αₖθₖ
//
// with s constant, polynomial or a hinge. The paper has take = 1: each update makes a model. Of a
// buffer of K, θᵗ = θᵗ⁻¹ + 1/K·Σ αₖ(θₖ − θᵗ⁻¹). Clients that arrive more often count more often:
// the weights of the paper's objective are those of arrival, whatever p is.
//
// Departures: a client that was sent θᵗ⁻¹ has τ = 0 and s = 1; by the indices of Algorithm 1 it is
// one step late. The regulariser of its clients is that of local rule fedprox, with μ for its ρ.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAsync describes the aggregator to the registry.
var FedAsync = fl.AggregatorEntry{
	Name:    "fedasync",
	Summary: "mixes models as they arrive, the less the older they are",
	Paper:   "xie2020",
	Deviations: "an update of the present model has staleness 0; take > 1 mixes the mean; the " +
		"clients' regulariser is that of local rule fedprox",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.Weigh(&fedAsync{
			alpha:    p.Float("mixing", 0.6, fl.LeftOpen(0, 1), "α"),
			discount: newDiscount(p),
		}), nil
	},
	Traits: fl.AggregatorTraits{Stale: true},
}

// fedAsync keeps nothing in State.
type fedAsync struct {
	alpha    float64
	discount discount
}

var _ fl.Weigher = (*fedAsync)(nil)

// Weights returns αₖ/K, of deltas.
func (a *fedAsync) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	if r.Staleness == nil {
		r.Notes.Add(synchronous)
	}
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = a.alpha * a.discount.of(r, k) / float64(len(w))
	}
	return fl.Weights{By: w, Deltas: true}, nil
}
