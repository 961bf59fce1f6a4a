// Krum — the model that lies closest to its neighbours.
//
//	P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine Learning with Adversaries:
//	Byzantine Tolerant Gradient Descent. NIPS 2017, Section 4: the Krum function.
//
// Notation: n clients in the cohort, f of them faulty, n ≥ 2f + 3; the score s(k) is the sum of the
// squared distances from update k to its n − f − 2 closest ones, itself not among them; the m
// models of least score are averaged, each counting the same, ties by client. Krum has m = 1.
//
// Departures: the paper chooses among gradients, of one step; here they are models. A cohort of
// fewer than 2f + 3 clients leaves the model as it is. Samples that clients report do not count:
// a faulty one may report any. Multi-Krum by samples is what some programs compute.

package aggregator

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Krum describes the aggregator that chooses one model to the registry.
var Krum = fl.AggregatorEntry{
	Name:       "krum",
	Summary:    "the one model that is closest to its neighbours",
	Paper:      "blanchard2017",
	Deviations: krumDeviations,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &krum{faulty: newFaulty(p, krumNeeds), chosen: 1}, nil
	},
}

const krumDeviations = "it is of models after any number of local steps; a cohort that is too " +
	"small leaves the model as it is"

// krumNeeds is the least n of the theory: n > 2f + 2.
func krumNeeds(f int) int { return 2*f + 3 }

// krum keeps nothing in State.
type krum struct {
	faulty
	chosen    int  // m; 0: n − f
	bySamples bool // the chosen models count by the samples that clients report
}

var _ fl.Aggregator = (*krum)(nil)

// Aggregate implements fl.Aggregator.
func (a *krum) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n := len(r.Updates)
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, r.Models())
	score, room, order := r.Scratch(n), r.Scratch(n), byClient(r)
	for k := range score {
		copy(room, distance.Row(k))
		score[k] = krumScore(room, k, n-a.f-2)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score[i], score[j]) })
	m := a.chosen
	if m == 0 {
		m = n - a.f
	}
	m = min(m, n)
	w := r.Scratch(n)
	for _, k := range order[:m] {
		if w[k] = 1 / float64(m); a.bySamples {
			w[k] = float64(r.Updates[k].Samples)
		}
	}
	if a.bySamples {
		toSumOne(w)
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// krumScore returns the sum of the near smallest of squared distances, without the one at own. It
// sorts them.
func krumScore(squares fl.Vector, own, near int) float64 {
	last := len(squares) - 1
	squares[own] = squares[last]
	squares = squares[:last]
	slices.Sort(squares)
	return squares[:near].Sum()
}
