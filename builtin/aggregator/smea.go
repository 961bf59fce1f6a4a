// SMEA — the mean of the n − f models that vary least along the direction in which they vary most.
//
//	Y. Allouah, R. Guerraoui, N. Gupta, R. Pinot, J. Stephan. On the Privacy-Robustness-Utility
//	Trilemma in Distributed Learning. ICML 2023, Section 3 (smallest maximum eigenvalue
//	averaging).
//
// Notation: n updates, f of them faulty, n > 2f; of all sets S of n − f updates one whose
// covariance 1/|S|·Σ (xₖ − μ)(xₖ − μ)ᵀ has the least largest eigenvalue λ is averaged. With f = 0
// it is the plain mean. Of several such sets the first is taken, by the numbers of its clients.
//
// The squared distance from the mean of any n − f updates is at most 4f/(n − 2f) times the largest
// eigenvalue of their covariance: two sets share n − 2f updates at least, of which neither's mean
// is far.
//
// Sets grow by one update at a time. Beside others an update never makes |S|·λ smaller, so that
// sets which begin like one that is too wide already are passed over.
//
// Departures: eigenvalues are exact, where ByzFL (LPD-EPFL/byzfl, aggregators.py) makes one step of
// power iteration from a random vector. More than 50,000 sets are refused. A cohort of at most 2f
// clients leaves the model as it is.

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// SMEA describes the aggregator to the registry.
var SMEA = fl.AggregatorEntry{
	Name:       "smea",
	Summary:    "mean of the n − f models whose largest variance along a direction is least",
	Paper:      "allouah2023smea",
	Deviations: krumDeviations + "; many sets of clients are refused",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &smea{faulty: newFaulty(p, func(f int) int { return 2*f + 1 })}, nil
	},
}

// mostSets is how many sets may be looked through: those of 24 clients with f = 5, for one.
const mostSets = 50_000

// smea keeps nothing in State.
type smea struct {
	faulty
	eigen tensor.Eigen
}

var _ fl.Aggregator = (*smea)(nil)

// Aggregate implements fl.Aggregator.
func (a *smea) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n := len(r.Updates)
	if sets := choices(n, a.f); sets > mostSets {
		return fl.Outcome{}, fmt.Errorf("smea: there are %.3g sets of %d − %d clients, at most %d "+
			"can be looked through", sets, n, a.f, mostSets)
	}
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, r.Models())
	s := tightSet{of: distance, size: n - a.f, eigen: &a.eigen, least: math.Inf(1),
		in: r.Room(n), best: r.Room(n), shares: r.Scratch(n), mean: r.Scratch(n),
		inner: r.Scratch(n * n)}
	if err := s.grow(0); err != nil {
		return fl.Outcome{}, fmt.Errorf("smea: %w", err)
	}
	if math.IsInf(s.least, 1) {
		return fl.Outcome{}, errApart
	}
	w := r.Scratch(n)
	for _, k := range s.best {
		w[k] = 1 / float64(s.size)
	}
	r.Notes.Observe("largest variance along a direction", s.least/float64(s.size))
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// choices is how many sets of k there are of n.
func choices(n, k int) float64 {
	all := 1.0
	for i := range k {
		all = all * float64(n-i) / float64(i+1)
	}
	return math.Round(all)
}

// A tightSet looks for the updates that vary least along the direction in which they vary most.
type tightSet struct {
	of       fl.Matrix // squared distances
	size     int
	in, best []int   // the set at hand, and the best one
	least    float64 // its |S|·λ

	eigen               *tensor.Eigen
	shares, mean, inner fl.Vector // room
}

// grow tries all sets that begin as the set at hand does, with others from an update on.
func (s *tightSet) grow(from int) error {
	missing := s.size - len(s.in)
	if len(s.in) > 1 && (missing == 0 || len(s.in) > s.size/2) {
		width, err := s.width()
		if err != nil || !(width < s.least) {
			return err
		}
		if missing == 0 {
			s.least, s.best = width, append(s.best[:0], s.in...)
			return nil
		}
	} else if missing == 0 { // a set of one
		s.least, s.best = 0, append(s.best[:0], s.in...)
		return nil
	}
	for k := from; k+missing <= s.of.Rows; k++ {
		s.in = append(s.in, k)
		err := s.grow(k + 1)
		s.in = s.in[:len(s.in)-1]
		if err != nil {
			return err
		}
	}
	return nil
}

// width returns |S|·λ of the set at hand; +∞ where a distance is no number.
func (s *tightSet) width() (float64, error) {
	m := len(s.in)
	for _, k := range s.in {
		for _, l := range s.in {
			if !(s.of.Row(k)[l] <= math.MaxFloat64/1e6) { // so that sums are numbers, too
				return math.Inf(1), nil
			}
		}
	}
	s.shares.Fill(1 / float64(m))
	s.mean.Fill(0)
	inner := fl.Matrix{Rows: m, Cols: m, Data: s.inner[:m*m]}
	centered(inner, s.in, s.shares, s.of, s.mean)
	values, _, err := s.eigen.Factor(inner)
	if err != nil {
		return 0, err
	}
	return max(0, values[m-1]), nil
}
