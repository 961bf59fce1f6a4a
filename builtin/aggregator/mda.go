// MDA — the mean of the n − f models whose largest distance is least (minimum diameter averaging).
//
//	E. M. El Mhamdi, R. Guerraoui, A. Guirguis, L. N. Hoang, S. Rouault. Genuinely
//	Distributed Byzantine Machine Learning. PODC 2020, Section 4.1.
//
// Notation: n clients in the cohort, f of them faulty, n > 2f; of all sets of n − f updates one
// with the least diameter, its largest distance, is averaged. With f = 0 it is the
// plain mean. Of several such sets the first is taken, by the numbers of its clients.
//
// The set is found exactly: the least diameter is one of the distances, and a bisection over these
// asks whether n − f updates are all as close. Of every two that are not one must be left out: that
// is a vertex cover of at most f, which is found in 1.47^f steps at most, not C(n, f).
//
// Departures: the paper averages gradients, of one step; here they are models. A cohort of at most
// 2f clients leaves the model as it is.

package aggregator

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// MDA describes the aggregator to the registry.
var MDA = fl.AggregatorEntry{
	Name:       "mda",
	Summary:    "mean of the n − f models whose largest distance is least",
	Paper:      "elmhamdi2020",
	Deviations: krumDeviations,
	Waives:     map[string]string{"numbering": "of sets as compact the first by client is taken"},
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &mda{faulty: newFaulty(p, func(f int) int { return 2*f + 1 })}
		if a.f > mostLeftOut {
			p.Fail("f", "f = %d may take 1.47^f steps, at most f = %d is found", a.f, mostLeftOut)
		}
		return a, nil
	},
}

// mostLeftOut is the largest f. Of the graphs that were tried, disjoint Petersen graphs were the
// hardest: a question took a tenth of a second at this f, and two seconds at 64.
const mostLeftOut = 50

// mda keeps nothing in State.
type mda struct {
	faulty
	apart apart // room
}

var _ fl.Aggregator = (*mda)(nil)

// Aggregate implements fl.Aggregator.
func (a *mda) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n := len(r.Updates)
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, r.Models())
	all := slices.Clone(distance.Data)
	slices.Sort(all)
	all = slices.Compact(all)
	least, _ := slices.BinarySearchFunc(all, true, func(within float64, _ bool) int {
		a.apart.link(distance, within)
		if a.apart.coveredBy(a.f) {
			return 0
		}
		return -1
	})
	if least == len(all) {
		return fl.Outcome{}, errApart // only NaN compares with nothing
	}
	a.apart.link(distance, all[least])
	w := r.Scratch(n)
	for _, k := range a.apart.first(byClient(r), a.f) {
		w[k] = 1 / float64(n-a.f)
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}
