package study

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Kept says of each cell whether it matches filters of the form "key=value". A key is method,
// seed, or an axis of the sweep or the last element of its name; a value is a label or a
// pattern as in path.Match, except that * and ? match every character. On an axis, k=2
// matches the label "k = 2". Of filters with the same key one must match, of those with
// different keys all. The error is Problems: an unknown key, or a filter that matches
// nothing.
func Kept(cells []Cell, filters []string) ([]bool, error) {
	kept := make([]bool, len(cells))
	if len(cells) == 0 || len(filters) == 0 {
		for i := range kept {
			kept[i] = true
		}
		return kept, nil
	}
	var r reader
	var wanted []filter
	for _, text := range filters {
		if f, ok := r.filter(cells, text); ok {
			wanted = append(wanted, f)
		}
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	some := false
	for i, c := range cells {
		kept[i] = passes(c, wanted)
		some = some || kept[i]
	}
	if !some {
		r.fail(Pos{File: "--only"}, "each of them matches some", "no training run matches all "+
			"filters")
	}
	return kept, r.problems.orNil()
}

// Filters returns filters with which Kept keeps the same cells; false where there are none such, as
// of cells that do not form a grid. Of all cells, and of no cells, there are no filters.
func Filters(cells []Cell, kept []bool) ([]string, bool) {
	if !slices.Contains(kept, true) || !slices.Contains(kept, false) {
		return nil, true
	}
	keys := []string{"method", "seed"}
	for _, p := range cells[0].Point {
		keys = append(keys, p.Axis)
	}
	var filters []string
	for _, key := range keys {
		var all, some []string
		for i := range cells {
			value := cells[i].coordinate(key)
			if !slices.Contains(all, value) {
				all = append(all, value)
			}
			if kept[i] && !slices.Contains(some, value) {
				some = append(some, value)
			}
		}
		for _, value := range some {
			if len(some) < len(all) {
				filters = append(filters, key+"="+value)
			}
		}
	}
	again, err := Kept(cells, filters)
	if err != nil || !slices.Equal(again, kept) {
		return nil, false
	}
	return filters, true
}

// A filter asks for cells with a value at a key.
type filter struct{ key, pattern string }

// filter reads a filter that matches some of the cells.
func (r *reader) filter(cells []Cell, text string) (filter, bool) {
	at := Pos{File: "--only"}
	word, pattern, ok := strings.Cut(text, "=")
	word, pattern = strings.TrimSpace(word), strings.TrimSpace(pattern)
	keys := []string{"method", "seed"}
	for _, p := range cells[0].Point {
		keys = append(keys, p.Axis)
	}
	if !ok {
		r.fail(at, "KEY is one of "+strings.Join(keys, ", "), "want KEY=VALUE, have %q", text)
		return filter{}, false
	}
	key, ok := axisNamed(word, keys)
	if !ok {
		r.fail(at, Suggest(word, keys), "unknown key %q", word)
		return filter{}, false
	}
	f := filter{key, pattern}
	if slices.ContainsFunc(cells, f.matches) {
		return f, true
	}
	var values []string
	for _, c := range cells {
		if v := c.coordinate(key); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	r.fail(at, Suggest(pattern, values), "%s: nothing matches %q", word, pattern)
	return f, false
}

// coordinate returns where the cell lies in the plan: its method, its seed, or its label
// on an axis.
func (c Cell) coordinate(key string) string {
	for _, p := range c.Point {
		if p.Axis == key {
			return p.Label
		}
	}
	if key == "seed" {
		return strconv.FormatUint(c.Seed, 10)
	}
	return c.Method
}

// matches reports whether the cell has a value that the filter asks for.
func (f filter) matches(c Cell) bool {
	value := c.coordinate(f.key)
	last := LastPart(f.key)
	return match(f.pattern, value) || match(f.pattern, strings.TrimPrefix(value, last+" = "))
}

// match reports whether the value is the pattern or matches it.
func match(pattern, value string) bool {
	// In path.Match a slash is matched by nothing but itself; labels know no folders.
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
	ok, err := path.Match(flat(pattern), flat(value))
	return pattern == value || err == nil && ok
}

// passes reports whether the cell matches one filter of every key among them.
func passes(c Cell, filters []filter) bool {
	passed := map[string]bool{}
	for _, f := range filters {
		passed[f.key] = passed[f.key] || f.matches(c)
	}
	for _, ok := range passed {
		if !ok {
			return false
		}
	}
	return true
}
