// FedBuff — the mean of a buffer of updates, each the less the older the model is that it changed.
//
//	J. Nguyen, K. Malik, H. Zhan, A. Yousefpour, M. Rabbat, M. Malek, D. Huba. Federated Learning
//	with Buffered Asynchronous Aggregation. AISTATS 2022, Algorithm 1.
//
// Notation: Δₖ = θₖ − θ^(t−1−τₖ) the change that client k made of the model that it was sent, τₖ
// models ago; K = |Sᵗ| the buffer, `take` of the completion model; η_g the server's rate:
//
//	θᵗ = θᵗ⁻¹ + η_g/K·Σ s(τₖ)Δₖ,    s(τ) = 1/√(1 + τ).
//
// Weights s(τₖ)/K do not sum to 1: a buffer of old updates is a short step. (FedScale's FedBuff
// divides by Σ s(τₖ) instead; Plato's has no s.) With concurrency = K of equally fast clients all
// τₖ are 0, and it is FedAvg with equal weights, to the bit.
//
// Clients that are fast are in more buffers: where they differ in their data from slow ones, the
// mean is biased. Weights "importance" count client k by N·pₖ, and "ht" by pₖ/πₖ·K with πₖ its
// probability to be in a buffer, from simulated rounds: that makes up for it.
//
// Departures: a client has at most one update in a buffer; clients for free places are selected
// among those that have none.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedBuff describes the aggregator to the registry.
var FedBuff = fl.AggregatorEntry{
	Name:       "fedbuff",
	Summary:    "mean of a buffer of updates, each the less the older its model is",
	Paper:      "nguyen2022",
	Deviations: "weights by importance and by inverse inclusion probabilities are ours",
	New:        newFedBuff,
}

// fedBuff keeps nothing in State.
type fedBuff struct {
	weights  string
	discount discount
}

var _ fl.Weigher = (*fedBuff)(nil)

func newFedBuff(p *fl.Params) (fl.Aggregator, error) {
	b := &fedBuff{
		weights: p.Choice("weights", "uniform", "what an update counts beside its discount: 1/K | "+
			"(N/K)pᵢ | pᵢ/πᵢ", "uniform", "importance", "ht"),
		discount: newDiscount(p),
	}
	if s := p.Setting(); s.Known() && !s.Law && b.weights == "ht" {
		p.Fail("weights", "ht needs inclusion probabilities; law = \"unknown\" hides them")
	}
	return fl.WeighThen(b, newServerRate(p)), nil
}

// Weights returns what each update counts, of deltas.
func (b *fedBuff) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	if r.Staleness == nil {
		r.Notes.Add(synchronous)
	}
	if r.T == 0 && b.weights == "ht" && r.Law.ThinInclusion(r.Roster) {
		return fl.Weights{}, fmt.Errorf("ht needs inclusion probabilities, but they are estimated "+
			"from %d simulated rounds, too few for %d clients", r.Law.Draws, r.Roster.N)
	}
	w, p, k := r.Scratch(len(r.Updates)), r.Roster.Importance, float64(len(r.Updates))
	for j := range w {
		i := r.Updates[j].Client
		switch b.weights {
		case "uniform":
			w[j] = 1 / k
		case "importance":
			w[j] = float64(r.Roster.N) / k * p[i]
		case "ht":
			w[j] = p[i] / r.Law.Inclusion[i]
		}
		w[j] *= b.discount.of(r, j)
	}
	return fl.Weights{By: w, Deltas: true}, nil
}
