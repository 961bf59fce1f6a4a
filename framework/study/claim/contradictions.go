package claim

import (
	"math"
	"slices"
	"strings"
)

// contradictions reports predicates that cannot hold beside those before them, whatever the numbers
// are: A is better than B and B than A, a metric grows and shrinks along one axis, or a number is
// held to bounds that exclude each other. A margin only makes a claim stronger.
func (p *parser) contradictions(e Expr, places []Places) {
	better := map[string][][2]Term{} // by metric
	for k, predicate := range e {
		for _, pair := range predicate.pairs() {
			if leads(better[predicate.Metric], pair[1], pair[0]) {
				p.contradicts(places[k][""], "%s is better than %s in %s by what stands before",
					pair[1].named(), pair[0].named(), predicate.Metric)
				break
			}
			better[predicate.Metric] = append(better[predicate.Metric], pair)
		}
		for _, before := range e[:k] {
			if said := excludes(&before, &predicate); said != "" {
				p.contradicts(places[k][""], "%s", said)
				break
			}
		}
	}
}

// contradicts reports a predicate that cannot hold beside others.
func (p *parser) contradicts(at Range, format string, args ...any) {
	p.fail(at.At, at.Len, "write a [[claim]] for each", "this cannot hold: "+format, args...)
}

// pairs returns of which terms the first is claimed to be better than the second.
func (p *Predicate) pairs() (list [][2]Term) {
	terms := p.Terms()
	switch p.Kind {
	case Worse:
		slices.Reverse(terms)
	case Better, Order:
	default:
		return nil
	}
	for k := range terms[1:] {
		list = append(list, [2]Term{terms[k], terms[k+1]})
	}
	return list
}

// leads reports whether some pairs lead from one term to another.
func leads(pairs [][2]Term, from, to Term) bool {
	known := []Term{from}
	for i := 0; i < len(known); i++ {
		for _, pair := range pairs {
			if pair[0] == known[i] && !slices.Contains(known, pair[1]) {
				known = append(known, pair[1])
			}
		}
	}
	return slices.Contains(known, to)
}

// excludes says why one of two predicates cannot hold where the other does; "" where it can.
func excludes(p, q *Predicate) string {
	same := p.Metric == q.Metric && p.Over == q.Over && slices.Equal(p.Minus, q.Minus) &&
		slices.Equal(p.Methods, q.Methods)
	kinds := []Kind{p.Kind, q.Kind}
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(string(a), string(b)) })
	switch {
	case !same:
	case slices.Equal(kinds, []Kind{Decreases, Increases}):
		return p.Metric + " both increases and decreases over " + p.Over
	case p.Bound != nil && p.Kind == q.Kind && p.Kind != Reaches:
		low, high := p.Bound.Interval()
		from, to := q.Bound.Interval()
		if from > high || to < low {
			return "no number is " + p.Bound.String() + " and " + q.Bound.String()
		}
	}
	return ""
}

// Interval returns the numbers between which a bound holds.
func (b *Bound) Interval() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if b.Relation != AtMost {
		low = b.Value - b.Tolerance
	}
	if b.Relation != AtLeast {
		high = b.Value + b.Tolerance
	}
	return low, high
}
