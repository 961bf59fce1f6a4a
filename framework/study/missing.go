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
	rows     rowGaps
}

// rowGaps are the parameters of preprocessors of an ambiguous or missing preprocessor.
type rowGaps struct {
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

// row returns a setting with the row of preprocessors that its layers make.
func (g *gaps) row(t table, known []string) table {
	n, _ := t.get(chainKey)
	v, ok := n.value.(stack)
	if !ok {
		return t
	}
	r := v.row(known)
	g.rows.vague = append(g.rows.vague, r.vague...)
	g.rows.unused = append(g.rows.unused, r.unused...)
	if g.rows.used == nil {
		g.rows.used = map[Span]bool{}
	}
	for _, layer := range v {
		over, _ := layer.value.(table)
		for _, f := range over {
			mute := func(u field) bool { return u.key == f.key && u.at == f.at }
			if !slices.ContainsFunc(r.unused, mute) {
				g.rows.used[f.at] = true
			}
		}
	}
	return t.with(chainKey, node{n.at, r.items})
}

// problems adds one for every parameter whose preprocessor is ambiguous, or that no cell uses. A
// parameter that only some cells use is no mistake.
func (g rowGaps) problems(r *reader, known []string) {
	for _, f := range g.vague {
		r.fail(f.at.Key, r.suggest(f.key, known), "%s.%s: there are several, name the preprocessor",
			chainKey, f.key)
	}
	for _, f := range g.unused {
		if !g.used[f.at] {
			r.fail(f.at.Key, "no preprocessor is called so here, or there is none",
				"%s.%s: changes nothing", chainKey, f.key)
		}
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
	g.rows.problems(&r, s.preprocessors())
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
