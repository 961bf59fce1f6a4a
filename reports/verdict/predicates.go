package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
)

// predicate returns what a predicate states at the points with some labels.
func (j *judge) predicate(p *claim.Predicate, at []string) ([]statement, *obstacle) {
	if j.in == nil {
		return nil, &obstacle{Undecided, "the run has no cells"}
	}
	if why := j.absent(at); why != nil {
		return nil, why
	}
	switch p.Kind {
	case claim.Better, claim.Order:
		return j.chain(p, p.Terms(), at)
	case claim.Worse:
		terms := p.Terms()
		slices.Reverse(terms)
		return j.chain(p, terms, at)
	case claim.Increases:
		return j.trends(p, at, 1)
	case claim.Decreases:
		return j.trends(p, at, -1)
	case claim.Constant:
		return j.constant(p, at)
	case claim.Exponent:
		return j.exponents(p, at)
	}
	var list []statement
	for _, point := range j.covered(at) {
		s, why := j.single(p, point)
		if why != nil {
			return nil, why
		}
		list = append(list, s)
	}
	return list, nil
}

// single returns what a predicate about one point states there.
func (j *judge) single(p *claim.Predicate, at infer.Point) (statement, *obstacle) {
	switch p.Kind {
	case claim.Equivalent:
		a, b := p.Terms()[0], p.Terms()[1]
		both, same, why := j.pair(a, b, p.Metric, at)
		if why != nil {
			return statement{}, why
		}
		what := fmt.Sprintf("%s in %s%s", difference(a, b), p.Metric, j.at(at))
		s := equivalent(what, both[0], both[1], p.Margin, same)
		s.lost = lost([]claim.Term{a, b}, both...)
		return s, nil
	case claim.Reaches:
		return j.reaches(p, at)
	}
	of := p.Terms()[0]
	s, same, why := j.final(of, p.Metric, at)
	if why != nil {
		return statement{}, why
	}
	what := fmt.Sprintf("%s of %s%s", p.Metric, shown(of), j.at(at))
	found := bounded(what, s.Values, p.Bound, same)
	found.lost = lost([]claim.Term{of}, s.Values)
	return found, nil
}

// pair returns the final values of two terms at a point over the seeds that both have, and within
// what they are equal but for rounding, where that is more than their size says. The values are of
// one quantity, unless the report goes across such differences.
func (j *judge) pair(a, b claim.Term, metric string, at infer.Point) (
	both [][]float64, same float64, why *obstacle,
) {
	if why = j.incomparable(a.Method, b.Method, metric, at); why != nil {
		return nil, 0, why
	}
	x, within, why := j.final(a, metric, at)
	if why != nil {
		return nil, 0, why
	}
	y, same, why := j.final(b, metric, at)
	if why != nil {
		return nil, 0, why
	}
	both, _ = aligned(x, y)
	return both, same + within, nil
}

// chain states that each of some terms is better than the next, at every point.
func (j *judge) chain(p *claim.Predicate, terms []claim.Term, at []string) (
	list []statement, _ *obstacle,
) {
	for _, point := range j.covered(at) {
		for k := range terms[1:] {
			a, b := terms[k], terms[k+1]
			both, same, why := j.pair(a, b, p.Metric, point)
			if why != nil {
				return nil, why
			}
			sign, why := j.sign(p.Metric)
			if why != nil {
				return nil, why
			}
			margin := margins(p.Margin, both[1])
			d := combined(both[0], both[1], func(x, y float64) float64 { return sign * (x - y) })
			same = max(same, rounding(both[0], both[1], margin))
			side := above(combined(d, margin, func(x, m float64) float64 {
				return shifted(x, -m)
			}), same, true)
			what := fmt.Sprintf("%s in %s%s", difference(a, b), p.Metric, j.at(point))
			s := stated(what, "paired t", minus(both[0], both[1]), side)
			s.lost = lost([]claim.Term{a, b}, both...)
			list = append(list, s)
		}
	}
	return list, nil
}

// margins returns the size of a margin in every seed: as it is, or a share of the values that are
// compared with, whose mean says which sign they have.
func margins(m *claim.Margin, base []float64) []float64 {
	out := make([]float64, len(base))
	mean, _ := infer.MeanSD(slices.DeleteFunc(slices.Clone(base), func(x float64) bool {
		return !infer.Finite(x)
	}))
	for i := range out {
		switch {
		case m == nil:
		case m.Percent:
			out[i] = m.Size / 100 * math.Copysign(1, mean) * base[i]
		default:
			out[i] = m.Size
		}
	}
	return out
}

// equivalent states that numbers differ from others by no more than a margin. Numbers that lie at
// least within same of one another are equal but for rounding.
func equivalent(what string, a, b []float64, m *claim.Margin, same float64) statement {
	d, margin := minus(a, b), margins(m, b)
	same = max(same, rounding(a, b, margin))
	under := combined(d, margin, func(x, m float64) float64 { return shifted(-x, m) })
	return stated(what, "TOST, paired t", d, above(combined(d, margin, shifted), same, false),
		above(under, same, false))
}

// bounded states that the mean of numbers is held to a bound. Numbers that lie at least within same
// of one another are equal but for rounding.
func bounded(what string, values []float64, b *claim.Bound, same float64) statement {
	to := func(limit, sign float64) side {
		d := make([]float64, len(values))
		for i, x := range values {
			d[i] = sign * (x - limit)
		}
		return above(d, max(same, rounding(values, []float64{limit})), false)
	}
	switch b.Relation {
	case claim.AtMost:
		return stated(what, "t", values, to(b.Value, -1))
	case claim.AtLeast:
		return stated(what, "t", values, to(b.Value, 1))
	}
	return stated(what, "TOST, t", values, to(b.Value-b.Tolerance, 1), to(b.Value+b.Tolerance, -1))
}

// reaches states how good the best value of a method is, up to a round.
func (j *judge) reaches(p *claim.Predicate, at infer.Point) (statement, *obstacle) {
	higher, last := p.Bound.Relation == claim.AtLeast, math.MaxInt
	s, why := j.values(p.Methods[0], at, func(i int) (float64, bool) {
		id := j.in.IDs[i]
		series := j.plan.Series(id, p.Metric)
		if series == nil {
			return 0, false
		}
		var values []float64
		rounds := j.in.Results[id].Rounds
		for k, x := range series.Values {
			if k < len(rounds) && (p.Round == 0 || rounds[k] <= p.Round) {
				values = append(values, x)
			}
		}
		if len(rounds) > 0 {
			last = min(last, rounds[len(rounds)-1])
		}
		return infer.CurveBest(values, higher), true
	})
	if why != nil {
		return statement{}, why
	}
	what := fmt.Sprintf("best %s of %s%s", p.Metric, p.Methods[0], j.at(at))
	if p.Round > 0 {
		what += fmt.Sprintf(" up to round %d", p.Round)
	}
	found := bounded(what, s.Values, p.Bound, 0)
	if last < p.Round && found.sides[0].holds > found.sides[0].opposite {
		return statement{}, &obstacle{CannotRun, fmt.Sprintf(
			"%s is trained for %d rounds, and the claim is of round %d", p.Methods[0], last,
			p.Round)}
	}
	return found, nil
}
