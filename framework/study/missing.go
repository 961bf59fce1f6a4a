package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// required are the keys that a setting must have in the end.
var required = slices.Concat([]string{"clients", "rounds"},
	slotsThat(func(s slot) bool { return s.required }), []string{"metrics"})

// gaps are the keys that settings lack, arm by arm.
type gaps struct {
	arms     []armGaps
	nameless []field // components that have parameters but no name
	rows     []rowGaps
}

// rowGaps are the parameters of an ambiguous or missing component of a row.
type rowGaps struct {
	key    string // of the row
	vague  []field
	unused []field
	used   map[Span]bool // places that set a parameter in some cell
}

// armGaps says at how many points an arm lacks each of the required keys, and at which
// first.
type armGaps struct {
	arm    arm
	points int
	lacks  []int     // one per required key
	first  [][]point // the same
}

// arm begins a new arm.
func (g *gaps) arm(a arm) {
	g.arms = append(g.arms, armGaps{
		arm: a, lacks: make([]int, len(required)), first: make([][]point, len(required)),
	})
}

// look looks for gaps in the setting of the newest arm at a point.
func (g *gaps) look(t table, at []point) {
	a := &g.arms[len(g.arms)-1]
	a.points++
	for i, key := range required {
		if _, ok := t.get(key); !ok {
			if a.lacks[i]++; a.lacks[i] == 1 {
				a.first[i] = at
			}
		}
	}
	for _, f := range t {
		if v, ok := f.value.(table); ok && v.text("name") == "" {
			g.nameless = append(g.nameless, f)
		}
	}
}

// row returns a setting with the rows of components that its layers make. Known are the names of
// those of the whole experiment, by key.
func (g *gaps) row(t table, known map[string][]string) table {
	for _, f := range t {
		v, ok := f.value.(stack)
		if !ok {
			continue
		}
		r := v.row(known[f.key])
		g.of(f.key).add(v, r)
		switch {
		case rowed[f.key] == "":
			t = t.with(f.key, node{f.at, r.items})
		case r.items == nil && r.own == nil && r.told != nil: // of components that it has not
			_, t = t.split(f.key)
		default:
			t = t.with(f.key, r.slot(v, f.at))
		}
	}
	return t
}

// slot returns the component that a row stands for: a table without a name where none is named.
func (r row) slot(v stack, at Span) node {
	switch {
	case slices.ContainsFunc(v.layers, func(n node) bool { return n.value == nil }):
		return node{at: at}
	case r.many:
		return node{r.at, table{{"name", node{r.at, rowed[v.key]}}, {listKey, node{r.at, r.items}}}}
	case len(r.items) == 1:
		return r.items[0]
	}
	return node{at, r.own}
}

// of returns the gaps of the rows at a key.
func (g *gaps) of(key string) *rowGaps {
	k := slices.IndexFunc(g.rows, func(r rowGaps) bool { return r.key == key })
	if k < 0 {
		k = len(g.rows)
		g.rows = append(g.rows, rowGaps{key: key, used: map[Span]bool{}})
	}
	return &g.rows[k]
}

// add adds what one row leaves.
func (g *rowGaps) add(v stack, r row) {
	g.vague, g.unused = append(g.vague, r.vague...), append(g.unused, r.unused...)
	for _, layer := range v.layers {
		over, _ := layer.value.(table)
		for _, f := range over {
			mute := func(u field) bool { return u.key == f.key && u.at == f.at }
			if !slices.ContainsFunc(r.unused, mute) {
				g.used[f.at] = true
			}
		}
	}
}

// problems adds one for every parameter whose component is ambiguous, or that no cell uses. A
// parameter that only some cells use is no mistake.
func (g rowGaps) problems(r *reader, known []string) {
	for _, f := range g.vague {
		r.fail(f.at.Key, r.suggest(f.key, known), "%s.%s: there are several, name the %s",
			g.key, f.key, memberOf(g.key))
	}
	for _, f := range g.unused {
		if g.used[f.at] {
			continue
		}
		hint := fmt.Sprintf("no %s is called so here, or there is none", memberOf(g.key))
		if isNumber(f.key) {
			hint = fmt.Sprintf("no %s has that number; the first has 0", memberOf(g.key))
		}
		r.fail(f.at.Key, hint, "%s.%s: changes nothing", g.key, f.key)
	}
}

// problems returns one problem for every required key that some method lacks, and for every
// component that no file names. An ablation lacks what its method lacks, and no more.
func (g *gaps) problems(s *Spec) Problems {
	var r reader
	for i, key := range required {
		var lacking []string
		var first Pos
		methods, everywhere := 0, 0
		for _, a := range g.arms {
			if a.arm.parent != "" {
				continue
			}
			if methods++; a.lacks[i] == 0 {
				continue
			}
			if lacking = append(lacking, a.describe(i)); len(lacking) == 1 {
				first = a.arm.at.Value
			}
			if a.lacks[i] == a.points {
				everywhere++
			}
		}
		switch {
		case len(lacking) == 0:
		case methods > 1 && everywhere == methods && s.settingAt.Line > 0:
			r.fail(s.settingAt, remedy(key), "every method lacks %s", key)
		default:
			r.fail(first, remedy(key)+" or in the method", "%s: %s is missing",
				strings.Join(lacking, ", "), key)
		}
	}
	for _, f := range g.nameless {
		r.fail(f.at.Value, fmt.Sprintf("add name = \"…\", or write %s = \"…\" in [setting]", f.key),
			"%s: has parameters but no name", f.key)
	}
	known := s.rowNames()
	for _, rows := range g.rows {
		rows.problems(&r, known[rows.key])
	}
	return r.problems.tidy()
}

// describe names the arm that lacks the i-th key, and the point if it lacks it at some
// points only.
func (a armGaps) describe(i int) string {
	lacking := "method " + strconv.Quote(a.arm.label)
	if a.lacks[i] < a.points {
		var labels []string
		for _, p := range a.first[i] {
			labels = append(labels, p.label)
		}
		lacking += " at " + strings.Join(labels, ", ")
	}
	return lacking
}

// remedy says what to write where a required key is missing.
func remedy(key string) string {
	switch {
	case key == "metrics":
		return "write metrics = [\"…\"] in [setting]"
	case slices.Contains(slots, key):
		return fmt.Sprintf("write %s = \"…\" in [setting]", key)
	}
	return fmt.Sprintf("write %s = … in [setting]", key)
}
