package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A Mistake is why a predicate cannot be judged, or is decided before any result.
type Mistake struct {
	Predicate     int    // of the claim
	Argument      string // that is wrong, as claim.Places has it; "": all of the predicate
	Message, Hint string
}

// A Scale is what is known of the values of a metric before any is measured.
type Scale struct {
	Low, High float64 // values lie between them; −Inf and +Inf where nothing is known
	Higher    bool    // the higher the better
	Describes bool    // neither is better
}

// Check finds what is wrong with a claim about cells that need no results: numbers of different
// quantities are compared, a metric without direction is better, or, whatever the results are,
// the claim cannot hold or cannot be refuted. The scale is that of a metric of the i-th cell;
// false where it is not known. Every predicate has at most one mistake.
func Check(
	in *infer.Input, c *study.Claim, scale func(i int, metric string) (Scale, bool),
) (list []Mistake) {
	if len(in.Cells) == 0 {
		return nil
	}
	j := newJudge(in)
	for k := range c.Expr {
		x := checker{judge: j, p: &c.Expr[k], points: j.covered(c.At), scale: scale}
		if m := x.mistake(c.At); m != nil {
			m.Predicate = k
			list = append(list, *m)
		}
	}
	return list
}

// A checker finds mistakes of a predicate.
type checker struct {
	*judge
	p      *claim.Predicate
	points []infer.Point
	scale  func(i int, metric string) (Scale, bool)
}

// mistake returns what is wrong with the predicate; nil for nothing.
func (c *checker) mistake(at []string) *Mistake {
	if why := c.mixed(); why != nil {
		return &Mistake{Message: why.why, Hint: "across = true in [report] compares methods " +
			"whose quantities differ"}
	}
	if why := c.renamed(at); why != nil {
		return &Mistake{Argument: "over", Message: why.why}
	}
	s, known := c.common()
	if !known {
		return c.tooLate()
	}
	for _, check := range []func(*Scale) *Mistake{c.direction, c.bounded, c.margin} {
		if m := check(&s); m != nil {
			return m
		}
	}
	return c.tooLate()
}

// mixed says which methods the predicate compares that measure different quantities; nil for none.
func (c *checker) mixed() *obstacle {
	var pairs [][2]string
	for k, t := range c.p.Terms() {
		if k > 0 {
			pairs = append(pairs, [2]string{c.p.Methods[k-1], t.Method})
		}
		if t.Minus != "" {
			pairs = append(pairs, [2]string{t.Method, t.Minus})
		}
	}
	for _, point := range c.points {
		for _, pair := range pairs {
			if why := c.incomparable(pair[0], pair[1], c.p.Metric, point); why != nil {
				return why
			}
		}
	}
	return nil
}

// renamed says where points of the axis have different metrics under one name; nil for nowhere.
func (c *checker) renamed(at []string) *obstacle {
	if c.p.Over == "" {
		return nil
	}
	lines := c.lines(c.p.Over, at)
	for _, t := range c.terms(c.p) {
		for k := range lines {
			if why := c.oneMetric(&path{line: &lines[k], term: t}, c.p.Metric); why != nil {
				return why
			}
		}
	}
	return nil
}

// cells returns those that the predicate is about.
func (c *checker) cells() (list []int) {
	terms := c.terms(c.p)
	for _, t := range slices.Clone(terms) {
		if t.Minus != "" {
			terms = append(terms, claim.Term{Method: t.Minus})
		}
	}
	for _, point := range c.points {
		for _, t := range terms {
			list = append(list, c.places[infer.PlaceKey(t.Method, point)]...)
		}
	}
	return list
}

// common returns a scale that holds for all cells; false where nothing is known of one of them, or
// their directions differ.
func (c *checker) common() (all Scale, known bool) {
	for k, i := range c.cells() {
		s, ok := c.scale(i, c.p.Metric)
		if k == 0 {
			all = s
		}
		if !ok || s.Higher != all.Higher || s.Describes != all.Describes {
			return Scale{}, false
		}
		all.Low, all.High = min(all.Low, s.Low), max(all.High, s.High)
		known = true
	}
	return all, known
}

// direction finds that a metric without direction is better, and that the best value is looked for
// on the wrong side.
func (c *checker) direction(s *Scale) *Mistake {
	switch c.p.Kind {
	case claim.Better, claim.Worse, claim.Order:
		if s.Describes {
			return &Mistake{Argument: "metric", Message: fmt.Sprintf("%s: %s has no direction: "+
				"nothing is better or worse in it", c.p.Kind, c.p.Metric)}
		}
	case claim.Reaches:
		right, more := claim.AtMost, "less"
		if s.Higher {
			right, more = claim.AtLeast, "more"
		}
		if !s.Describes && c.p.Bound.Relation != right {
			return &Mistake{Argument: "bound", Hint: "write " + right, Message: fmt.Sprintf(
				"reaches: %s is better in %s, and the best value is reached from the other side",
				more, c.p.Metric)}
		}
	}
	return nil
}

// bounded finds bounds that no value exceeds, or that none keeps.
func (c *checker) bounded(s *Scale) *Mistake {
	if c.p.Bound == nil || c.p.Kind == claim.Exponent {
		return nil
	}
	what, low, high := c.p.Metric, s.Low, s.High
	if c.p.Minus != nil {
		what, low, high = "a difference in "+what, s.Low-s.High, s.High-s.Low
	}
	from, to := c.p.Bound.Interval()
	never := ""
	switch {
	case from > high || to < low:
		never = "hold"
	case from <= low && to >= high:
		never = "be refuted"
	default:
		return nil
	}
	return &Mistake{Argument: "bound", Message: fmt.Sprintf("%s: this cannot %s: %s %s", c.p.Kind,
		never, what, between(low, high))}
}

// between says where values lie.
func between(low, high float64) string {
	switch {
	case math.IsInf(high, 1):
		return fmt.Sprintf("is at least %s", Numeral(low))
	case math.IsInf(low, -1):
		return fmt.Sprintf("is at most %s", Numeral(high))
	}
	return fmt.Sprintf("lies between %s and %s", Numeral(low), Numeral(high))
}

// margin finds margins as large as the range of the metric.
func (c *checker) margin(s *Scale) *Mistake {
	m := c.p.Margin
	if m == nil {
		return nil
	}
	key, never, width := "within", "be refuted", s.High-s.Low
	if c.p.Minus != nil {
		width *= 2
	}
	wide := !m.Percent && m.Size >= width
	if c.p.Kind == claim.Better || c.p.Kind == claim.Worse {
		key, never = "by", "hold"
		if m.Percent && m.Size >= 100 && s.Low >= 0 && !s.Higher && c.p.Minus == nil {
			return &Mistake{Argument: key, Message: fmt.Sprintf("%s: this cannot hold: %s %s, and "+
				"less is better: no value is %s less than another", c.p.Kind, c.p.Metric,
				between(s.Low, s.High), m)}
		}
	}
	if !wide {
		return nil
	}
	return &Mistake{Argument: key, Message: fmt.Sprintf("%s: this cannot %s: %s %s", c.p.Kind,
		never, c.p.Metric, between(s.Low, s.High))}
}

// tooLate finds a round after the last.
func (c *checker) tooLate() *Mistake {
	for _, i := range c.cells() {
		cell := &c.in.Cells[i]
		if last := cell.Played(); last < c.p.Round {
			return &Mistake{Argument: "by", Message: fmt.Sprintf("%s: %s is trained for %d rounds",
				c.p.Kind, strings.TrimSpace(cell.Method+c.at(infer.PointOf(cell.Point))), last)}
		}
	}
	return nil
}
