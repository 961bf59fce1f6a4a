package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Little describes what faulty clients send that know the cohort.
var Little = fl.AggregatorEntry{
	Name:    "alie",
	Summary: "as far from the mean as z standard deviations, in every coordinate",
	Paper:   "G. Baruch, M. Baruch, Y. Goldberg, NeurIPS 2019: a little is enough",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &attack{z: p.Float("z", 1.5, fl.AtLeast(0), "z, standard deviations")}, nil
	},
}

// MinMax describes what faulty clients send that know the cohort.
var MinMax = fl.AggregatorEntry{
	Name:    "min-max",
	Summary: "as far along the standard deviations as two models of the cohort are apart",
	Paper:   "V. Shejwalkar, A. Houmansadr, NDSS 2021: min-max",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &attack{halvings: p.Int("halvings", 60, fl.AtLeast(1), "steps of the search")}, nil
	},
}

type attack struct {
	z        float64
	halvings int
}

// Aggregate returns μ − zσ; z is given, or the largest with which no model is farther away than
// the two that are farthest apart.
func (a *attack) Aggregate(r *fl.Round) (fl.Outcome, error) {
	models, w, d := r.Models(), equal(r), len(r.Global)
	mean, deviation, sent := r.Combine(w), r.Scratch(d), r.Scratch(d)
	deviation.AddSquares(w, models, mean)
	deviation.Sqrt()
	z := a.z
	if a.halvings > 0 {
		z = a.farthest(mean, deviation, sent, models)
	}
	copy(sent, mean)
	sent.AddScaled(-z, deviation)
	return fl.Outcome{Params: sent}, nil
}

func (a *attack) farthest(mean, deviation, sent fl.Vector, models [][]float64) float64 {
	n := len(models)
	apart := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(apart, models)
	limit := fl.Vector(apart.Data).NormInf()
	near, far := 0.0, 100.0
	for range a.halvings {
		z, largest := (near+far)/2, 0.0
		copy(sent, mean)
		sent.AddScaled(-z, deviation)
		for _, x := range models {
			length := sent.Distance(x)
			largest = max(largest, length*length)
		}
		if largest <= limit {
			near = z
		} else {
			far = z
		}
	}
	return near
}
