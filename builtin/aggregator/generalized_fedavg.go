// Generalized FedAvg — FedAvg that goes further, every P rounds, along what they have changed.
//
//	S. Wang, M. Ji. A Unified Analysis of Federated Learning with Arbitrary Client Participation.
//	NeurIPS 2022, Algorithm 1.
//
// Notation: P the period, η the amplification, t₀ the round before a period. After its last round,
//
//	θᵗ ← θᵗ⁰ + η(θᵗ − θᵗ⁰).
//
// With η = 1 or without a full period it is FedAvg, or its inner aggregator, to the bit. P is best
// a cycle of availability: then a period has heard all clients.
//
// Departures: a period whose last rounds have no participants is amplified in the next round that
// has one.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// GeneralizedFedAvg describes the aggregator to the registry.
var GeneralizedFedAvg = fl.AggregatorEntry{
	Name:       "generalized-fedavg",
	Summary:    "weighted mean of deltas, amplified every P rounds",
	Paper:      "wang2022",
	Deviations: "a period that ends with empty rounds is amplified in the next one that is not",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return stepAlong(p, newMean(p), &generalizedFedAvg{
			period: p.Int("period", 10, fl.AtLeast(1), "P, in rounds"),
			amplify: p.Float("amplification", 10, fl.AtLeast(1),
				"η, by how much a period's change is multiplied"),
		}), nil
	},
	Traits: fl.AggregatorTraits{Repeats: true},
}

// generalizedFedAvg keeps in State: start, θᵗ⁰; period, one more than the number of the period that
// began there, or 0 where none has begun.
type generalizedFedAvg struct {
	period  int     // P
	amplify float64 // η
}

var _ fl.ServerOptimizer = (*generalizedFedAvg)(nil)

// Step implements fl.ServerOptimizer. Of the amplified change it adds what FedAvg has not: η − 1
// times the change.
func (a *generalizedFedAvg) Step(r *fl.Round, next fl.Vector) (fl.Outcome, error) {
	start, begun := r.State.Vector("start", len(next)), r.State.Vector("period", 1)
	now := float64(1 + r.T/a.period)
	more := a.amplify - 1
	if begun[0] > 0 && begun[0] < now { // it ended with empty rounds
		for i, x := range r.Global {
			late := more * (x - start[i])
			next[i] += late
			start[i] = x + late
		}
	} else if begun[0] == 0 {
		copy(start, r.Global)
	}
	begun[0] = now
	if (r.T+1)%a.period == 0 {
		for i, x := range start {
			next[i] += more * (next[i] - x)
		}
		begun[0] = 0
	}
	return fl.Outcome{Params: next}, nil
}
