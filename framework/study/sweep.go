package study

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Axis is one dimension of the sweep.
type Axis struct {
	Name   string   // as written: a path of the setting, or a name of its own
	Labels []string // of its points, in the order of the file, all different

	at     Span
	points []point
}

// A point is a value on an axis: what it is called and what it changes in the setting.
type point struct {
	label string
	at    Span
	set   table
}

// axis checks an axis.
func (r *reader) axis(d draftAxis) Axis {
	a := Axis{Name: d.name, at: d.at}
	r.text("axis", keyNode(d.name, d.at))
	if d.name == "method" || d.name == "seed" {
		r.fail(d.at.Key, "", "an axis cannot be called %q", d.name)
	}
	for _, e := range d.points {
		label, _ := e.head.get("label")
		if text, ok := r.text("label", label); ok {
			set := r.settings(e.set, fmt.Sprintf("point %q", text))
			a.points = append(a.points, point{text, label.at, set})
		}
	}
	if len(d.lists) > 0 {
		a.points = r.zip(d)
	}
	if len(a.points) == 0 {
		r.fail(d.at.Key, "", "axis %q has no values", d.name)
		a.points = []point{unknownPoint(d)}
	}
	seen := map[string]bool{}
	for _, p := range a.points {
		if seen[p.label] {
			r.fail(p.at.Value, "a point may have a label of its own: { label = \"…\", … }",
				"axis %q has two points called %q", a.Name, p.label)
		}
		seen[p.label] = true
		a.Labels = append(a.Labels, p.label)
	}
	return a
}

// unknownPoint stands for the points of an axis that has none, so that what the axis
// would have set is not reported as missing.
func unknownPoint(d draftAxis) point {
	p := point{at: d.at}
	for _, c := range d.lists {
		p.set = layer(p.set, nest(c.path, node{at: c.values.at}))
	}
	return p
}

// zip pairs the lists of an axis, value by value; a single list is the simplest case.
func (r *reader) zip(d draftAxis) []point {
	want := len(d.lists[0].values.value.(list))
	points := make([]point, want)
	for _, c := range d.lists[1:] {
		if have := len(c.values.value.(list)); have != want {
			r.fail(c.values.at.Value, "lists of one length are paired, value by value",
				"axis %q: %s has %d values, %s has %d", d.name, strings.Join(c.path, "."), have,
				strings.Join(d.lists[0].path, "."), want)
			points = points[:min(have, len(points))]
		}
	}
	for i := range points {
		var labels []string
		for _, c := range d.lists {
			value := c.values.value.(list)[i]
			points[i].set = layer(points[i].set, nest(c.path, value))
			labels = append(labels, valueLabel(c.path, value))
			if len(labels) == 1 {
				points[i].at = value.at
			}
		}
		points[i].label = strings.Join(labels, ", ")
		points[i].set = r.settings(points[i].set, fmt.Sprintf("axis %q", d.name))
	}
	if d.labels.at != (Span{}) {
		r.relabel(d, points)
	}
	for i, p := range points {
		if size := utf8.RuneCountInString(p.label); size > longestLabel {
			problem := tooLong(p.at.Value, "label", size, longestLabel)
			problem.Hint = "give the point one of its own: { label = \"…\", … }"
			r.problems = append(r.problems, problem)
			points[i].label = fmt.Sprintf("#%d", i+1)
		}
	}
	return points
}

// relabel gives paired points the labels that are written for them.
func (r *reader) relabel(d draftAxis, points []point) {
	labels, ok := d.labels.value.(list)
	if !ok {
		r.wrongType("sweep."+d.name+".label", "a list of strings", d.labels)
		return
	}
	first := d.lists[0]
	if want := len(first.values.value.(list)); len(labels) != want {
		r.fail(d.labels.at.Value, "every point has one", "axis %q: label has %d values, %s has %d",
			d.name, len(labels), strings.Join(first.path, "."), want)
	}
	for i := range min(len(labels), len(points)) {
		if text, ok := r.text("label", labels[i]); ok {
			points[i].label, points[i].at = text, labels[i].at
		}
	}
}

// valueLabel returns the label of a value that has none of its own: k = 2, or just the
// name of a component.
func valueLabel(path []string, n node) string {
	last := path[len(path)-1]
	if len(path) == 1 && (last == chainKey || slices.Contains(slots, last)) || last == "name" {
		return written(n.value)
	}
	return last + " = " + written(n.value)
}
