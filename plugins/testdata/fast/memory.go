package fast

import "github.com/hansa-fl/hansa/framework/fl"

// MIFA describes the aggregator.
var MIFA = fl.AggregatorEntry{
	Name:    "mifa",
	Summary: "the mean of every client's latest update",
	Paper:   "X. Gu, K. Huang, J. Zhang, L. Huang, NeurIPS 2021: MIFA",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return &memory{}, nil },
}

// FedVARP describes the aggregator.
var FedVARP = fl.AggregatorEntry{
	Name:    "fedvarp",
	Summary: "the mean of what is new, and the latest updates of all for the rest",
	Paper:   "D. Jhunjhunwala, P. Sharma, A. Nagarkatti, G. Joshi, UAI 2022: FedVARP",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return &memory{varies: true}, nil },
}

// memory keeps in State: y, a row for each of N clients, its latest update; zeros before.
type memory struct{ varies bool }

// Aggregate returns θᵗ⁻¹ + Σ yᵢ/N, where y has the new updates; or θᵗ⁻¹ + Σ (Δₖ − yₖ)/n + Σ yᵢ/N,
// where it has not.
func (a *memory) Aggregate(r *fl.Round) (fl.Outcome, error) {
	all, d := r.Roster.N, len(r.Global)
	y, share := r.State.Matrix("y", all, d), r.Scratch(all)
	share.Fill(1 / float64(all))
	next, delta := received(r), r.Scratch(d)
	if a.varies {
		y.AddMulTVec(next, share)
	}
	for k, u := range r.Updates {
		update(r, k, delta)
		if a.varies {
			next.AddScaled(1/float64(len(r.Updates)), delta)
			next.AddScaled(-1/float64(len(r.Updates)), y.Row(u.Client))
		}
		copy(y.Row(u.Client), delta)
	}
	if !a.varies {
		y.AddMulTVec(next, share)
	}
	return fl.Outcome{Params: next}, nil
}
