package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// view appends what a table of differences, standings or courses shows of a column.
func (g *grid) view(t *Table, c, group int) {
	v := &viewed{table: t, c: c, group: group, family: c}
	if t.View == Courses {
		g.columns = append(g.columns, v.values()...)
		return
	}
	if compares(t) {
		g.columns = append(g.columns, v.differences()...)
	}
	if t.View == Standings {
		g.columns = append(g.columns, v.standings()...)
	}
}

// A viewed column of a table stands for several columns of a grid.
type viewed struct {
	table            *Table
	c, group, family int
}

// column makes a column of a grid of what one says of every cell.
func (v *viewed) column(head string, one func(cell *Cell) entry) gridColumn {
	column := gridColumn{group: v.group, family: v.family, head: head}
	for r := range v.table.Rows {
		column.entries = append(column.entries, one(&v.table.Rows[r].Cells[v.c]))
	}
	return column
}

// compared is column for what there is to say of comparisons only.
func (v *viewed) compared(head string, one func(versus *Comparison) entry) gridColumn {
	return v.column(head, func(cell *Cell) entry {
		if cell.Versus == nil || cell.Versus.Evidence == nil {
			return entry{word: "—"}
		}
		return one(cell.Versus)
	})
}

// some reports whether some comparison of the column has evidence of a kind.
func (v *viewed) some(has func(e *Evidence) bool) bool {
	return slices.ContainsFunc(v.table.Rows, func(r Row) bool {
		versus := r.Cells[v.c].Versus
		return versus != nil && versus.Evidence != nil && has(versus.Evidence)
	})
}

// differences are the columns of what a method differs by.
func (v *viewed) differences() []gridColumn {
	t, column := v.table, &v.table.Columns[v.c]
	s := v.style()
	unit := ""
	if column.Unit == "%" {
		unit = " (pp)"
	}
	delta := gridColumn{group: v.group, family: v.family, head: "Δ" + unit + arrow(column.Direction)}
	for r := range t.Rows {
		delta.entries = append(delta.entries, s.difference(t, r, v.c))
	}
	list := []gridColumn{delta, v.compared("95 % CI", func(c *Comparison) entry {
		return entry{word: s.interval(float64(c.Low), float64(c.High))}
	})}
	if len(t.Columns) > 1 {
		return list
	}
	evidence := func(head string, digits func(e *Evidence) entry) {
		list = append(list, v.compared(head, func(c *Comparison) entry { return digits(c.Evidence) }))
	}
	list = append(list, v.compared("p", func(c *Comparison) entry { return probability(c.P) }))
	if v.some(decides) {
		evidence("Wilcoxon", func(e *Evidence) entry { return probability(e.Wilcoxon) })
		evidence("sign flip", func(e *Evidence) entry { return probability(e.SignFlip) })
	}
	if v.some(func(e *Evidence) bool { return !math.IsNaN(float64(e.Margin)) }) {
		list = append(list, v.compared("≈", equal))
	}
	if t.View == Differences {
		evidence("d_z", func(e *Evidence) entry { return hundredths(e.Effect) })
		evidence("P(better)", func(e *Evidence) entry { return hundredths(e.Better) })
	}
	return list
}

// decides reports whether the exact tests can find something, whatever the data.
func decides(e *Evidence) bool { return float64(e.Least)*float64(e.Family) < level }

// equal says whether a difference is within the margin of equivalence.
func equal(c *Comparison) entry {
	switch e := c.Evidence; {
	case c.Outcome == Always || c.Outcome == Identical:
		if math.Abs(float64(c.Delta)) < float64(e.Margin) {
			return entry{word: "≈"}
		}
		return entry{word: "—"}
	case float64(e.Equivalent) < level:
		return entry{word: "≈", aside: "(" + chance(float64(e.Equivalent)) + ")"}
	case math.IsNaN(float64(e.Equivalent)):
		return entry{word: "—"}
	default:
		return entry{word: "~", aside: "(" + chance(float64(e.Equivalent)) + ")"}
	}
}

