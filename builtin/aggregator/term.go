// TERM — tilted empirical risk minimisation: clients count exponentially in their losses.
//
//	T. Li, A. Beirami, M. Sanjabi, V. Smith. Tilted Empirical Risk Minimization. ICLR 2021,
//	eq. (2) and Algorithm 2, with clients in place of samples.
//
// Notation: S the cohort, p̂ᵢ weights that sum to 1 over S, Fᵢ the loss of client i at θᵗ⁻¹, Δᵢ its
// delta, t the tilt. The objective is F̃ = 1/t·log Σ p̂ᵢ exp(tFᵢ), whose gradient is the mean of
// ∇Fᵢ with weights p̂ᵢ exp(t(Fᵢ − F̃)). F̃ is estimated by all rounds, the newest of which has the
// share λ:
//
//	exp(tF̃) ← (1 − λ)·exp(tF̃) + λ·Σ_S p̂ᵢ exp(tFᵢ),
//	θᵗ = θᵗ⁻¹ + Σ_S p̂ᵢ exp(t(Fᵢ − F̃)) Δᵢ.
//
// The larger t, the more the largest losses count; where t is negative, the smallest. With t = 0 it
// is FedAvg, to the bit. With λ = 1 weights sum to 1 in every round. Each client sends its loss at
// the model that it received, 8 bytes.
//
// Departures: the estimate begins as that of the first cohort. λ is 0.5 by default, as in the
// authors' code for federated learning. That takes losses less the largest of each round, which
// changes what the estimates of two rounds mean; here they are those of the formula.

package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TERM describes the aggregator to the registry.
var TERM = fl.AggregatorEntry{
	Name:    "term",
	Summary: "weighted mean of deltas, tilted towards clients with large losses",
	Paper:   "li2021term",
	Deviations: "of clients, not of samples; the estimate of the objective begins as that of the " +
		"first cohort",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &term{
			of: newPrior(p),
			tilt: p.Float("tilt", 1, fl.Anything(), "t, how much large losses count; 0: FedAvg; "+
				"the paper tries −2 to 50"),
			share: p.Float("share", 0.5, fl.LeftOpen(0, 1),
				"λ, share of a round in the estimate of the objective"),
		}, nil
	},
	Traits: fl.AggregatorTraits{Repeats: true, Losses: true},
}

// term keeps in State: tilted, tF̃ and whether there is one.
type term struct {
	of    *fedAvg
	tilt  float64 // t
	share float64 // λ
}

var _ fl.Aggregator = (*term)(nil)

// Aggregate implements fl.Aggregator.
func (a *term) Aggregate(r *fl.Round) (fl.Outcome, error) {
	prior, err := a.of.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w, total := prior.By, prior.By.Sum()
	if total == 0 { // clients that count nothing move nothing
		return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
	}
	most := math.Inf(-1)
	for k := range w {
		most = max(most, a.tilt*r.Losses[k])
	}
	sum := 0.0
	for k := range w {
		w[k] *= math.Exp(a.tilt*r.Losses[k] - most)
		sum += w[k]
	}
	now, kept := most+math.Log(sum/total), r.State.Vector("tilted", 2)
	if kept[1] == 0 {
		kept[0], kept[1] = now, 1
	}
	kept[0] = mixLog(kept[0], now, a.share)
	w.Scale(math.Exp(most - kept[0]))
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// mixLog returns log((1 − share)·eˣ + share·eʸ).
func mixLog(x, y, share float64) float64 {
	if most := max(x, y); share < 1 && x != y {
		return most + math.Log((1-share)*math.Exp(x-most)+share*math.Exp(y-most))
	}
	return y
}
