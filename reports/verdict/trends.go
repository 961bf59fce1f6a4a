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

// of says of which method and line a statement is.
func (l *line) of(method string) string {
	if len(l.at) == 0 {
		return method
	}
	return method + " at " + infer.Label(l.at)
}

// alongLines calls a function for every method and line of a predicate about an axis, with the
// values at its points, over the seeds that all of them have.
func (j *judge) alongLines(
	p *claim.Predicate, at []string,
	state func(l *line, method string, values [][]float64) *obstacle,
) *obstacle {
	for _, method := range j.methods(p.Methods) {
		lines := j.lines(p.Over, at)
		if len(lines) == 0 {
			return &obstacle{CannotRun, p.Over + " is not part of this run"}
		}
		for k := range lines {
			var samples []*infer.Sample
			for _, point := range lines[k].points {
				s, why := j.values(method, point, j.final(p.Metric))
				if why != nil {
					return why
				}
				samples = append(samples, s)
			}
			if len(samples) < 2 {
				return &obstacle{CannotRun, p.Over + " has one point only"}
			}
			if why := state(&lines[k], method, aligned(samples...)); why != nil {
				return why
			}
		}
	}
	return nil
}

// trends states that a metric grows along an axis, or shrinks where sign is −1.
func (j *judge) trends(p *claim.Predicate, at []string, sign float64) (
	list []statement, why *obstacle,
) {
	why = j.alongLines(p, at, func(l *line, method string, values [][]float64) *obstacle {
		signed := make([][]float64, len(values))
		for k := range values {
			for _, x := range values[k] {
				signed[k] = append(signed[k], sign*x)
			}
		}
		if last := len(values) - 1; last == 1 {
			what := fmt.Sprintf("%s of %s, %s − %s", p.Metric, l.of(method), l.labels[last],
				l.labels[0])
			list = append(list, stated(what, "paired t", minus(values[1], values[0]),
				above(minus(signed[1], signed[0]), rounding(values...), true)))
			return nil
		}
		s := trend(signed)
		s.what = fmt.Sprintf("rank correlation of %s with %s, %s", p.Metric,
			study.LastPart(p.Over), l.of(method))
		if s.estimate *= sign; s.estimate == 0 {
			s.estimate = 0 // not −0
		}
		list = append(list, s)
		return nil
	})
	return list, why
}

// trend states that values grow along three or more points: values has a list for each point.
func trend(values [][]float64) statement {
	same := rounding(values...)
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
	why = j.alongLines(p, at, func(l *line, method string, values [][]float64) *obstacle {
		for k := range values {
			for i := range k {
				what := fmt.Sprintf("%s of %s, %s − %s", p.Metric, l.of(method), l.labels[k],
					l.labels[i])
				list = append(list, equivalent(what, values[k], values[i], p.Margin))
			}
		}
		return nil
	})
	return list, why
}

// exponents states what the slope of the logarithm of a metric is over that of an axis.
func (j *judge) exponents(p *claim.Predicate, at []string) (list []statement, why *obstacle) {
	why = j.alongLines(p, at, func(l *line, method string, values [][]float64) *obstacle {
		x := make([]float64, len(l.labels))
		for k, label := range l.labels {
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
					"has no logarithm", p.Metric, l.of(method))}
			}
		}
		what := fmt.Sprintf("slope of log %s over log %s, %s", p.Metric, study.LastPart(p.Over),
			l.of(method))
		list = append(list, bounded(what, slopes, p.Bound))
		return nil
	})
	return list, why
}
