// FedAT — tiers of clients of similar speed, each synchronous, and a mean of their models in which
// slow tiers count as much as fast ones arrive.
//
//	Z. Chai, Y. Chen, A. Anwar, L. Zhao, Y. Cheng, H. Rangwala. FedAT: A High-Performance and
//	Communication-Efficient Federated Learning System with Asynchronous Tiers. SC 2021,
//	Algorithm 1 and eq. (3).
//
// Notation: M tiers, 1 the fastest; m the tier whose round ends, with updates Sᵗ of nₖ samples; T_m
// how many rounds tier m has ended, this one included; T = Σ T_m:
//
//	θ_m = Σ_S nₖ/Σ_S n·θₖ,    θᵗ = Σ_m T_{M+1−m}/T·θ_m.
//
// A tier that has ended no round has θ_m = θ⁰. So the model stays at θ⁰ until tier M + 1 − m has
// ended a round for some m that has: with tiers of very different speeds that is long. With one
// tier it is FedAvg. Weights make up for the number of rounds only where T_m and T_{M+1−m} are
// reciprocal, which nothing ensures: equal weights of tiers are `weights = "equal"`.
//
// Departures: the constraint of its clients is that of local rule fedprox, and its compression that
// of compressors. Tiers are of equal sizes, by the seconds that clients need in a round that is
// drawn for this alone. Equal weights of tiers are ours.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAT describes the aggregator to the registry.
var FedAT = fl.AggregatorEntry{
	Name:    "fedat",
	Summary: "mean of the models of tiers, of which the slow count as the fast arrive",
	Paper:   "chai2021",
	Deviations: "the clients' constraint is that of local rule fedprox, compression is that " +
		"of compressors; tiers are of equal sizes; equal weights are ours",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedAT{equal: p.Choice("weights", "reversed", "how much the model of tier m "+
			"counts: T_{M+1−m}/T | 1/M", "reversed", "equal") == "equal"}, nil
	},
	Traits: fl.AggregatorTraits{Stale: true, Remembers: true},
}

// fedAT keeps in State: models, M×d, θ_m; ended, T_m.
type fedAT struct{ equal bool }

var _ fl.Aggregator = (*fedAT)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedAT) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	if r.Tier == 0 {
		r.Notes.Add("there are no tiers, so that it is FedAvg: completion = { …, tiers = 3 } has " +
			"three")
	}
	m, tiers := max(r.Tier, 1), max(r.Tiers, 1)
	models, ended := r.State.Matrix("models", tiers, len(r.Global)), r.State.Vector("ended", tiers)
	if ended.Sum() == 0 {
		for k := range tiers {
			copy(models.Row(k), r.Global)
		}
	}
	ended[m-1]++
	w := r.Scratch(len(r.Updates))
	for k := range w {
		w[k] = float64(r.Updates[k].Samples)
	}
	toSumOne(w)
	copy(models.Row(m-1), r.Combine(w))
	next, total := r.Scratch(len(r.Global)), ended.Sum()
	for k := range tiers {
		share := ended[tiers-1-k] / total
		if a.equal {
			share = 1 / float64(tiers)
		}
		next.AddScaled(share, models.Row(k))
	}
	return fl.Outcome{Params: next}, nil
}
