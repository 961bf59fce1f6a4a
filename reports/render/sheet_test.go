package render

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// A sheet has what other renderers show: a cell for every column, under headings that span all
// columns, and numbers that are those of the table, as rounded as they are written. That tables
// with methods across hold the same is for TestTransposedSaysTheSame.
func TestSheet(t *testing.T) {
	for _, x := range reportstest.Examples() {
		for _, tab := range reportstest.Tables(t, x.Input) {
			s, g := SheetOf(&tab), table.Layout(&tab)
			for _, level := range s.Levels {
				wide := 0
				for _, h := range level {
					wide += h.Span
				}
				if wide != len(s.Columns) {
					t.Errorf("%s: headings span %d of %d columns", x.Name, wide, len(s.Columns))
				}
			}
			for i, row := range s.Rows {
				if len(row.Cells) != len(s.Columns) {
					t.Fatalf("%s: %d cells in %d columns", x.Name, len(row.Cells), len(s.Columns))
				}
				for c, cell := range row.Cells {
					column := g.Columns[c]
					if tab.Transposed || !strings.HasPrefix(column.Head, tab.Columns[column.Family].Metric) {
						continue
					}
					want := float64(tab.Rows[i].Cells[column.Family].Mean)
					got := float64(cell.Value)
					if infer.Finite(got) && math.Abs(got-want) > 0.03*math.Abs(want)+1e-9 {
						t.Errorf("%s: %q is sorted by %g, not %g", x.Name, cell.Text, got, want)
					}
				}
			}
		}
	}
}
