package study

import (
	"fmt"
	"slices"
)

// An arm is a method or an ablation: what it changes in the setting, layer by layer.
type arm struct {
	label, parent, role string
	at                  Span
	sets                []table
}

// arms returns the methods, each followed by its ablations.
func (r *reader) arms(d draft) []arm {
	var methods []arm
	for i, m := range d.methods {
		methods = append(methods, r.method(m, i))
	}
	methods = r.distinct(methods)
	var labels []string
	changes := map[string][]change{} // by the label of what they change
	for _, m := range methods {
		labels = append(labels, m.label)
		changes[m.label] = nil
	}
	for _, c := range d.changes {
		of, ok := c.of.value.(string)
		_, known := changes[of]
		switch {
		case !ok && c.of.at != (Span{}):
			r.wrongType("of", "a string", c.of)
		case ok && known:
			changes[of] = append(changes[of], c)
		case ok:
			r.fail(c.of.at.Value, r.suggest(of, labels), "no method %q", of)
		}
	}
	var out []arm
	for _, m := range methods {
		out = append(out, m)
		for _, c := range changes[m.label] {
			out = append(out, r.ablation(m, c))
		}
	}
	return r.distinct(out)
}

// method checks a [[method]], the i-th from 0.
func (r *reader) method(e entry, i int) arm {
	a := arm{label: fmt.Sprintf("#%d", i+1), at: e.at}
	if n, ok := e.head.get("label"); !ok {
		r.fail(e.at.Value, "label = \"…\" is missing", "a [[method]] has no label")
	} else if label, _ := r.text("label", n); label != "" {
		a.label, a.at = label, n.at
	}
	if n, ok := e.head.get("role"); ok {
		a.role, _ = r.choice("role", n, "upper-bound", "lower-bound", "literature")
	}
	a.sets = []table{r.settings(e.set, "[[method]]")}
	return a
}

// ablation checks one change of a method.
func (r *reader) ablation(m arm, c change) arm {
	label := c.label()
	set := r.settings(c.set, fmt.Sprintf("ablation %q", c.name))
	return arm{
		label: label, parent: m.label, role: m.role,
		at:   Span{c.at.Key, c.at.Key},
		sets: append(slices.Clip(m.sets), set),
	}
}

// distinct returns the arms, those with a label of their own.
func (r *reader) distinct(arms []arm) []arm {
	var out []arm
	lines := map[string]int{} // where a label was used first
	for _, a := range arms {
		line, used := lines[a.label]
		if !used {
			lines[a.label] = a.at.Value.Line
			out = append(out, a)
			continue
		}
		r.fail(a.at.Value, fmt.Sprintf("first in line %d", line),
			"label %q is used twice", a.label)
	}
	return out
}

// measured returns the keys of all measures that some cell takes, in the order in which
// they appear.
func (s *Spec) measured() []string {
	var keys []string
	seen := map[string]bool{}
	for _, a := range s.arms {
		for _, item := range s.metricsOf(a) {
			if key := measure(item).Key; !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// bestOf reports whether a measure is the best of all evaluations, in some arm.
func (s *Spec) bestOf(key string) bool {
	return slices.ContainsFunc(s.arms, func(a arm) bool {
		return slices.ContainsFunc(s.metricsOf(a), func(item node) bool {
			m := measure(item)
			return m.Key == key && m.Best
		})
	})
}

// metricsOf returns the metrics that some cell of an arm takes: those of its topmost list,
// over all points of the sweep.
func (s *Spec) metricsOf(a arm) list {
	for _, set := range slices.Backward(a.sets) {
		if n, ok := set.get("metrics"); ok {
			items, _ := n.value.(list)
			return items
		}
	}
	var out list
	for _, axis := range slices.Backward(s.Axes) {
		open := false
		for _, p := range axis.points {
			n, ok := p.set.get("metrics")
			items, _ := n.value.(list)
			out = append(out, items...)
			open = open || !ok
		}
		if !open {
			return out
		}
	}
	n, _ := s.setting.get("metrics")
	items, _ := n.value.(list)
	return append(out, items...)
}
