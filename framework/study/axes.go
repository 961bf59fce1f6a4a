package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A draftAxis is an axis of the sweep: a list of values at one path; several such lists
// of one length, paired; or named points.
type draftAxis struct {
	name   string
	at     Span
	paired bool
	lists  []column
	labels node // of paired lists; without a value when they are not given
	points []entry
}

// A column is a list of values for one path of the setting.
type column struct {
	path   []string
	values node
}

// axes returns the axes of a sweep, in the order of the file. A key of a setting is the
// path of a list of values, or the beginning of several such paths; any other name is
// that of an axis of named points or of paired lists. A table with labels is always the
// latter.
func (r *reader) axes(sweep table) []draftAxis {
	var found []draftAxis
	for _, f := range sweep {
		path := settingPath(f.key)
		known := slices.Contains(settingKeys, path[0])
		t, isTable := f.value.(table)
		_, labelled := t.get("label")
		switch {
		case isTable && (labelled || !known):
			found = append(found, r.paired(f, t)...)
		case known:
			found = append(found, r.crossed(path, f.node)...)
		default:
			found = append(found, r.named(f)...)
		}
	}
	slices.SortStableFunc(found, func(a, b draftAxis) int {
		x, y := a.at.Key, b.at.Key
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
	var out []draftAxis
	seen := map[string]bool{}
	for _, a := range found {
		if seen[a.name] {
			r.fail(a.at.Key, "", "axis %q is written twice", a.name)
			continue
		}
		seen[a.name] = true
		out = append(out, a)
	}
	return out
}

// crossed returns the axes below a path, one for each list.
func (r *reader) crossed(path []string, n node) []draftAxis {
	name := strings.Join(path, ".")
	switch v := n.value.(type) {
	case table:
		if len(v) == 0 {
			r.fail(n.at.Key, "", "axis %q has no values", name)
		}
		var out []draftAxis
		for _, f := range v {
			out = append(out, r.crossed(append(slices.Clip(path), f.key), f.node)...)
		}
		return out
	case list:
		if slices.ContainsFunc(v, isPoint) {
			return r.named(field{name, n})
		}
		return []draftAxis{{name: name, at: n.at, lists: []column{{path, n}}}}
	}
	r.fail(n.at.Value, "one value belongs in [setting]",
		"sweep.%s: want a list of values, have %s", name, show(n.value))
	return nil
}

// isPoint reports whether an element of an axis is a named point.
func isPoint(n node) bool {
	t, _ := n.value.(table)
	_, ok := t.get("label")
	return ok
}

// named returns an axis of named points, if it is one.
func (r *reader) named(f field) []draftAxis {
	items, ok := f.value.(list)
	if !ok || len(items) > 0 && !slices.ContainsFunc(items, isPoint) {
		hint := "name = [{ label = \"…\", … }] are named points, a table of lists is paired"
		if near, ok := r.near(f.key, settingKeys, r.params); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.fail(f.at.Key, hint, "unknown key %q in [sweep]", f.key)
		return nil
	}
	axis := draftAxis{name: f.key, at: f.at}
	for _, item := range items {
		if !isPoint(item) {
			r.fail(item.at.Value, "every point of an axis has one, or none has",
				"axis %q: a point has no label", f.key)
			continue
		}
		axis.points = append(axis.points, r.entry(item, fmt.Sprintf("axis %q", f.key), "label"))
	}
	return []draftAxis{axis}
}

// paired returns an axis of lists that are paired, not crossed, if there are any.
func (r *reader) paired(f field, t table) []draftAxis {
	head, lists := t.split("label")
	axis := draftAxis{name: f.key, at: f.at, paired: true}
	axis.labels, _ = head.get("label")
	for _, l := range lists {
		if path := settingPath(l.key); slices.Contains(settingKeys, path[0]) {
			axis.lists = append(axis.lists, r.columns(f.key, path, l.node)...)
			continue
		}
		for _, l := range r.mend(table{l}, fmt.Sprintf("axis %q", f.key), settingKeys, r.params) {
			axis.lists = append(axis.lists, r.columns(f.key, []string{l.key}, l.node)...)
		}
	}
	for i, c := range axis.lists {
		same := func(b column) bool { return slices.Equal(c.path, b.path) }
		if slices.ContainsFunc(axis.lists[:i], same) {
			r.fail(c.values.at.Key, "", "axis %q: %s is written twice",
				f.key, strings.Join(c.path, "."))
		}
	}
	if len(axis.lists) == 0 {
		r.fail(f.at.Key, "", "axis %q pairs nothing", f.key)
		return nil
	}
	return []draftAxis{axis}
}

// columns returns the lists of paired values below a path.
func (r *reader) columns(axis string, path []string, n node) []column {
	switch v := n.value.(type) {
	case table:
		var out []column
		for _, f := range v {
			out = append(out, r.columns(axis, append(slices.Clip(path), f.key), f.node)...)
		}
		return out
	case list:
		return []column{{path, n}}
	}
	r.fail(n.at.Value, "lists of one length are paired, value by value",
		"sweep.%s.%s: want a list, have %s", axis, strings.Join(path, "."), show(n.value))
	return nil
}
