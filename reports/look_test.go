package reports

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
)

// TestTransposedSaysTheSame: every entry is there, where row and column are the other way round.
func TestTransposedSaysTheSame(t *testing.T) {
	for _, x := range examples() {
		for _, table := range tables(t, x.Input) {
			table.Transposed = false
			g := layout(&table)
			table.Transposed = true
			turned := layout(&table)
			if len(turned.rows) != len(g.columns) || len(turned.columns) != len(g.rows) {
				t.Fatalf("%s: %d rows and %d columns became %d and %d", x.name, len(g.rows),
					len(g.columns), len(turned.rows), len(turned.columns))
			}
			for c, column := range g.columns {
				for r, row := range g.rows {
					if !reflect.DeepEqual(turned.columns[r].entries[c], column.entries[r]) ||
						turned.columns[r].head != row.label {
						t.Errorf("%s: row %d of column %d is another", x.name, r, c)
					}
				}
				words := append(slices.Clone(g.groups[column.group]), column.head)
				for _, word := range words {
					if !strings.Contains(turned.rows[c].label+turned.corner, word) {
						t.Errorf("%s: %q is lost in %q", x.name, word, turned.rows[c].label)
					}
				}
			}
		}
	}
}

// TestTransposedLegend: it calls rows what are rows there.
func TestTransposedLegend(t *testing.T) {
	for _, c := range []struct {
		x         *example
		has, lost string
	}{
		{swept(), "for the methods of a row", "of a column"},
		{ablated(), "for the ablations of a row", "of a column"},
		{ablated(), "difference from the method that the column changes", "that the row changes"},
	} {
		c.x.Look = infer.Look{Transposed: true}
		text := legendOf(&tables(t, c.x.Input)[0])
		if !strings.Contains(text, c.has) || strings.Contains(text, c.lost) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.x.name, c.has, c.lost, text)
		}
	}
}

// TestLookChangesNoNumber of those that are there without it.
func TestLookChangesNoNumber(t *testing.T) {
	for _, make := range []func() *example{figure, swept, blocks, labels, broken} {
		plain := tables(t, make().Input)
		other := tables(t, looking("", make(), infer.Look{Delta: true, Argmax: true}).Input)
		for i := range plain {
			for r := range plain[i].Rows {
				for c := range plain[i].Columns {
					a, b := plain[i].Rows[r].Cells[c], other[i].Rows[r].Cells[c]
					a.Best, a.Notes, b.Best, b.Notes = false, nil, false, nil
					if a.Versus == nil {
						b.Versus = nil // of a metric that is not tested
					}
					a.Paper, b.Paper = nil, nil
					was, errA := json.Marshal(a)
					is, errB := json.Marshal(b)
					if errA != nil || errB != nil || string(was) != string(is) {
						t.Errorf("%s: %s became %s", plain[i].Title, was, is)
					}
				}
			}
		}
	}
}

// TestArgmax: bold is the best mean of the methods that compete, however few seeds there are, and
// the legend does not claim a test.
func TestArgmax(t *testing.T) {
	for _, make := range []func() *example{figure, swept, broken, func() *example {
		return short("one", 1)
	}} {
		x := looking("argmax", make(), infer.Look{Argmax: true})
		for _, table := range tables(t, x.Input) {
			for c, column := range table.Columns {
				best := math.Inf(1)
				sign, competing := 1.0, 0
				if column.Direction == infer.Up {
					sign = -1
				}
				for r := range table.Rows {
					if cell := table.Rows[r].Cells[c]; table.Rows[r].Role == "" &&
						cell.State == Complete && column.Direction != infer.None {
						best = min(best, sign*float64(cell.Mean))
						competing++
					}
				}
				for r := range table.Rows {
					cell := table.Rows[r].Cells[c]
					want := competing > 1 && table.Rows[r].Role == "" &&
						cell.State == Complete && sign*float64(cell.Mean) == best
					if cell.Best != want {
						t.Errorf("%s, %s, %s: best is %v", table.Title, column.Metric,
							table.Rows[r].Method, cell.Best)
					}
				}
			}
			legend := legendOf(&table)
			if !strings.Contains(legend, "argmax, not tested") ||
				strings.Contains(legend, "every next one") || strings.Contains(legend, "or rank") {
				t.Errorf("legend\n%s", legend)
			}
		}
	}
}

// TestDeltaNeedsABaseline, or parents.
func TestDeltaNeedsABaseline(t *testing.T) {
	x := looking("", figure(), infer.Look{Delta: true})
	x.Report.Baseline = ""
	if _, err := Build(x.Input); err == nil || !strings.Contains(err.Error(), "no baseline") {
		t.Errorf("%v", err)
	}
	x.Report.Against = "parent"
	if _, err := Build(x.Input); err != nil {
		t.Error(err)
	}
}
