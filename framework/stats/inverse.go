package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Propensities are the participation probabilities of the clients k of a cohort, known or
// estimated: client k was enrolled with probability Enrolled[k], and once enrolled participates in
// this round with probability Came[k]. A nil Enrolled stands for 1: every client is enrolled, or
// enrolment is not corrected.
type Propensities struct {
	Enrolled, Came tensor.Vector
	Floor          float64 // products below are raised to it; 0: none is
}

// Inverse says how inverse propensities came out.
type Inverse struct {
	Weighting          // of the weights as inverse propensities make them
	Clipped    float64 // share of clients whose propensity was raised to the floor
	Impossible int     // participants with a propensity of zero: their weight is infinite
}

// HorvitzThompson sets dst[k] = share[k] / πₖ with πₖ = max(Enrolled[k]·Came[k], Floor), for the
// shares that clients have in the target: 1/N in the mean of a population of N. In the mean over
// enrolment and participation, Σₖ dst[k]·xₖ is then Σᵢ shareᵢxᵢ (Horvitz, Thompson, J. Am. Stat.
// Assoc. 47, 1952), but Σₖ dst[k] is 1 in the mean only. It allocates nothing.
func (p *Propensities) HorvitzThompson(dst, share tensor.Vector) Inverse {
	var in Inverse
	for k, chance := range p.Came {
		if p.Enrolled != nil {
			chance *= p.Enrolled[k]
		}
		if chance < p.Floor {
			chance = p.Floor
			in.Clipped += 1 / float64(len(dst))
		}
		if chance == 0 {
			in.Impossible++
		}
		dst[k] = share[k] / chance
	}
	in.Weighting = Weigh(dst)
	return in
}

// Hajek is HorvitzThompson, divided by the sum of weights: dst sums to 1 in every round, for a bias
// of the order of 1/|cohort|. A factor common to all propensities has no effect. The Total that it
// returns is that of HorvitzThompson; where it is zero or infinite, dst is NaN.
func (p *Propensities) Hajek(dst, share tensor.Vector) Inverse {
	in := p.HorvitzThompson(dst, share)
	dst.Scale(1 / dst.Sum())
	return in
}

// A Truncation says what was cut off.
type Truncation struct {
	Cap   float64 // largest weight left
	Share float64 // of weights that were larger
}

// Truncate lowers the weights above a quantile of them to it: the least that a share of level,
// (0, 1], of them does not exceed. room is as long as w. It allocates nothing.
func Truncate(w, room tensor.Vector, level float64) Truncation {
	if len(w) == 0 {
		return Truncation{}
	}
	copy(room, w)
	slices.Sort(room)
	t := Truncation{Cap: stat.Quantile(level, stat.Empirical, room, nil)}
	for k, x := range w {
		if x > t.Cap {
			w[k] = t.Cap
			t.Share += 1 / float64(len(w))
		}
	}
	return t
}
