package settings

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Section holds the values that the method, a point of the sweep or both decide.
type Section struct {
	mask   uint // bit k is set when coordinate k decides: 0 the method, 1 the first axis, …
	Arm    int  // one that it speaks of
	usual  bool // some methods differ from it in some of its values, and say so
	Values []Value
}

// Sections sorts the values of arms — cells that differ in more than their seed — by what
// decides them. What most methods have in common is said of every cell; of an ablation,
// only what it changes.
func Sections(arms []study.Cell, seeds []uint64) []Section {
	at, parents := coordinates(arms)
	found := map[string]*Section{}
	for _, column := range Columns(arms, seeds) {
		mask, usual := decisive(at, column), Value{}
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
			if v.Path == "" || said[key] {
				continue
			}
			said[key] = true
			if found[key] == nil {
				found[key] = &Section{mask: by, Arm: i}
			}
			found[key].Values = append(found[key].Values, v)
			found[key].usual = found[key].usual || by != mask
		}
	}
	return sorted(found)
}

// sorted returns sections as they are read: the fewer coordinates decide, the sooner they
// come, and then as in the file.
func sorted(found map[string]*Section) []Section {
	var all []Section
	for _, s := range found {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Section) int {
		return cmp.Or(cmp.Compare(bits.OnesCount(a.mask), bits.OnesCount(b.mask)),
			cmp.Compare(a.mask, b.mask), cmp.Compare(a.Arm, b.Arm))
	})
	return all
}

// Columns returns every value of arms, with its zero value in those that do not have it, in the
// order in which a reader meets their paths.
func Columns(arms []study.Cell, seeds []uint64) [][]Value {
	columns := map[string][]Value{} // path → its value in each arm
	for i, arm := range arms {
		for _, v := range Of(arm, seeds) {
			if columns[v.Path] == nil {
				columns[v.Path] = make([]Value, len(arms))
			}
			columns[v.Path][i] = v
		}
	}
	return inOrder(columns)
}

// inOrder returns columns in the order in which a reader meets their paths.
func inOrder(columns map[string][]Value) [][]Value {
	var all [][]Value
	for _, column := range columns {
		all = append(all, column)
	}
	given := func(v Value) bool { return v.Path != "" }
	slices.SortFunc(all, func(a, b []Value) int {
		x, y := a[slices.IndexFunc(a, given)], b[slices.IndexFunc(b, given)]
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.Path, y.Path))
	})
	return all
}

// mostly returns what stands in more than half of a column, if anything does. Every method
// says for itself what its aggregator is.
func mostly(column []Value) Value {
	times := map[Value]int{}
	for _, v := range column {
		if times[v]++; 2*times[v] > len(column) && !v.ofMethod() {
			return v
		}
	}
	return Value{}
}

// decisive returns the coordinates on which a column depends. For an aggregator the method
// is always among them, so that every method is mentioned.
func decisive(at [][]string, column []Value) uint {
	mask := uint(1)<<len(at[0]) - 1
	for k := len(at[0]) - 1; k >= 0; k-- {
		without := mask &^ (1 << k)
		always := k == 0 && slices.ContainsFunc(column, Value.ofMethod)
		if !always && isFunction(at, column, without) {
			mask = without
		}
	}
	return mask
}

// isFunction reports whether a column says the same wherever some coordinates are the same.
func isFunction(at [][]string, column []Value, mask uint) bool {
	known := map[string]Value{}
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

// Title says what a section speaks of, given one of its arms.
func (s *Section) Title(arm study.Cell) string {
	if s.mask == 0 {
		if s.usual {
			return "every training run, unless its method says otherwise"
		}
		return "every training run"
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
	if strings.HasPrefix(p.Label, study.LastPart(p.Axis)+" = ") {
		return p.Label
	}
	return p.Axis + ": " + p.Label
}
