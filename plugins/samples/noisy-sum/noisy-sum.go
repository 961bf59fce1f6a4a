// Noisy sum — clipped updates are added up with Gaussian noise, and divided by a fixed number.
//
//	H. B. McMahan, D. Ramage, K. Talwar, L. Zhang. Learning Differentially Private Recurrent
//	Language Models. ICLR 2018, Algorithm 1.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹, C the clipping radius, z the noise multiplier, m a fixed number:
//
//	θᵗ = θᵗ⁻¹ + 1/m·(Σ Δₖ·min(1, C/‖Δₖ‖) + N(0, (zC)²I)).
//
// Departures: clients have weight 1.

// Package noisysum is a strategy: an aggregator whose privacy metric epsilon accounts for.
package noisysum

import "github.com/hansa-fl/hansa/framework/fl"

// NoisySum describes the aggregator. Private says what it releases of updates: one sum in a round,
// of vectors no longer than C, with noise of so many C, over a number that does not depend on the
// cohort. It must be all. Rounds without clients are played, then, too.
var NoisySum = fl.AggregatorEntry{
	Name:       "noisy-sum",
	Summary:    "sum of clipped updates with Gaussian noise, over a number that is given",
	Paper:      "H. B. McMahan, D. Ramage, K. Talwar, L. Zhang, ICLR 2018",
	Deviations: "clients have weight 1",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &noisySum{
			clip:  p.Float("clip", 1, fl.Above(0), "C, largest norm of an update"),
			noise: p.Float("noise", 1, fl.AtLeast(0), "z, standard deviation of the noise, in C"),
			size:  p.Float("size", 10, fl.Above(0), "m, what the sum is divided by"),
		}, nil
	},
	Traits: fl.AggregatorTraits{Private: func(params fl.Resolved) fl.Release {
		return fl.Release{Noise: params.Float("noise")}
	}},
	Waives: map[string]string{"consensus": "it adds noise to what clients agree on"},
}

// noisySum keeps nothing in State.
type noisySum struct {
	clip, noise, size float64 // C, z, m
}

// Aggregate returns the model after a round; that of a round without clients has the noise alone.
func (a *noisySum) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = 1 / max(1, u.Params.Distance(r.Global)/a.clip) / a.size
	}
	next := r.CombineDeltas(w)
	next.AddNoise(a.noise*a.clip/a.size, r.RNG)
	return fl.Outcome{Params: next, Weights: w}, nil
}
