// Δ-FL — the superquantile of the clients' losses: the mean of the worst of them.
//
//	K. Pillutla, Y. Laguel, J. Malick, Z. Harchaoui. Federated Learning with Superquantile
//	Aggregation for Heterogeneous Data. Machine Learning 113, 2024, Algorithm 1.
//	R. T. Rockafellar, S. Uryasev. Optimization of Conditional Value-at-Risk. Journal of Risk 2,
//	2000.
//
// Notation: S the cohort, p̂ᵢ weights that sum to 1 over S, Fᵢ the loss of client i at θᵗ⁻¹, Δᵢ its
// delta, c the conformity, a share of the clients. With the weights
//
//	π = argmax {Σ πᵢFᵢ : 0 ≤ πᵢ ≤ p̂ᵢ/c, Σ πᵢ = 1},    θᵗ = θᵗ⁻¹ + Σ_S πᵢΔᵢ,
//
// it descends along the conditional value at risk at level 1 − c: clients above the quantile of
// losses have p̂ᵢ/c, those below 0, and the one at it the rest. With c = 1 it is FedAvg, to the
// bit. Each client sends its loss at the model that it received, 8 bytes.
//
// Departures: clients below the quantile train and upload, too, as one exchange is a round here. In
// the authors' code the client at the quantile counts like those above, and weights are divided by
// their sum: boundary = "whole".

package aggregator

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// DeltaFL describes the aggregator to the registry.
var DeltaFL = fl.AggregatorEntry{
	Name:       "delta-fl",
	Summary:    "weighted mean of the deltas of a share of the clients, with the largest losses",
	Paper:      "pillutla2024",
	Deviations: "clients whose updates count nothing upload them, too",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &deltaFL{
			of: newPrior(p),
			conformity: p.Float("conformity", 0.5, fl.LeftOpen(0, 1), "c, share of the clients "+
				"that count, by weight; 1: FedAvg; the paper tries 0.1, 0.5 and 0.8"),
			whole: p.Choice("boundary", "share", "the client at the quantile counts by the share "+
				"that is left, or whole as in the authors' code", "share", "whole") == "whole",
		}, nil
	},
	Traits: fl.AggregatorTraits{Repeats: true, Losses: true},
}

// deltaFL keeps nothing in State.
type deltaFL struct {
	of         *fedAvg
	conformity float64 // c
	whole      bool
}

var _ fl.Aggregator = (*deltaFL)(nil)

// Aggregate implements fl.Aggregator.
func (a *deltaFL) Aggregate(r *fl.Round) (fl.Outcome, error) {
	prior, err := a.of.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w := prior.By
	if a.conformity < 1 {
		a.cut(r, w)
		toSumOne(w)
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// cut takes from weights what is below the quantile. Clients with equal losses keep equal shares.
func (a *deltaFL) cut(r *fl.Round, w fl.Vector) {
	order := tensor.ArgSortDescending(r.Room(len(w)), r.Losses)
	left := a.conformity * w.Sum()
	for len(order) > 0 {
		tied, sum := 0, 0.0
		for tied < len(order) && r.Losses[order[tied]] == r.Losses[order[0]] {
			sum += w[order[tied]]
			tied++
		}
		at := order[:tied]
		slices.Sort(at)
		switch {
		case a.whole && left < 0, !a.whole && left <= 0:
			a.keep(w, at, 0)
		case sum > left && !a.whole:
			a.keep(w, at, left/sum)
		}
		left, order = left-sum, order[tied:]
	}
}

// keep leaves a share of the weights of some clients.
func (a *deltaFL) keep(w fl.Vector, clients []int, share float64) {
	for _, k := range clients {
		w[k] *= share
	}
}
