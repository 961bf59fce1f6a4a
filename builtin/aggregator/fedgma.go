// FedGMA — a mean of deltas, smaller where their signs disagree.
//
//	I. Tenison, S. A. Sreeramadas, V. Mugunthan, E. Oyallon, I. Rish, E. Belilovsky. Gradient
//	Masked Averaging for Federated Learning. TMLR 2023, Algorithm 1.
//
// Notation: S the cohort, wᵢ weights, Δᵢ deltas, A the agreement of a coordinate, τ a threshold:
//
//	A = |Σ_S sign(Δᵢ)|/|S|,    θᵗ = θᵗ⁻¹ + η_g·(A if A < τ, else 1)·Σ_S wᵢΔᵢ.
//
// With τ = 0 and η_g = 1 it is FedAvg, to the bit. Departures: none.

package aggregator

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedGMA describes the aggregator to the registry.
var FedGMA = fl.AggregatorEntry{
	Name:    "fedgma",
	Summary: "weighted mean of deltas, each coordinate times how far their signs agree",
	Paper:   "tenison2023",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedGMA{
			of: newMean(p),
			tau: p.Float("tau", 0.4, fl.Closed(0, 1), "τ, the agreement from which on a "+
				"coordinate is not made smaller; the paper tries 0.1 to 1"),
			rate: newServerRate(p),
		}, nil
	},
}

// fedGMA keeps nothing in State.
type fedGMA struct {
	of   *fedAvg
	tau  float64     // τ, [0, 1]
	rate *serverRate // η_g
}

var _ fl.Aggregator = (*fedGMA)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedGMA) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := a.of.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	next, signs := r.CombineDeltas(w.By), r.Scratch(len(r.Global))
	for k := range r.Updates {
		for i, x := range r.Updates[k].Params {
			switch before := r.Global[i]; {
			case x > before:
				signs[i]++
			case x < before:
				signs[i]--
			}
		}
	}
	kept, n, rate := 0.0, float64(len(r.Updates)), a.rate.of(r)
	signs = signs[:r.Layout.Trained(len(signs))] // statistics are the weighted mean
	for i, s := range signs {
		mask := 1.0
		if agree := math.Abs(s) / n; agree < a.tau {
			mask = agree
		}
		kept += mask
		next[i] += (rate*mask - 1) * (next[i] - r.Global[i])
	}
	r.Notes.Observe("mean mask", kept/float64(len(signs)))
	return fl.Outcome{Params: next}, nil
}
