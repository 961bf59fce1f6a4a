package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
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
	delta := gridColumn{group: v.group, family: v.family,
		head: "Δ" + unit + arrow(column.Direction)}
	for r := range t.Rows {
		delta.entries = append(delta.entries, s.difference(t, r, v.c))
	}
	list := []gridColumn{delta}
	tested := v.some(func(e *Evidence) bool { return e.Family > 0 })
	if tested || len(t.Columns) > 1 {
		list = append(list, v.compared("95 % CI", func(c *Comparison) entry {
			return entry{word: s.interval(float64(c.Low), float64(c.High))}
		}))
	}
	if uneven(t.pairs("")) {
		list = append(list, v.compared("n", func(c *Comparison) entry {
			return entry{word: strconv.Itoa(c.N)}
		}))
	}
	if !tested || len(t.Columns) > 1 {
		return list
	}
	evidence := func(head string, one func(e *Evidence) entry) {
		list = append(list, v.compared(head, func(c *Comparison) entry { return one(c.Evidence) }))
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
func decides(e *Evidence) bool { return float64(e.Least)*float64(e.Family) < infer.Alpha }

// equal says whether a difference is within the margin of equivalence.
func equal(c *Comparison) entry {
	e := entry{word: "—"}
	within := float64(c.Evidence.Equivalent) < infer.Alpha
	if c.Outcome == infer.Constant || c.Outcome == infer.Identical {
		within = math.Abs(float64(c.Delta)) < float64(c.Evidence.Margin)
	} else {
		e = probability(c.Evidence.Equivalent)
	}
	if within {
		e.word = strings.TrimPrefix(e.word+" ≈", "— ")
	}
	return e
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
	some := false // but not all runs reached the target
	for r := range v.table.Rows {
		cell := v.table.Rows[r].Cells[v.c]
		if i := cell.Interval; i != nil && infer.Finite(float64(i.Low)) {
			cell.Spread = (i.High - i.Low) / 2
		}
		some = some || cell.Reach != nil && cell.Reach.some()
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
			if infer.Finite(float64(i.Low)) {
				e.aside = s.interval(float64(i.Low), float64(i.High)) + before(" ", e.aside)
			}
		}
		if r := cell.Reach; r != nil && r.Reached < r.Runs && e.word == "" {
			limit := style{unit: column.Unit, digits: -1}.entry(float64(r.Limit), math.NaN())
			if limit.frac = strings.TrimRight(limit.frac, "0"); limit.frac == "." {
				limit.frac = ""
			}
			e = entry{word: fmt.Sprintf("> %s (%d/%d)", limit, r.Reached, r.Runs)}
		}
		e.best = e.best && !some
		plain.entries = append(plain.entries, e)
	}
	if some {
		return []gridColumn{plain, bound}
	}
	return []gridColumn{plain}
}

// some reports whether some runs reached the target and some did not.
func (r *Reach) some() bool { return r.Reached > 0 && r.Reached < r.Runs }

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

// interval writes an interval in the digits of the number in its middle, and up to four more
// where these would hide on which side of zero an end lies.
func (s style) interval(low, high float64) string {
	if !infer.Finite(low) || !infer.Finite(high) {
		return "—"
	}
	fit := s.settled((low+high)/2, (high-low)/2)
	for _, end := range []float64{low, high} {
		size := math.Abs(shift(end, -fit.power))
		if end != 0 && size < 0.5*math.Pow10(-fit.digits) {
			fit.digits = min(fit.digits+4, decimals(size, 1))
		}
	}
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
	if !infer.Finite(float64(x)) {
		return entry{word: "—"}
	}
	return fixed(float64(x), math.NaN(), 2)
}
