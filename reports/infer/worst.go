package infer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// IsWorst reports whether a point is the one that WithWorst adds on an axis, which may be none.
func (p Point) IsWorst(axis string) bool {
	return axis != "" && slices.Contains(p, Coordinate{axis, study.WorstLabel})
}

// WithWorst returns an input with one more point on the axis Report.Worst, behind the others. With
// each seed a method has at it the run at the point of the axis where the final value of the first
// metric is worst, the first of equal ones: a run that diverged, where there is one. So all that is
// measured there is of one run. It has no result before all points have one.
//
// The input itself is returned where no axis is named, where it has only some of the points of the
// axis, where no value of the first metric is better than another, and where the point is there.
func (in *Input) WithWorst() *Input {
	axis := in.Report.Worst
	if axis == "" || in.derived != nil || len(in.Cells) == 0 {
		return in
	}
	whole := in.Whole
	if whole == nil {
		whole = in.Cells
	}
	labels := labelsOn(axis, whole)
	p := NewPlan(in)
	s := p.AnySeries(p.Metrics[0])
	if len(labels) == 0 || len(labelsOn(axis, in.Cells)) < len(labels) ||
		s != nil && DirectionOf(s) == None {
		return in
	}
	out := *in
	out.Cells, out.IDs = slices.Clip(in.Cells), slices.Clip(in.IDs)
	out.Results, out.Failures = clone(in.Results), clone(in.Failures)
	out.Volatile, out.derived = clone(in.Volatile), map[string]string{}
	for _, group := range alongAxis(axis, in.Cells) {
		if len(group) == len(labels) {
			out.addWorst(axis, group, p, s)
		}
	}
	if in.Whole != nil {
		out.Whole = slices.Clip(in.Whole)
		for _, group := range alongAxis(axis, in.Whole) {
			out.Whole = append(out.Whole, atWorst(axis, in.Whole[group[0]]))
		}
	}
	return &out
}

// Derives reports whether WithWorst added a point.
func (in *Input) Derives() bool { return in.derived != nil }

// addWorst adds the worst of some cells, which differ in their points on the axis.
func (in *Input) addWorst(axis string, group []int, p *Plan, s *engine.Series) {
	at := group[0]
	if s != nil {
		at = p.worstOf(group, p.Metrics[0], s.Higher)
	}
	own := in.IDs[at]
	c := atWorst(axis, in.Cells[at])
	id := fmt.Sprintf("worst %s %d", PlaceKey(c.Method, PointOf(c.Point)), c.Seed)
	missing := slices.ContainsFunc(group, func(i int) bool {
		_, failed := in.Failures[in.IDs[i]]
		return in.Results[in.IDs[i]] == nil && !failed
	})
	if why, failed := in.Failures[own]; failed && in.Results[own] == nil {
		in.Failures[id] = why
	} else if !missing {
		in.Results[id], in.Volatile[id] = in.Results[own], in.Volatile[own]
		in.derived[id] = labelOf(axis, &in.Cells[at])
	}
	in.Cells, in.IDs, in.origins = append(in.Cells, c), append(in.IDs, id), append(in.origins, at)
}

// worstOf returns that one of some cells with the worst final value of a metric. Worse than every
// number are no number and a run that failed.
func (p *Plan) worstOf(cells []int, metric string, higher bool) int {
	badness := func(i int) float64 {
		x, ok := p.Final(i, metric)
		switch _, failed := p.In.Failures[p.In.IDs[i]]; {
		case failed, ok && math.IsNaN(x):
			return math.Inf(1)
		case !ok:
			return math.Inf(-1)
		case higher:
			return -x
		}
		return x
	}
	worst := cells[0]
	for _, i := range cells[1:] {
		if badness(i) > badness(worst) {
			worst = i
		}
	}
	return worst
}

// WorstAt returns at which point of the axis Report.Worst the run of a cell was worst; "" of cells
// that WithWorst did not add, and without a result.
func (in *Input) WorstAt(i int) string { return in.derived[in.IDs[i]] }

// Original returns the cell whose run the i-th is: itself, unless WithWorst added it.
func (in *Input) Original(i int) int {
	if own := len(in.Cells) - len(in.origins); i >= own {
		return in.origins[i-own]
	}
	return i
}

// alongAxis groups cells that differ in their points on one axis at most, in the order of the first
// of each group.
func alongAxis(axis string, cells []study.Cell) (groups [][]int) {
	known := map[string]int{}
	for i := range cells {
		c := atWorst(axis, cells[i])
		key := fmt.Sprintf("%s %d", PlaceKey(c.Method, PointOf(c.Point)), c.Seed)
		g, found := known[key]
		if !found {
			g = len(groups)
			known[key], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// atWorst returns a cell at the point that WithWorst adds.
func atWorst(axis string, c study.Cell) study.Cell {
	c.Point = slices.Clone(c.Point)
	for k := range c.Point {
		if c.Point[k].Axis == axis {
			c.Point[k].Label = study.WorstLabel
		}
	}
	return c
}

// labelOf returns where a cell lies on an axis.
func labelOf(axis string, c *study.Cell) string {
	for _, at := range c.Point {
		if at.Axis == axis {
			return at.Label
		}
	}
	return ""
}

// LabelsOn returns the points of an axis, without what WithWorst adds.
func (in *Input) LabelsOn(axis string) []string {
	return labelsOn(axis, in.Cells[:len(in.Cells)-len(in.origins)])
}

// labelsOn returns the points of an axis, each once.
func labelsOn(axis string, cells []study.Cell) (labels []string) {
	for i := range cells {
		if l := labelOf(axis, &cells[i]); l != "" && !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// WorstLabels says at which points of the axis some cells were worst, by their seeds: "ALIE", or
// "ALIE in 3 of 5 seeds, IPM in 2"; "" where none has a result.
func (in *Input) WorstLabels(cells []int) string {
	var labels []string
	count := map[string]int{}
	n := 0
	for _, i := range cells {
		l := in.WorstAt(i)
		if l == "" {
			continue
		}
		if count[l]++; count[l] == 1 {
			labels = append(labels, l)
		}
		n++
	}
	if len(labels) < 2 {
		return strings.Join(labels, "")
	}
	slices.SortStableFunc(labels, func(a, b string) int { return count[b] - count[a] })
	var words []string
	for k, l := range labels {
		words = append(words, fmt.Sprintf("%s in %d", l, count[l]))
		if k == 0 {
			words[0] += fmt.Sprintf(" of %d seeds", n)
		}
	}
	return strings.Join(words, ", ")
}
