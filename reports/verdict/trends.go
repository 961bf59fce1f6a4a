package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A line is the points of a sweep that differ on one axis only, in the order of the file.
type line struct {
	at     infer.Point // on the other axes
	points []infer.Point
	labels []string // on the axis
}

// lines returns the points with some labels as lines along an axis.
func (j *judge) lines(axis string, at []string) (list []line) {
	for _, p := range j.covered(at) {
		k := slices.IndexFunc(p, func(c infer.Coordinate) bool { return c.Axis == axis })
		if k < 0 {
			continue
		}
		rest := slices.Delete(slices.Clone(p), k, k+1)
		i := slices.IndexFunc(list, func(l line) bool { return slices.Equal(l.at, rest) })
		if i < 0 {
			i = len(list)
			list = append(list, line{at: rest})
		}
		list[i].points = append(list[i].points, p)
		list[i].labels = append(list[i].labels, p[k].Label)
	}
	return list
}

// of says of what and on which line a statement is.
func (l *line) of(t claim.Term) string {
	if len(l.at) == 0 {
		return shown(t)
	}
	return shown(t) + " at " + infer.Label(l.at)
}

// A path is the values of a term along a line, over the seeds that all of its points have.
type path struct {
	*line
	term   claim.Term
	values [][]float64 // by point
	same   float64     // within which values are equal, where their size does not say so
}

func (p *path) String() string { return p.of(p.term) }

// alongLines calls a function for every term and line of a predicate about an axis.
func (j *judge) alongLines(
	p *claim.Predicate, at []string, state func(path *path) *obstacle,
) *obstacle {
	for _, t := range j.terms(p) {
		lines := j.lines(p.Over, at)
		if len(lines) == 0 {
			return &obstacle{CannotRun, p.Over + " is not part of this run"}
		}
		for k := range lines {
			found := path{line: &lines[k], term: t}
			if why := j.oneMetric(&found, p.Metric); why != nil {
				return why
			}
			var samples []*infer.Sample
			for _, point := range lines[k].points {
				if why := j.measured(t, p.Metric, point); why != nil {
					return why
				}
				s, same, why := j.final(t, p.Metric, point)
				if why != nil {
					return why
				}
				samples, found.same = append(samples, s), max(found.same, same)
			}
			if len(samples) < 2 {
				return &obstacle{CannotRun, p.Over + " has one point only"}
			}
			found.values, _ = aligned(samples...)
			if why := state(&found); why != nil {
				return why
			}
		}
	}
	return nil
}

// oneMetric says where points of a line measure another metric under one name. Other data, or
// another loss, are what an axis may be about; another metric is not.
func (j *judge) oneMetric(p *path, metric string) *obstacle {
	first := j.quantity(p.term.Method, metric, p.points[0])
	for k, point := range p.points[1:] {
		q := j.quantity(p.term.Method, metric, point)
		if first == nil || q == nil || !slices.Contains(q.Differing(first), study.OfMetric) {
			continue
		}
		return &obstacle{Incomparable, fmt.Sprintf("%s and %s do not measure the same %s: %s: %s",
			p.labels[0], p.labels[k+1], metric, p.labels[k+1], q.Differences(first)[0])}
	}
	return nil
}

