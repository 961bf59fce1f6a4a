package fast

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Bulyan describes the aggregator.
var Bulyan = fl.AggregatorEntry{
	Name:    "bulyan",
	Summary: "models chosen by Krum one after another, then the mean around their median",
	Paper:   "E. M. El Mhamdi, R. Guerraoui, S. Rouault, ICML 2018: Bulyan",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &bulyan{declareFaulty(p)}, nil
	},
	Waives: map[string]string{"numbering": "of the last, two that are near each other score alike"},
}

type bulyan struct{ faulty int }

// Aggregate chooses n − 2f models, and averages the n − 4f numbers nearest to their median. Where
// n < 4f + 3, f is as large as n allows.
func (a *bulyan) Aggregate(r *fl.Round) (fl.Outcome, error) {
	models := r.Models()
	n := len(models)
	f := min(a.faulty, max(0, (n-3)/4))
	distance := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(distance, models)
	var left []int
	for k := range n {
		left = append(left, k)
	}
	var chosen [][]float64
	for len(chosen) < n-2*f {
		at := nearestToOthers(distance, left, f)
		chosen = append(chosen, models[left[at]])
		left = append(left[:at:at], left[at+1:]...)
	}
	next := r.Scratch(len(r.Global))
	tensor.Median(next, chosen)
	tensor.MeanAround(next, chosen, next, n-4*f)
	return fl.Outcome{Params: next}, nil
}

// nearestToOthers returns which of the models that are left has the least score of Krum.
func nearestToOthers(distance fl.Matrix, left []int, f int) int {
	best, least := 0, 0.0
	for at, k := range left {
		var near fl.Vector
		for _, other := range left {
			if other != k {
				near = append(near, distance.Row(k)[other])
			}
		}
		slices.Sort(near)
		score := near[:min(len(near), max(1, len(left)-f-2))].Sum()
		if at == 0 || score < least {
			best, least = at, score
		}
	}
	return best
}