// standings are the columns of how a method does over conditions.
func (v *viewed) standings() []gridColumn {
	var list []gridColumn
	if v.some(func(*Evidence) bool { return true }) {
		list = append(list, v.column("W/T/L", func(cell *Cell) entry {
			if s := cell.Standing; s != nil && s.Tested {
				return entry{word: fmt.Sprintf("%d/%d/%d", s.Wins, s.Ties, s.Losses)}
			}
			return entry{word: "—"}
		}))
	}
	return append(list, v.column("rank", func(cell *Cell) entry {
		return hundredths(cell.Standing.Rank)
	}))
}

// values are the columns of what a training was like.
func (v *viewed) values() []gridColumn {
	column := &v.table.Columns[v.c]
	cells := make([]*Cell, len(v.table.Rows))
	censored := false
	for r := range v.table.Rows {
		cell := v.table.Rows[r].Cells[v.c]
		if i := cell.Interval; i != nil && finite(float64(i.Low)) {
			cell.Spread = (i.High - i.Low) / 2
		}
		censored = censored || cell.Reach != nil && cell.Reach.Reached < cell.Reach.Runs
		cells[r] = &cell
	}
	s := styleOf(column.Unit, cells)
	plain := gridColumn{group: v.group, family: v.family, head: head(column), notes: column.Notes}
	bound := gridColumn{group: v.group, family: v.family, head: "restricted mean ↓"}
	for _, cell := range cells {
		e := s.value(cell)
		bound.entries = append(bound.entries, e)
		if i := cell.Interval; i != nil && e.word == "" {
			e.spread = ""
			e.aside = s.interval(float64(i.Low), float64(i.High))
		}
		if r := cell.Reach; r != nil && r.Reached < r.Runs && e.word == "" {
			e = entry{word: fmt.Sprintf("> %s (%d/%d)", s.entry(float64(r.Limit), math.NaN()),
				r.Reached, r.Runs)}
		}
		e.best = e.best && !censored
		plain.entries = append(plain.entries, e)
	}
	if censored {
		return []gridColumn{plain, bound}
	}
	return []gridColumn{plain}
}

// style is that of the differences of a column and of their intervals.
func (v *viewed) style() style {
	var cells []*Cell
	for r := range v.table.Rows {
		if c := v.table.Rows[r].Cells[v.c].Versus; c != nil {
			cells = append(cells, &Cell{Mean: c.Delta, Spread: (c.High - c.Low) / 2})
		}
	}
	return styleOf(v.table.Columns[v.c].Unit, cells)
}

// difference writes by how much a cell differs from the other.
func (s style) difference(t *Table, r, c int) entry {
	cell := &t.Rows[r].Cells[c]
	v := cell.Versus
	switch {
	case v != nil:
		e := s.entry(float64(v.Delta), float64(v.High-v.Low)/2)
		e.spread = ""
		if v.Delta > 0 && e.whole != "" {
			e.whole = "+" + e.whole
		}
		e.star = star(v)
		return e
	case t.Rows[r].Method == t.Baseline:
		return entry{word: "baseline"}
	case cell.State == Failed:
		return entry{word: "failed"}
	case cell.State == Partial:
		return entry{word: "—", aside: fmt.Sprintf("(%d/%d)", cell.N(), cell.Planned)}
	default:
		return entry{word: "—"}
	}
}

// interval writes an interval in the digits of the number in its middle.
func (s style) interval(low, high float64) string {
	if !finite(low) || !finite(high) {
		return "—"
	}
	fit := s.settled((low+high)/2, (high-low)/2)
	from, to := fit.written(low, math.NaN()), fit.written(high, math.NaN())
	return "[" + from.whole + from.frac + ", " + to.whole + to.frac + "]" + to.scale
}

// probability writes a p-value without its letter.
func probability(p Number) entry {
	if math.IsNaN(float64(p)) {
		return entry{word: "—"}
	}
	return entry{word: strings.TrimPrefix(strings.TrimPrefix(chance(float64(p)), "p "), "= ")}
}

// hundredths writes a number of no unit.
func hundredths(x Number) entry {
	if !finite(float64(x)) {
		return entry{word: "—"}
	}
	return fixed(float64(x), math.NaN(), 2)
}
