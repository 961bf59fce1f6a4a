package render

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// comparisonFields are what comparisonCSV writes of a cell, axes apart.
var comparisonFields = []string{"metric", "unit", "direction", "state", "mean", "sd", "n",
	"planned", "low", "high", "bold", "against", "outcome", "delta", "delta_n", "delta_sd",
	"delta_low", "delta_high", "t", "raw_p", "p", "family", "wilcoxon_p", "sign_flip_p",
	"least_exact_p", "effect", "better", "margin", "equivalent_p", "detectable", "needed",
	"wins", "ties", "losses", "rank", "reached", "runs", "limit",
	"comparable", "differs"}

// comparisonCSV writes the tables of a comparison in tidy form: a line per cell, numbers in full
// and raw. What does not exist is an empty field.
func comparisonCSV(w io.Writer, tables []table.Table) error {
	axes := allAxes(tables)
	out := export.CSVWriter{Writer: csv.NewWriter(w)}
	header := append([]string{"title", "view", "method", "parent", "role"}, axes...)
	if err := out.Write(append(header, comparisonFields...)); err != nil {
		return err
	}
	for i := range tables {
		t := &tables[i]
		for r := range t.Rows {
			row := &t.Rows[r]
			for c := range t.Columns {
				fields := []string{t.Title, string(t.View), row.Method, row.Parent, row.Role}
				for _, axis := range axes {
					fields = append(fields, labelOn(t.Columns[c].Point, axis))
				}
				if err := out.Write(append(fields, comparisonRecord(t, r, c)...)); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// pairsOf writes of how many differences a comparison is; "" where there is none.
func pairsOf(c *table.Cell) string {
	if c.Versus == nil {
		return ""
	}
	return strconv.Itoa(c.Versus.N)
}

// labelOn returns where a point lies on an axis; "" where it does not.
func labelOn(p infer.Point, axis string) string {
	for _, c := range p {
		if c.Axis == axis {
			return c.Label
		}
	}
	return ""
}

// comparisonRecord is what comparisonFields name.
func comparisonRecord(t *table.Table, r, c int) []string {
	column, cell, none := &t.Columns[c], &t.Rows[r].Cells[c], table.Number(math.NaN())
	within := table.Interval{Low: none, High: none}
	if cell.Interval != nil {
		within = *cell.Interval
	}
	against, v := "", table.PairedDifference{Delta: none, Low: none, High: none, P: none}
	e := table.TestStatistics{SD: none, T: none, Raw: none, Family: 0, Wilcoxon: none,
		SignFlip: none, Least: none, Effect: none, Better: none, Margin: none, Equivalent: none,
		Detectable: none, Needed: 0}
	if cell.Versus != nil {
		against, v = t.ComparedWith(r), *cell.Versus
		if v.Tests != nil {
			e = *v.Tests
		}
	}
	family, need := "", ""
	if e.Family > 0 {
		family = strconv.Itoa(e.Family)
	}
	switch {
	case v.Outcome == infer.NotSignificant && e.Needed == 0:
		need = "inf"
	case v.Outcome == infer.NotSignificant:
		need = strconv.Itoa(e.Needed)
	}
	fields := []string{column.Metric, column.Unit, string(column.Direction), string(cell.State),
		raw(cell.Mean), raw(cell.SD), strconv.Itoa(cell.N()), strconv.Itoa(cell.Planned),
		raw(within.Low), raw(within.High), strconv.FormatBool(cell.Best), against,
		string(v.Outcome), raw(v.Delta), pairsOf(cell), raw(e.SD), raw(v.Low),
		raw(v.High), raw(e.T), raw(e.Raw), raw(v.P), family, raw(e.Wilcoxon), raw(e.SignFlip),
		raw(e.Least), raw(e.Effect), raw(e.Better), raw(e.Margin), raw(e.Equivalent),
		raw(e.Detectable), need}
	wins, rank, reach := []string{"", "", ""}, "", []string{"", "", ""}
	if s := cell.Standing; s != nil {
		rank = raw(s.Rank)
		if s.Tested {
			wins = []string{strconv.Itoa(s.Wins), strconv.Itoa(s.Ties), strconv.Itoa(s.Losses)}
		}
	}
	if s := cell.Reach; s != nil {
		reach = []string{strconv.Itoa(s.Reached), strconv.Itoa(s.Runs), raw(s.Limit)}
	}
	fields = append(append(append(fields, wins...), rank), reach...)
	return append(fields, strconv.FormatBool(cell.Comparable), strings.Join(cell.Differs, "; "))
}
