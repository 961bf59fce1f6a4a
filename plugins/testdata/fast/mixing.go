package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// NearestMixing describes the aggregator.
var NearestMixing = fl.AggregatorEntry{
	Name:    "nearest-mixing",
	Summary: "the median of means of neighbors",
	Paper:   "Y. Allouah et al., AISTATS 2023: nearest neighbor mixing",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &nearestMixing{declareFaulty(p)}, nil
	},
}

// Bucketing describes the aggregator.
var Bucketing = fl.AggregatorEntry{
	Name:    "bucketing",
	Summary: "the median of means of buckets that are drawn by lot",
	Paper:   "S. P. Karimireddy, L. He, M. Jaggi, ICLR 2022: bucketing",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &bucketing{p.Int("s", 2, fl.AtLeast(1), "s, models of a bucket")}, nil
	},
	Waives: map[string]string{"numbering": "buckets are drawn by lot"},
}

type nearestMixing struct{ faulty int }

// Aggregate returns the median of the means of every model and its n − f − 1 nearest.
func (a *nearestMixing) Aggregate(r *fl.Round) (fl.Outcome, error) {
	models := r.Models()
	n, d := len(models), len(r.Global)
	near := max(1, n-a.faulty)
	distance := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(distance, models)
	var mixed [][]float64
	var order []int
	for k := range n {
		mean, w := r.Scratch(d), r.Scratch(n)
		order = tensor.ArgSort(order, distance.Row(k))
		for _, other := range order[:near] {
			w[other] = 1 / float64(near)
		}
		mean.AddWeighted(w, models)
		mixed = append(mixed, mean)
	}
	next := r.Scratch(d)
	tensor.Median(next, mixed)
	return fl.Outcome{Params: next}, nil
}

type bucketing struct{ size int }

// Aggregate returns the median of the means of buckets of s models.
func (a *bucketing) Aggregate(r *fl.Round) (fl.Outcome, error) {
	models, d := r.Models(), len(r.Global)
	order := r.RNG.Perm(len(models))
	var means [][]float64
	for from := 0; from < len(order); from += a.size {
		bucket := order[from:min(from+a.size, len(order))]
		mean := r.Scratch(d)
		for _, k := range bucket {
			mean.AddScaled(1/float64(len(bucket)), models[k])
		}
		means = append(means, mean)
	}
	next := r.Scratch(d)
	tensor.Median(next, means)
	return fl.Outcome{Params: next}, nil
}
