package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// newPrior declares the weights of clients before their losses or updates change them: over the
// cohort they sum to 1.
func newPrior(p *fl.Params) *fedAvg {
	return &fedAvg{deltas: true, weights: p.Choice("weights", "samples",
		"weights before losses change them: nᵢ/Σₛn | 1/K | pᵢ/Σₛp",
		"samples", "uniform", "self-normalised")}
}
