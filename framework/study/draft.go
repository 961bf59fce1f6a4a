package study

import (
	"slices"
	"strings"
)

// A draft is an experiment file taken apart, before its values are looked at: that is
// where the command line changes them.
type draft struct {
	top        table // title, paper, seeds, plugins, report, tune
	setting    table
	settingAt  Span // of its header
	methods    []entry
	changes    []change
	axes       []draftAxis
	references list
	claims     list
}

// An entry is a [[method]], or a named point of an axis.
type entry struct {
	at   Span
	head table // what it says of itself: label and role
	set  table // what it changes in the setting
}

// label returns the text of the label, "" when there is none.
func (e entry) label() string { return e.head.text("label") }

// A change is one ablation.
type change struct {
	of   node // label of the method that it changes; without a value when it is missing
	name string
	at   Span
	set  table
}

// label returns what the ablation is called.
func (c change) label() string {
	of, _ := c.of.value.(string)
	return of + ", " + c.name
}

// draft takes a file apart. Keys that do not exist are reported and left out.
func (r *reader) draft(root table) draft {
	var d draft
	r.params = parameters(nil, node{value: root})
	slices.Sort(r.params)
	r.params = slices.Compact(r.params)
	for _, f := range r.mend(root, "", topKeys, nested) {
		switch f.key {
		case "title", "paper", "seeds", "plugins":
			d.top = append(d.top, f)
		case "report", "tune":
			if _, ok := r.table(f); ok {
				d.top = append(d.top, f)
			}
		case "setting":
			t, _ := r.table(f)
			d.setting, d.settingAt = r.unfold(t), f.at
		case "method":
			for _, n := range r.tables(f.key, f.node) {
				d.methods = append(d.methods, r.entry(n, "[[method]]", "label", "role"))
			}
		case "ablate":
			for _, n := range r.tables(f.key, f.node) {
				d.changes = append(d.changes, r.changes(n)...)
			}
		case "sweep":
			t, _ := r.table(f)
			d.axes = r.axes(t)
		case "reference":
			d.references = r.tables(f.key, f.node)
		case "claim":
			d.claims = r.tables(f.key, f.node)
		}
	}
	return d
}

// nested are the paths of what a user may look for at the top of the file.
var nested = slices.Concat(prefixed("setting.", settingKeys), prefixed("report.", reportKeys),
	prefixed("tune.", tuneKeys))

func prefixed(prefix string, keys []string) []string {
	var out []string
	for _, key := range keys {
		out = append(out, prefix+key)
	}
	return out
}

// table returns the table at a key.
func (r *reader) table(f field) (table, bool) {
	t, ok := f.value.(table)
	if !ok {
		r.wrongType(f.key, "a table", f.node)
	}
	return t, ok
}

// entry takes a table apart into what it says of itself, at the given keys, and what it
// changes.
func (r *reader) entry(n node, place string, head ...string) entry {
	e := entry{at: n.at}
	t := r.unfold(n.value.(table))
	e.head, e.set = r.mend(t, place, slices.Concat(head, settingKeys), r.params).split(head...)
	return e
}

// changes returns the ablations of an [[ablate]].
func (r *reader) changes(n node) []change {
	head, named := n.value.(table).split("of")
	of, ok := head.get("of")
	if !ok {
		r.fail(n.at.Value, "of = \"…\" is the label of the method to be changed",
			"an [[ablate]] does not say what it changes")
	}
	if len(named) == 0 {
		r.fail(n.at.Value, "name = { … } is one change", "an [[ablate]] changes nothing")
	}
	var out []change
	for _, f := range named {
		t, ok := f.value.(table)
		r.text("ablation", keyNode(f.key, f.at))
		if !ok {
			r.wrongType("ablation "+f.key, "a table of what it changes", f.node)
			continue
		}
		out = append(out, change{of: of, name: f.key, at: f.at, set: r.unfold(t)})
	}
	return out
}

// unfold spells out the keys that are quoted paths of a setting: "availability.k" = 5
// says the same as availability.k = 5 and availability = { k = 5 }.
func (r *reader) unfold(t table) table {
	var out table
	for _, f := range t {
		path := settingPath(f.key)
		part := nest(path, f.node)
		if old, ok := out.get(path[0]); ok && clash(old, part[0].node) {
			r.fail(f.at.Key, "", "%q is written twice", f.key)
			continue
		}
		out = layer(out, part)
	}
	return out
}

// settingPath returns the path that a key of a setting spells; any other key is a path of
// one element, whatever characters it has.
func settingPath(key string) []string {
	if path := strings.Split(key, "."); slices.Contains(settingKeys, path[0]) {
		return path
	}
	return []string{key}
}

// clash reports whether two values of one key cannot both stand.
func clash(a, b node) bool {
	if v, ok := a.value.(stack); ok {
		more := b.value.(stack)
		return slices.ContainsFunc(v.layers, func(n node) bool {
			return v.collide(n, more.layers[0])
		})
	}
	x, okX := component(a)
	y, okY := component(b)
	_, textA := a.value.(string)
	_, textB := b.value.(string)
	if !okX || !okY || textA && textB {
		return true
	}
	return slices.ContainsFunc(x, func(f field) bool {
		other, ok := y.get(f.key)
		return ok && clash(f.node, other)
	})
}

// each replaces every table that changes a setting by what f makes of it.
func (d *draft) each(f func(table) table) {
	d.setting = f(d.setting)
	for i := range d.methods {
		d.methods[i].set = f(d.methods[i].set)
	}
	for i := range d.changes {
		d.changes[i].set = f(d.changes[i].set)
	}
	for _, axis := range d.axes {
		for i := range axis.points {
			axis.points[i].set = f(axis.points[i].set)
		}
	}
}

// parameters appends the paths of the parameters of components that a value writes.
func parameters(to []string, n node) []string {
	switch v := n.value.(type) {
	case list:
		for i := range v {
			to = parameters(to, v[i])
		}
	case table:
		for _, f := range v {
			slot, _, quoted := strings.Cut(f.key, ".")
			switch {
			case slot != chainKey && !slices.Contains(slots, slot):
				to = parameters(to, f.node)
			case quoted:
				to = append(to, f.key)
			default:
				to = below(to, f.key, f.node)
			}
		}
	}
	return to
}

// below appends the paths of the parameters of a component, or of several in a list.
func below(to []string, path string, n node) []string {
	switch v := n.value.(type) {
	case list:
		for i := range v {
			switch {
			case isPoint(v[i]):
				to = parameters(to, v[i])
			case isRow(path) && len(v) > 1 && nameOf(v[i]) != "":
				to = below(to, path+"."+nameOf(v[i]), v[i])
			default:
				to = below(to, path, v[i])
			}
		}
	case table:
		for _, f := range v {
			if f.key != "name" {
				to = append(to, path+"."+f.key)
			}
			to = below(to, path+"."+f.key, f.node)
		}
	}
	return to
}
