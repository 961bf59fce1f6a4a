package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
)

// addView appends what a table of differences, standings or courses shows of a column.
func (g *Grid) addView(t *Table, c, group int) {
	v := &viewedColumn{table: t, c: c, group: group, family: c}
	if t.View == LearningCurves {
		g.Columns = append(g.Columns, v.values()...)
		return
	}
	if hasComparisons(t) {
		g.Columns = append(g.Columns, v.differences()...)
	}
	if t.View == Standings {
		g.Columns = append(g.Columns, v.standings()...)
	}
}

// A viewedColumn column of a table stands for several columns of a grid.
type viewedColumn struct {
	table            *Table
	c, group, family int
}

// column makes a column of a grid of what one says of every cell.
func (v *viewedColumn) column(head string, one func(cell *Cell) Entry) GridColumn {
	column := GridColumn{Group: v.group, Family: v.family, Head: head}
	for r := range v.table.Rows {
		column.Entries = append(column.Entries, one(&v.table.Rows[r].Cells[v.c]))
	}
	return column
}

// compared is column for what there is to say of comparisons only.
func (v *viewedColumn) compared(head string, one func(versus *PairedDifference) Entry) GridColumn {
	return v.column(head, func(cell *Cell) Entry {
		if cell.Versus == nil || cell.Versus.Tests == nil {
			return Entry{Word: "—"}
		}
		return one(cell.Versus)
	})
}

// some reports whether some comparison of the column has evidence of a kind.
func (v *viewedColumn) some(has func(e *TestStatistics) bool) bool {
	return slices.ContainsFunc(v.table.Rows, func(r Row) bool {
		versus := r.Cells[v.c].Versus
		return versus != nil && versus.Tests != nil && has(versus.Tests)
	})
}

// differences are the columns of what a method differs by.
func (v *viewedColumn) differences() []GridColumn {
	t, column := v.table, &v.table.Columns[v.c]
	s := v.style()
	unit := ""
	if column.Unit == "%" {
		unit = " (pp)"
	}
	delta := GridColumn{Group: v.group, Family: v.family,
		Head: "Δ" + unit + arrow(column.Direction)}
	for r := range t.Rows {
		delta.Entries = append(delta.Entries, s.difference(t, r, v.c))
	}
	list := []GridColumn{delta}
	tested := v.some(func(e *TestStatistics) bool { return e.Family > 0 })
	if tested || len(t.Columns) > 1 {
		list = append(list, v.compared("95 % CI", func(c *PairedDifference) Entry {
			return Entry{Word: s.interval(float64(c.Low), float64(c.High))}
		}))
	}
	if Uneven(t.pairs("")) {
		list = append(list, v.compared("n", func(c *PairedDifference) Entry {
			return Entry{Word: strconv.Itoa(c.N)}
		}))
	}
	if !tested || len(t.Columns) > 1 {
		return list
	}
	evidence := func(head string, one func(e *TestStatistics) Entry) {
		list = append(list,
			v.compared(head, func(c *PairedDifference) Entry { return one(c.Tests) }))
	}
	list = append(list,
		v.compared("p", func(c *PairedDifference) Entry { return probability(c.P) }))
	if v.some(exactTestsDecide) {
		evidence("Wilcoxon", func(e *TestStatistics) Entry { return probability(e.Wilcoxon) })
		evidence("sign flip", func(e *TestStatistics) Entry { return probability(e.SignFlip) })
	}
	if v.some(func(e *TestStatistics) bool { return !math.IsNaN(float64(e.Margin)) }) {
		list = append(list, v.compared("≈", equal))
	}
	if t.View == Differences {
		evidence("d_z", func(e *TestStatistics) Entry { return hundredths(e.Effect) })
		evidence("P(better)", func(e *TestStatistics) Entry { return hundredths(e.Better) })
	}
	return list
}

// exactTestsDecide reports whether the exact tests can find something, whatever the data.
func exactTestsDecide(e *TestStatistics) bool {
	return float64(e.Least)*float64(e.Family) < infer.Alpha
}

// equal says whether a difference is within the margin of equivalence.
func equal(c *PairedDifference) Entry {
	e := Entry{Word: "—"}
	within := float64(c.Tests.Equivalent) < infer.Alpha
	if c.Outcome == infer.Constant || c.Outcome == infer.Identical {
		within = math.Abs(float64(c.Delta)) < float64(c.Tests.Margin)
	} else {
		e = probability(c.Tests.Equivalent)
	}
	if within {
		e.Word = strings.TrimPrefix(e.Word+" ≈", "— ")
	}
	return e
}

