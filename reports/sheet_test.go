package reports

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A sheet has what other renderers show: a cell for every column, under headings that span all
// columns, and numbers that are those of the table, as rounded as they are written. That tables
// with methods across hold the same is for TestTransposedSaysTheSame.
func TestSheet(t *testing.T) {
	for _, x := range examples() {
		for _, table := range tables(t, x.Input) {
			s, g := SheetOf(&table), layout(&table)
			for _, level := range s.Levels {
				wide := 0
				for _, h := range level {
					wide += h.Span
				}
				if wide != len(s.Columns) {
					t.Errorf("%s: headings span %d of %d columns", x.name, wide, len(s.Columns))
				}
			}
			for i, row := range s.Rows {
				if len(row.Cells) != len(s.Columns) {
					t.Fatalf("%s: %d cells in %d columns", x.name, len(row.Cells), len(s.Columns))
				}
				for c, cell := range row.Cells {
					column := g.columns[c]
					if table.Transposed || !strings.HasPrefix(column.head, table.Columns[column.family].Metric) {
						continue
					}
					want := float64(table.Rows[i].Cells[column.family].Mean)
					got := float64(cell.Value)
					if infer.Finite(got) && math.Abs(got-want) > 0.03*math.Abs(want)+1e-9 {
						t.Errorf("%s: %q is sorted by %g, not %g", x.name, cell.Text, got, want)
					}
				}
			}
		}
	}
}

func TestEntryValue(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		e    entry
		want float64
	}{
		{prefixed(20_512, nan), 20_500}, {prefixed(3, nan), 3}, {prefixed(1.36e6, nan), 1.4e6},
		{powered(-1.5e-7, 2e-8, -7, 1), -1.5e-7}, {fixed(-0.25, nan, 2), -0.25},
		{signed(-99.4, 1, " %"), -99.4}, {entry{whole: "×17", frac: ".5"}, 17.5},
		{entry{word: "failed"}, nan}, {entry{word: "∞"}, nan}, {entry{}, nan},
	} {
		got := float64(c.e.value())
		if math.Abs(got-c.want) > 1e-9*math.Abs(c.want) || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%q is sorted by %g, not %g", c.e, got, c.want)
		}
	}
}
