package main

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// widestValue is how many columns a value may take where many are listed.
const widestValue = 44

// A section of an outline holds what the method, a point of the sweep or both decide.
type section struct {
	mask   uint // bit k is set when coordinate k decides: 0 the method, 1 the first axis, …
	arm    int  // one that it speaks of
	usual  bool // some methods differ from it in some of its values, and say so
	values []value
}

// resolvedView returns every value of an experiment once, under what decides it.
func (c *command) resolvedView(x *experiment) string {
	var arms []study.Cell
	for _, i := range x.arms() {
		arms = append(arms, x.cells[i])
	}
	all := sections(arms, x.seeds())
	var rows [][]string
	for _, s := range all {
		for _, v := range s.values {
			rows = append(rows, []string{v.path, clip(v.text, widestValue), v.origin})
		}
	}
	var b strings.Builder
	lines := strings.SplitAfter(grid(rows, margin, gutter, widestText), "\n")
	for _, s := range all {
		b.WriteString("\n" + c.paint(c.out, bold, s.title(arms[s.arm])) + "\n")
		b.WriteString(strings.Join(lines[:len(s.values)], ""))
		lines = lines[len(s.values):]
	}
	return b.String()
}

// sections sorts the values of arms — cells that differ in more than their seed — by what
// decides them. What most methods have in common is said of every cell; of an ablation,
// only what it changes.
func sections(arms []study.Cell, seeds []uint64) []section {
	at, parents := coordinates(arms)
	found := map[string]*section{}
	for _, column := range allValues(arms, seeds) {
		mask, usual := decisive(at, column), value{}
		if mask == 1 {
			usual = mostly(column)
		}
		said := map[string]bool{}
		for i, v := range column {
			by := mask
			switch p := parents[i]; {
			case p >= 0 && mask&1 == 1 && v == column[p]:
				continue // its method says so
			case p < 0 && v == usual:
				by = 0
			}
			key := strconv.Itoa(int(by)) + masked(at[i], by)
			if v.path == "" || said[key] {
				continue
			}
			said[key] = true
			if found[key] == nil {
				found[key] = &section{mask: by, arm: i}
			}
			found[key].values = append(found[key].values, v)
			found[key].usual = found[key].usual || by != mask
		}
	}
	return sorted(found)
}

// sorted returns sections as they are read: the fewer coordinates decide, the sooner they
// come, and then as in the file.
func sorted(found map[string]*section) []section {
	var all []section
	for _, s := range found {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b section) int {
		return cmp.Or(cmp.Compare(bits.OnesCount(a.mask), bits.OnesCount(b.mask)),
			cmp.Compare(a.mask, b.mask), cmp.Compare(a.arm, b.arm))
	})
	return all
}

// allValues returns every value of arms, with its zero value in those that do not have it, in the
// order in which a reader meets their paths.
func allValues(arms []study.Cell, seeds []uint64) [][]value {
	columns := map[string][]value{} // path → its value in each arm
	for i, arm := range arms {
		for _, v := range values(arm, seeds) {
			if columns[v.path] == nil {
				columns[v.path] = make([]value, len(arms))
			}
			columns[v.path][i] = v
		}
	}
	return inOrder(columns)
}

// inOrder returns columns in the order in which a reader meets their paths.
func inOrder(columns map[string][]value) [][]value {
	var all [][]value
	for _, column := range columns {
		all = append(all, column)
	}
	given := func(v value) bool { return v.path != "" }
	slices.SortFunc(all, func(a, b []value) int {
		x, y := a[slices.IndexFunc(a, given)], b[slices.IndexFunc(b, given)]
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.path, y.path))
	})
	return all
}

// mostly returns what stands in more than half of a column, if anything does. Every method
// says for itself what its aggregator is.
func mostly(column []value) value {
	times := map[value]int{}
	for _, v := range column {
		if times[v]++; 2*times[v] > len(column) && !v.ofMethod() {
			return v
		}
	}
	return value{}
}

// decisive returns the coordinates on which a column depends. For an aggregator the method
// is always among them, so that every method is mentioned.
func decisive(at [][]string, column []value) uint {
	mask := uint(1)<<len(at[0]) - 1
	for k := len(at[0]) - 1; k >= 0; k-- {
		without := mask &^ (1 << k)
		always := k == 0 && slices.ContainsFunc(column, value.ofMethod)
		if !always && isFunction(at, column, without) {
			mask = without
		}
	}
	return mask
}

// isFunction reports whether a column says the same wherever some coordinates are the same.
func isFunction(at [][]string, column []value, mask uint) bool {
	known := map[string]value{}
	for i, v := range column {
		key := masked(at[i], mask)
		if other, ok := known[key]; ok && other != v {
			return false
		}
		known[key] = v
	}
	return true
}

// masked returns some of the coordinates as one text.
func masked(coordinates []string, mask uint) string {
	var b strings.Builder
	for k, c := range coordinates {
		if mask>>k&1 == 1 {
			b.WriteString(c)
		}
		b.WriteByte(0)
	}
	return b.String()
}

// coordinates returns where each arm lies: its method and its points on the axes. For an
// ablation it returns which arm is that of its method there, and −1 for all others.
func coordinates(arms []study.Cell) (at [][]string, parents []int) {
	index := map[string]int{}
	for i, arm := range arms {
		list := []string{arm.Method}
		for _, p := range arm.Point {
			list = append(list, p.Label)
		}
		at = append(at, list)
		index[masked(list, ^uint(0))] = i
	}
	for i, arm := range arms {
		list := slices.Clone(at[i])
		list[0] = arm.Parent
		parent, ok := index[masked(list, ^uint(0))]
		if !ok {
			parent = -1
		}
		parents = append(parents, parent)
	}
	return at, parents
}

// title says what a section speaks of, given one of its arms.
func (s *section) title(arm study.Cell) string {
	if s.mask == 0 {
		if s.usual {
			return "every cell, unless its method says otherwise"
		}
		return "every cell"
	}
	var parts []string
	if s.mask&1 == 1 {
		parts = append(parts, arm.Method)
	}
	for k, p := range arm.Point {
		if s.mask>>(k+1)&1 == 1 {
			parts = append(parts, pointName(p))
		}
	}
	title := strings.Join(parts, " · ")
	if s.mask&1 == 1 && arm.Role != "" {
		title += " — " + arm.Role
	}
	if s.mask&1 == 1 && arm.Parent != "" {
		title += " — ablation of " + arm.Parent
	}
	return title
}

// pointName names a point with its axis, unless its label does, as "k = 2" does.
func pointName(p study.Coordinate) string {
	if strings.HasPrefix(p.Label, p.Axis[strings.LastIndexByte(p.Axis, '.')+1:]+" = ") {
		return p.Label
	}
	return p.Axis + ": " + p.Label
}
