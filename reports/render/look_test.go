package render

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// TestTransposedSaysTheSame: every entry is there, where row and column are the other way round.
func TestTransposedSaysTheSame(t *testing.T) {
	for _, x := range reportstest.Examples() {
		for _, tab := range reportstest.Tables(t, x.Input) {
			tab.Transposed = false
			g := table.Layout(&tab)
			tab.Transposed = true
			turned := table.Layout(&tab)
			if len(turned.Rows) != len(g.Columns) || len(turned.Columns) != len(g.Rows) {
				t.Fatalf("%s: %d rows and %d columns became %d and %d", x.Name, len(g.Rows),
					len(g.Columns), len(turned.Rows), len(turned.Columns))
			}
			for c, column := range g.Columns {
				for r, row := range g.Rows {
					if !reflect.DeepEqual(turned.Columns[r].Entries[c], column.Entries[r]) ||
						turned.Columns[r].Head != row.Label {
						t.Errorf("%s: row %d of column %d is another", x.Name, r, c)
					}
				}
				words := append(slices.Clone(g.Groups[column.Group]), column.Head)
				for _, word := range words {
					if !strings.Contains(turned.Rows[c].Label+turned.Corner, word) {
						t.Errorf("%s: %q is lost in %q", x.Name, word, turned.Rows[c].Label)
					}
				}
			}
		}
	}
}

// TestTransposedLegend: it calls rows what are rows there.
func TestTransposedLegend(t *testing.T) {
	for _, c := range []struct {
		x         *reportstest.Example
		has, lost string
	}{
		{reportstest.Swept(), "for the methods of a row", "of a column"},
		{reportstest.Ablated(), "for the ablations of a row", "of a column"},
		{reportstest.Ablated(), "difference from the method that the column changes", "that the row changes"},
	} {
		c.x.Look = infer.Look{Transposed: true}
		text := reportstest.LegendOf(&reportstest.Tables(t, c.x.Input)[0])
		if !strings.Contains(text, c.has) || strings.Contains(text, c.lost) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.x.Name, c.has, c.lost, text)
		}
	}
}

// TestLookChangesNoNumber of those that are there without it.
func TestLookChangesNoNumber(t *testing.T) {
	for _, make := range []func() *reportstest.Example{reportstest.Figure, reportstest.Swept, reportstest.Blocks, reportstest.Labels, reportstest.Broken} {
		plain := reportstest.Tables(t, make().Input)
		other := reportstest.Tables(t, reportstest.WithLook("", make(), infer.Look{Delta: true, Argmax: true}).Input)
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
	for _, make := range []func() *reportstest.Example{reportstest.Figure, reportstest.Swept, reportstest.Broken, func() *reportstest.Example {
		return reportstest.Short("one", 1)
	}} {
		x := reportstest.WithLook("argmax", make(), infer.Look{Argmax: true})
		for _, tab := range reportstest.Tables(t, x.Input) {
			for c, column := range tab.Columns {
				best := math.Inf(1)
				sign, competing := 1.0, 0
				if column.Direction == infer.Up {
					sign = -1
				}
				for r := range tab.Rows {
					if cell := tab.Rows[r].Cells[c]; tab.Rows[r].Role == "" &&
						cell.State == table.Complete && column.Direction != infer.None {
						best = min(best, sign*float64(cell.Mean))
						competing++
					}
				}
				for r := range tab.Rows {
					cell := tab.Rows[r].Cells[c]
					want := competing > 1 && tab.Rows[r].Role == "" &&
						cell.State == table.Complete && sign*float64(cell.Mean) == best
					if cell.Best != want {
						t.Errorf("%s, %s, %s: best is %v", tab.Title, column.Metric,
							tab.Rows[r].Method, cell.Best)
					}
				}
			}
			legend := reportstest.LegendOf(&tab)
			if !strings.Contains(legend, "argmax, not tested") ||
				strings.Contains(legend, "every next one") || strings.Contains(legend, "or rank") {
				t.Errorf("legend\n%s", legend)
			}
		}
	}
}

// TestDeltaNeedsABaseline, or parents.
func TestDeltaNeedsABaseline(t *testing.T) {
	x := reportstest.WithLook("", reportstest.Figure(), infer.Look{Delta: true})
	x.Report.Baseline = ""
	if _, err := table.Build(x.Input); err == nil || !strings.Contains(err.Error(), "no baseline") {
		t.Errorf("%v", err)
	}
	x.Report.Against = "parent"
	if _, err := table.Build(x.Input); err != nil {
		t.Error(err)
	}
}
