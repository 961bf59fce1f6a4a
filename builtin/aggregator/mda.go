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
// asks whether n − f updates are all as close. Updates that are not must be told apart by leaving
// out one of each pair, which is a vertex cover of at most f: 2^f steps at most, not C(n, f).
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
		a := &mda{newFaulty(p, func(f int) int { return 2*f + 1 })}
		if a.f > mostLeftOut {
			p.Fail("f", "f = %d takes 2^f steps, at most %d can be found", a.f, mostLeftOut)
		}
		return a, nil
	},
}

// mostLeftOut is the largest f: a million steps of a bisection take about a second.
const mostLeftOut = 20

// mda keeps nothing in State.
type mda struct{ faulty }

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
	s := compactSet{distance: distance, order: byClient(r), out: make([]bool, n)}
	least, _ := slices.BinarySearchFunc(all, true, func(within float64, _ bool) int {
		if s.found(within, a.f) {
			return 0
		}
		return -1
	})
	if least == len(all) || !s.found(all[least], a.f) {
		return fl.Outcome{}, errApart // only NaN compares with nothing
	}
	w := r.Scratch(n)
	for k := range w {
		if !s.out[k] {
			w[k] = 1 / float64(n-a.f)
		}
	}
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// A compactSet looks for updates that are all close to each other.
type compactSet struct {
	distance fl.Matrix
	order    []int  // of updates, by client
	out      []bool // which are left out
}

// found reports whether all but f updates are within a squared distance of each other, and leaves
// out exactly f: the last ones that it may, by client.
func (s *compactSet) found(within float64, f int) bool {
	clear(s.out)
	return s.from(0, within, f)
}

// from decides on the updates from the given place on, of which f are yet to be left out.
func (s *compactSet) from(at int, within float64, f int) bool {
	left := 0
	for _, k := range s.order[at:] {
		if !s.out[k] {
			left++
		}
	}
	if left == f {
		for _, k := range s.order[at:] {
			s.out[k] = true
		}
		return true
	}
	k := s.order[at]
	if s.out[k] {
		return s.from(at+1, within, f)
	}
	var far []int // later ones that cannot be with this one
	for _, l := range s.order[at+1:] {
		if !s.out[l] && !(s.distance.Row(k)[l] <= within) {
			far = append(far, l)
		}
	}
	if len(far) <= f {
		for _, l := range far {
			s.out[l] = true
		}
		if s.from(at+1, within, f-len(far)) {
			return true
		}
		for _, l := range far {
			s.out[l] = false
		}
	}
	if len(far) == 0 || f == 0 {
		return false // to leave this one out as well helps nothing
	}
	s.out[k] = true
	if s.from(at+1, within, f-1) {
		return true
	}
	s.out[k] = false
	return false
}