// standings are the columns of how a method does over conditions.
func (v *viewedColumn) standings() []GridColumn {
	var list []GridColumn
	if v.some(func(*TestStatistics) bool { return true }) {
		list = append(list, v.column("W/T/L", func(cell *Cell) Entry {
			if s := cell.Standing; s != nil && s.Tested {
				return Entry{Word: fmt.Sprintf("%d/%d/%d", s.Wins, s.Ties, s.Losses)}
			}
			return Entry{Word: "—"}
		}))
	}
	return append(list, v.column("rank", func(cell *Cell) Entry {
		return hundredths(cell.Standing.Rank)
	}))
}

// values are the columns of what a training was like.
func (v *viewedColumn) values() []GridColumn {
	column := &v.table.Columns[v.c]
	cells := make([]*Cell, len(v.table.Rows))
	some := false // but not all runs reached the target
	for r := range v.table.Rows {
		cell := v.table.Rows[r].Cells[v.c]
		if i := cell.Interval; i != nil && infer.Finite(float64(i.Low)) {
			cell.Spread = (i.High - i.Low) / 2
		}
		some = some || cell.Reach != nil && cell.Reach.partial()
		cells[r] = &cell
	}
	s := styleOf(column.Unit, cells)
	plain := GridColumn{Group: v.group, Family: v.family, Head: columnHead(column),
		Notes: column.Notes}
	bound := GridColumn{Group: v.group, Family: v.family, Head: "restricted mean ↓"}
	for _, cell := range cells {
		e := s.value(cell)
		bound.Entries = append(bound.Entries, e)
		if i := cell.Interval; i != nil && e.Word == "" {
			e.Spread = ""
			if infer.Finite(float64(i.Low)) {
				e.Aside = s.interval(float64(i.Low), float64(i.High)) + Before(" ", e.Aside)
			}
		}
		if r := cell.Reach; r != nil && r.Reached < r.Runs && e.Word == "" {
			limit := style{unit: column.Unit, digits: -1}.entry(float64(r.Limit), math.NaN())
			if limit.Frac = strings.TrimRight(limit.Frac, "0"); limit.Frac == "." {
				limit.Frac = ""
			}
			e = Entry{Word: fmt.Sprintf("> %s (%d/%d)", limit, r.Reached, r.Runs)}
		}
		e.Best = e.Best && !some
		plain.Entries = append(plain.Entries, e)
	}
	if some {
		return []GridColumn{plain, bound}
	}
	return []GridColumn{plain}
}

// partial reports whether some runs reached the target and some did not.
func (r *TargetReach) partial() bool { return r.Reached > 0 && r.Reached < r.Runs }

// style is that of the differences of a column and of their intervals.
func (v *viewedColumn) style() style {
	var cells []*Cell
	for r := range v.table.Rows {
		if c := v.table.Rows[r].Cells[v.c].Versus; c != nil {
			cells = append(cells, &Cell{Mean: c.Delta, Spread: (c.High - c.Low) / 2})
		}
	}
	return styleOf(v.table.Columns[v.c].Unit, cells)
}

// difference writes by how much a cell differs from the other.
func (s style) difference(t *Table, r, c int) Entry {
	cell := &t.Rows[r].Cells[c]
	v := cell.Versus
	switch {
	case v != nil:
		e := s.entry(float64(v.Delta), float64(v.High-v.Low)/2)
		e.Spread = ""
		if v.Delta > 0 && e.Whole != "" {
			e.Whole = "+" + e.Whole
		}
		e.Star = significanceMark(v)
		return e
	case t.Rows[r].Method == t.Baseline:
		return Entry{Word: "baseline"}
	case cell.State == Failed:
		return Entry{Word: "failed"}
	case cell.State == Partial:
		return Entry{Word: "—", Aside: fmt.Sprintf("(%d/%d)", cell.N(), cell.Planned)}
	default:
		return Entry{Word: "—"}
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
		size := math.Abs(timesPowerOfTen(end, -fit.power))
		if end != 0 && size < 0.5*math.Pow10(-fit.digits) {
			fit.digits = min(fit.digits+4, decimals(size, 1))
		}
	}
	from, to := fit.written(low, math.NaN()), fit.written(high, math.NaN())
	return "[" + from.Whole + from.Frac + ", " + to.Whole + to.Frac + "]" + to.Scale
}

// probability writes a p-value without its letter.
func probability(p Number) Entry {
	if math.IsNaN(float64(p)) {
		return Entry{Word: "—"}
	}
	return Entry{Word: strings.TrimPrefix(strings.TrimPrefix(pValueText(float64(p)), "p "), "= ")}
}

// hundredths writes a number of no unit.
func hundredths(x Number) Entry {
	if !infer.Finite(float64(x)) {
		return Entry{Word: "—"}
	}
	return fixed(float64(x), math.NaN(), 2)
}
