// Nearest half — the mean of those models that are nearest to the median of all.
//
//	C. Xie, O. Koyejo, I. Gupta. Generalized Byzantine-tolerant SGD. arXiv:1802.10116, 2018,
//	Section 4: mean around median.
//
// Departures: models are near the median or not, where the paper has single coordinates; half of
// them are, so that no number of faulty clients need be known.

// Package nearesthalf is a strategy: a mean that fewer than half of the clients cannot move far.
package nearesthalf

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// NearestHalf describes the aggregator.
var NearestHalf = fl.AggregatorEntry{
	Name:    "nearest-half",
	Summary: "mean of the half of the models nearest to their median",
	Paper:   "C. Xie, O. Koyejo, I. Gupta, arXiv:1802.10116, 2018, Section 4",
	New:     func(*fl.Params) (fl.Aggregator, error) { return &nearestHalf{}, nil },
}

type nearestHalf struct{}

// Aggregate averages the half of the models with the least distances to the median.
func (*nearestHalf) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	median, distance, w := r.Scratch(len(r.Global)), r.Scratch(n), r.Scratch(n)
	tensor.Median(median, r.Models())
	for k, u := range r.Updates {
		distance[k] = u.Params.Distance(median)
	}
	for _, k := range tensor.ArgSort(r.Room(n), distance)[:(n+1)/2] {
		w[k] = 1
	}
	w.Scale(1 / w.Sum())
	return fl.Outcome{Params: r.Combine(w)}, nil
}
