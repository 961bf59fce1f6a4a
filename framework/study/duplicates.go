package study

import (
	"fmt"
	"strings"
)

// Duplicates returns the labels that do not stand for an experiment of their own, among
// resolved cells: two methods that are the same at some point, and two values of an axis
// that make no difference to any method. That a method does not depend on an axis is no
// mistake.
func Duplicates(cells []Cell) Problems {
	ids := make([]string, len(cells))
	for i, c := range cells {
		ids[i] = c.ID()
	}
	return append(sameMethods(cells, ids), samePoints(cells, ids)...)
}

// sameMethods returns the pairs of methods that are the same experiment somewhere.
func sameMethods(cells []Cell, ids []string) Problems {
	type pair struct{ a, b string }
	type meeting struct {
		cell Cell // of the second method, where it first meets the first
		n    int  // in how many cells they meet
	}
	owner := map[string]int{} // point and identity → the first cell there
	total := map[string]int{} // cells of each method
	meetings := map[pair]*meeting{}
	var order []pair
	for i, c := range cells {
		total[c.Method]++
		where := place(c, "") + ids[i]
		first, ok := owner[where]
		if !ok {
			owner[where] = i
			continue
		}
		p := pair{cells[first].Method, c.Method}
		if meetings[p] == nil {
			meetings[p] = &meeting{cell: c}
			order = append(order, p)
		}
		meetings[p].n++
	}
	var out Problems
	for _, p := range order {
		m := meetings[p]
		at := ""
		if m.n < total[p.b] {
			at = " at " + labelsOf(m.cell)
		}
		out = append(out, Problem{
			Pos:     m.cell.Origins["method"].Value,
			Message: fmt.Sprintf("methods %q and %q are the same experiment%s", p.a, p.b, at),
			Hint:    "they differ in label only",
		})
	}
	return out
}

// samePoints returns the values of axes that make no difference to any method.
func samePoints(cells []Cell, ids []string) Problems {
	var out Problems
	if len(cells) == 0 {
		return nil
	}
	for k, axis := range cells[0].Point {
		all := map[string]*strings.Builder{} // label → everything that happens there
		var labels []string
		at := map[string]Pos{}
		for i, c := range cells {
			label := c.Point[k].Label
			if all[label] == nil {
				all[label] = &strings.Builder{}
				labels = append(labels, label)
				at[label] = c.Origins["sweep."+axis.Axis].Value
			}
			all[label].WriteString(c.Method + "\x00" + place(c, axis.Axis) + ids[i])
		}
		first := map[string]string{} // everything that happens → the first label
		for _, label := range labels {
			what := all[label].String()
			other, ok := first[what]
			if !ok {
				first[what] = label
				continue
			}
			out = append(out, Problem{
				Pos: at[label],
				Message: fmt.Sprintf("points %q and %q of axis %q are the same experiment for "+
					"every method", other, label, axis.Axis),
				Hint: "nothing depends on it, or every method replaces it",
			})
		}
	}
	return out
}

// place returns the coordinates of a cell and its seed as one text, without those on one
// axis.
func place(c Cell, without string) string {
	var b strings.Builder
	for _, p := range c.Point {
		if p.Axis != without {
			b.WriteString(p.Label + "\x00")
		}
	}
	fmt.Fprintf(&b, "%d\x00", c.Seed)
	return b.String()
}

// labelsOf returns where a cell lies, as a person says it.
func labelsOf(c Cell) string {
	var labels []string
	for _, p := range c.Point {
		labels = append(labels, p.Label)
	}
	return strings.Join(labels, ", ")
}