// differing names in what the quantities differ that are measured along the axis of a predicate.
func (j *judge) differing(p *claim.Predicate, at []string) (names []string) {
	if p.Over == "" {
		return nil
	}
	lines := j.lines(p.Over, at)
	for _, t := range j.terms(p) {
		for k := range lines {
			first := j.quantity(t.Method, p.Metric, lines[k].points[0])
			for _, point := range lines[k].points[1:] {
				q := j.quantity(t.Method, p.Metric, point)
				if first == nil || q == nil {
					continue
				}
				for _, name := range q.Differing(first) {
					if !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}

// trends states that a metric grows along an axis, or shrinks where sign is −1.
func (j *judge) trends(p *claim.Predicate, at []string, sign float64) (
	list []statement, why *obstacle,
) {
	why = j.alongLines(p, at, func(found *path) *obstacle {
		values, same := found.values, max(found.same, rounding(found.values...))
		signed := make([][]float64, len(values))
		for k := range values {
			for _, x := range values[k] {
				signed[k] = append(signed[k], sign*x)
			}
		}
		if last := len(values) - 1; last == 1 {
			what := fmt.Sprintf("%s of %s, %s − %s", p.Metric, found, found.labels[last],
				found.labels[0])
			list = append(list, stated(what, "paired t", minus(values[1], values[0]),
				above(minus(signed[1], signed[0]), same, true)))
			return nil
		}
		s := trend(signed, same)
		s.what = fmt.Sprintf("rank correlation of %s with %s, %s", p.Metric,
			study.LastPart(p.Over), found)
		if s.estimate *= sign; s.estimate == 0 {
			s.estimate = 0 // not −0
		}
		list = append(list, s)
		return nil
	})
	return list, why
}

// trend states that values grow along three or more points: values has a list for each point, and
// those within same of one another are equal.
func trend(values [][]float64, same float64) statement {
	varies, grows, n := false, true, len(values[0])
	for k, list := range values {
		varies = varies || slices.Max(list)-slices.Min(list) > same
		grows = grows && (k == 0 || list[0]-values[k-1][0] > same)
	}
	blocks := make([][]float64, n)
	for i := range blocks {
		for _, list := range values {
			blocks[i] = append(blocks[i], list[i])
		}
	}
	l, up, down := infer.PageTrend(blocks, same)
	nan := math.NaN()
	s := statement{estimate: infer.RankCorrelation(l, n, len(values)), low: nan, high: nan, n: n,
		test: "Page's L"}
	switch {
	case !varies && n > 1:
		s.sides = []side{exactly(grows)}
	case n < infer.FewestSeeds:
		s.sides = []side{{holds: 1, opposite: 1, few: true}}
	default:
		s.sides = []side{{holds: up, opposite: down,
			needed: func(opposite bool, alpha, power float64) int {
				return infer.PageSeeds(blocks, same, opposite, alpha, power)
			}}}
	}
	return s
}

// constant states that no two points of an axis differ by more than a margin.
func (j *judge) constant(p *claim.Predicate, at []string) (list []statement, why *obstacle) {
	why = j.alongLines(p, at, func(found *path) *obstacle {
		values := found.values
		for k := range values {
			for i := range k {
				what := fmt.Sprintf("%s of %s, %s − %s", p.Metric, found, found.labels[k],
					found.labels[i])
				list = append(list,
					equivalent(what, values[k], values[i], p.Margin, found.same))
			}
		}
		return nil
	})
	return list, why
}

// exponents states what the slope of the logarithm of a metric is over that of an axis.
func (j *judge) exponents(p *claim.Predicate, at []string) (list []statement, why *obstacle) {
	why = j.alongLines(p, at, func(found *path) *obstacle {
		values := found.values
		x := make([]float64, len(found.labels))
		for k, label := range found.labels {
			x[k], _ = study.LabelNumber(label)
		}
		slopes := make([]float64, len(values[0]))
		for i := range slopes {
			y := make([]float64, len(x))
			for k := range values {
				y[k] = values[k][i]
			}
			if slopes[i] = infer.LogLogSlope(x, y); math.IsNaN(slopes[i]) {
				return &obstacle{Undecided, fmt.Sprintf("%s of %s is not above 0 everywhere, and "+
					"has no logarithm", p.Metric, found)}
			}
		}
		what := fmt.Sprintf("slope of log %s over log %s, %s", p.Metric, study.LastPart(p.Over),
			found)
		list = append(list, bounded(what, slopes, p.Bound, 0))
		return nil
	})
	return list, why
}
