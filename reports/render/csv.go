package render

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// CSV writes tables in tidy form: a line per value of the table, numbers in full and raw.
// What does not exist is an empty field.
func CSV(w io.Writer, tables []table.Table) error {
	if slices.ContainsFunc(tables, func(t table.Table) bool { return t.View != table.Values }) {
		return comparisonCSV(w, tables)
	}
	axes := allAxes(tables)
	out := export.CSVWriter{Writer: csv.NewWriter(w)}
	header := append([]string{"title", "method", "parent", "role"}, axes...)
	header = append(header, "metric", "unit", "direction", "state", "mean", "sd", "n", "planned",
		"against", "p", "outcome", "delta", "delta_n", "relative", "detectable", "bold",
		"paper", "comparable", "differs", "rounds", "note")
	if err := out.Write(header); err != nil {
		return err
	}
	for i := range tables {
		t := &tables[i]
		for r := range t.Rows {
			for c := range t.Columns {
				if err := out.Write(record(t, r, c, axes)); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// allAxes lists the axes of all tables, in order of appearance.
func allAxes(tables []table.Table) []string {
	var axes []string
	for i := range tables {
		for _, c := range tables[i].Block {
			axes = append(axes, c.Axis)
		}
		axes = append(axes, tables[i].Axes...)
	}
	var distinct []string
	for _, a := range axes {
		if !slices.Contains(distinct, a) {
			distinct = append(distinct, a)
		}
	}
	return distinct
}

// record is the line of one value.
func record(t *table.Table, r, c int, axes []string) []string {
	row, column := &t.Rows[r], &t.Columns[c]
	cell := &row.Cells[c]
	fields := []string{t.Title, row.Method, row.Parent, row.Role}
	place := slices.Concat(t.Block, column.Point)
	for _, axis := range axes {
		fields = append(fields, labelOn(place, axis))
	}
	none := table.Number(math.NaN())
	other, versus := "", table.PairedDifference{P: none, Delta: none, Relative: none,
		Detectable: none}
	if cell.Versus != nil {
		other, versus = t.ComparedWith(r), *cell.Versus
	}
	paper := none
	if cell.Paper != nil {
		paper = cell.Paper.Value
	}
	return append(fields, column.Metric, column.Unit, string(column.Direction), string(cell.State),
		raw(cell.Mean), raw(cell.SD), strconv.Itoa(cell.N()), strconv.Itoa(cell.Planned),
		other, raw(versus.P), string(versus.Outcome), raw(versus.Delta), pairsOf(cell),
		raw(versus.Relative), raw(versus.Detectable), strconv.FormatBool(cell.Best), raw(paper),
		strconv.FormatBool(cell.Comparable), strings.Join(cell.Differs, "; "),
		roundsOf(cell.Rounds, column.Rounds), remarksOf(t, r, c))
}

// roundsOf names the rounds that a value is of: its own, or else those of its column.
func roundsOf(own, column *infer.Span) string {
	switch {
	case own != nil:
		return own.String()
	case column != nil:
		return column.String()
	}
	return ""
}

// raw writes a number so that it reads back the same.
func raw(x table.Number) string { return export.FormatNumber(float64(x)) }

// remarksOf joins the footnotes that concern a cell.
func remarksOf(t *table.Table, r, c int) string {
	cell := &t.Rows[r].Cells[c]
	marks := slices.Concat(t.Rows[r].Notes, t.Columns[c].Notes, cell.Notes)
	if cell.Paper != nil {
		marks = append(marks, cell.Paper.Notes...)
	}
	var texts []string
	for _, n := range t.Notes {
		if n.Number > 0 && slices.Contains(marks, n.Number) {
			texts = append(texts, n.Text)
		}
	}
	return strings.Join(texts, "; ")
}
