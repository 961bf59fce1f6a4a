package ot

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Line is a distribution on the line that consists of atoms: a histogram, where they are the
// levels of its bins and some have no mass, or samples in ascending order.
type Line struct {
	At   tensor.Vector // ascending; none is larger than 1e300 in size
	Mass tensor.Vector // as many, ≥ 0, sum to 1
}

// Check reports what is wrong with the distribution.
func (l Line) Check() error {
	if len(l.At) != len(l.Mass) {
		return fmt.Errorf("%d places for %d masses", len(l.At), len(l.Mass))
	}
	last := -largestCost
	for i, x := range l.At {
		if !(x >= last && x <= largestCost) {
			return fmt.Errorf("atom %d is at %v, and what is before it at %v", i, x, last)
		}
		last = x
	}
	return checkSum("mass", l.Mass)
}

// Quantiles transports distributions on the line at squared distances, exactly, by their
// quantile functions Q: the plan takes quantiles to quantiles, and the barycenter has the mean
// quantile function Σ wₛ·Qₛ (F. Santambrogio. Optimal Transport for Applied Mathematicians.
// Birkhäuser, 2015, sections 2.1 and 5.5.5).
//
// The zero value is ready. Memory is kept from one problem to the next, and nothing is
// allocated for a problem that is no larger than one before.
type Quantiles struct {
	all     []Line        // distributions, walked through at once
	weights tensor.Vector // theirs, of sum 1
	atom    []int         // where the walk is in each
	last    []int         // where it ends
	left    tensor.Vector // mass that is left of these atoms
	answer  Line
}

// sliver is mass that ends of atoms may be apart by rounding alone.
const sliver = 1e-12

// Barycenter returns the distribution b that minimises Σ wₛ·W₂²(lₛ, b). Weights are in
// proportion; those of weight 0 are left out. It has an atom for every stretch between ends of
// atoms of the lₛ, fewer than they have in all, and none without mass; ends less than 1e-12 of mass
// apart are one. Of equal distributions it is that distribution, bit for bit. The answer belongs
// to the solver and lasts until it is used again.
//
// It takes time in proportion to the number of the lₛ times that of its atoms.
func (q *Quantiles) Barycenter(w tensor.Vector, ls []Line) (Line, error) {
	if err := q.load(w, ls); err != nil {
		return Line{}, err
	}
	q.answer.At, q.answer.Mass = q.answer.At[:0], q.answer.Mass[:0]
	for q.begin(); ; {
		mass, more := q.stretch()
		// Differences to one of them are 0 where all are equal.
		first := q.all[0].At[q.atom[0]]
		x := first
		for s, l := range q.all {
			x += float64(q.weights[s] * (l.At[q.atom[s]] - first))
		}
		q.answer.At, q.answer.Mass = append(q.answer.At, x), append(q.answer.Mass, mass)
		if !more {
			return q.answer, nil
		}
		q.advance(mass)
	}
}

// load checks a problem and takes what has weight.
func (q *Quantiles) load(w tensor.Vector, ls []Line) error {
	if len(w) != len(ls) {
		return fmt.Errorf("%d weights for %d distributions", len(w), len(ls))
	}
	total := w.Sum()
	if !(total > 0) || math.IsInf(total, 1) {
		return fmt.Errorf("the weights sum to %v", total)
	}
	q.all, q.weights = q.all[:0], q.weights[:0]
	for s, x := range w {
		if !(x >= 0) {
			return fmt.Errorf("weight %d is %v", s, x)
		}
		if err := ls[s].Check(); err != nil {
			return fmt.Errorf("distribution %d: %w", s, err)
		}
		if x > 0 {
			q.all, q.weights = append(q.all, ls[s]), append(q.weights, x/total)
		}
	}
	return nil
}

// Map sets dst, of the length of from, to where the atoms of from go: each to the mean of what its
// mass becomes, which is the barycentric projection of the plan of least cost and never falls.
// Atoms without mass go to the quantile there, between two where it jumps.
func (q *Quantiles) Map(dst tensor.Vector, from, to Line) error {
	if len(dst) != len(from.At) {
		return fmt.Errorf("%d numbers for %d atoms", len(dst), len(from.At))
	}
	for _, l := range []Line{from, to} {
		if err := l.Check(); err != nil {
			return err
		}
	}
	q.all = append(q.all[:0], from, to)
	q.begin()
	next, before := 0, to.At[q.atom[1]]
	var first, sum, moved float64 // of the atom next−1
	for {
		at, y := q.atom[0], to.At[q.atom[1]]
		for ; next < at; next++ {
			dst[next] = before + (y-before)/2
		}
		mass, more := q.stretch()
		if next == at {
			first, sum, moved = y, 0, 0
			next++
		}
		sum += mass
		moved += float64(mass * (y - first))
		dst[at] = min(first+moved/sum, y)
		before = y
		if !more {
			break
		}
		q.advance(mass)
	}
	for ; next < len(dst); next++ {
		dst[next] = before
	}
	return nil
}

// begin puts the walk at the first mass of every distribution.
func (q *Quantiles) begin() {
	q.atom, q.left = resize(q.atom, len(q.all)), resize(q.left, len(q.all))
	q.last = resize(q.last, len(q.all))
	for s, l := range q.all {
		q.atom[s], q.last[s] = l.massive(0, 1), l.massive(len(l.Mass)-1, -1)
		q.left[s] = l.Mass[q.atom[s]]
	}
}

// massive returns the first atom with mass, from one on in steps of 1 or −1.
func (l Line) massive(i, step int) int {
	for l.Mass[i] == 0 {
		i += step
	}
	return i
}

// stretch returns the mass up to the next end of an atom, which is above 0, and whether mass
// follows it. The last atom of a distribution ends where all of them do.
func (q *Quantiles) stretch() (mass float64, more bool) {
	shortest, longest := math.Inf(1), 0.0
	for s, left := range q.left {
		longest = max(longest, left)
		if q.atom[s] < q.last[s] {
			shortest = min(shortest, left)
		}
	}
	if math.IsInf(shortest, 1) {
		return longest, false
	}
	return shortest, true
}

// advance goes so much mass further, and to the next atom where no more than a sliver is left,
// which that one takes over.
func (q *Quantiles) advance(mass float64) {
	for s, l := range q.all {
		q.left[s] -= mass
		if q.left[s] <= sliver && q.atom[s] < q.last[s] {
			q.atom[s] = l.massive(q.atom[s]+1, 1)
			q.left[s] += l.Mass[q.atom[s]]
		}
	}
}
