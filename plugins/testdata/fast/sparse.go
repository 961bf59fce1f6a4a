package fast

import "github.com/hansa-fl/hansa/framework/fl"

// Sparse describes the aggregator.
var Sparse = fl.AggregatorEntry{
	Name:    "sparse",
	Summary: "the mean of the largest elements of updates, with error feedback",
	Paper:   "S. U. Stich, J.-B. Cordonnier, M. Jaggi, NeurIPS 2018: sparsified SGD with memory",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &sparse{p.Float("share", 0.1, fl.LeftOpen(0, 1), "share of elements that is sent")}, nil
	},
}

// sparse keeps in State: residual, a row for each of N clients, what it has not sent.
type sparse struct{ share float64 }

// Aggregate returns θᵗ⁻¹ + Σ topk(Δₖ + eₖ)/n, and keeps in eₖ what is left.
func (a *sparse) Aggregate(r *fl.Round) (fl.Outcome, error) {
	d := len(r.Global)
	residual, sent := r.State.Matrix("residual", r.Roster.N, d), r.Scratch(d)
	next := received(r)
	for k, u := range r.Updates {
		left := residual.Row(u.Client)
		left.Add(update(r, k, sent))
		copy(sent, left)
		sent.TopK(max(1, int(a.share*float64(d))))
		left.Sub(sent)
		next.AddScaled(1/float64(len(r.Updates)), sent)
	}
	return fl.Outcome{Params: next}, nil
}
