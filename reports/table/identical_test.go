package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// leaky is a run of "a" and its ablations with the leaks given, at points of one axis: value says
// what a method's final values begin with at a point.
func leaky(axis string, labels []string, leaks map[string]float64,
	value func(method, label string) float64,
) *reportstest.Example {
	x := reportstest.NewExample("leaky", "Leaks", reportstest.Loss)
	methods := []string{"a"}
	for _, m := range []string{"leak", "more"} {
		if _, ok := leaks[m]; ok {
			methods = append(methods, m)
		}
	}
	for _, label := range labels {
		for _, m := range methods {
			params := map[string]any{"leak": leaks[m], "step": 1.0}
			if axis != "" {
				params["level"] = label
			}
			c := study.Cell{Method: m, Clients: 4,
				Picks: map[string]study.Pick{"aggregator": {Name: "fedavot", Params: params}}}
			if axis != "" {
				c.Point = reportstest.At("aggregator.level", label)
			}
			x.Add(c, reportstest.Shifted(reportstest.Around(3, 5, 2, 1, 0.5), value(m, label)))
		}
	}
	return x
}

// Equal results under different settings are said in every format, in tables and in comparisons,
// and the row is no finding of its own.
func TestRowsWithoutAnEffectSaySo(t *testing.T) {
	x := leaky("", []string{""}, map[string]float64{"a": 0, "leak": 0.5, "more": 0.9},
		func(m, _ string) float64 { return map[string]float64{"more": 1e-12}[m] })
	x.Report.Baseline = "a"
	const said = "identical to a, seed by seed: leak has no effect on what is measured here"
	list := reportstest.Tables(t, x.Input)
	tab := &list[0]
	if got := reportstest.Noted(tab, reportstest.Row(t, tab, "leak").Notes); !slices.Equal(got, []string{said}) {
		t.Errorf("the row has the notes %q", got)
	}
	if got := reportstest.Row(t, tab, "more").Notes; len(got) > 0 {
		t.Errorf("a row that differs in its last bits has the notes %v", got)
	}
	best := reportstest.Row(t, tab, "leak").Cells[0]
	if text := string(reportstest.Written(t, list, onTerminal(0, false))); !best.Best || !best.Again ||
		strings.Count(text, "◂") != 2 { // a, and the legend
		t.Errorf("%+v: the best is marked %d times:\n%s", best, strings.Count(text, "◂"), text)
	}
	tables := map[string][]table.Table{"table": list,
		"comparison": reportstest.Compared(t, x.Input, table.ComparisonOptions{}).Tables()}
	for what, list := range tables {
		for format, text := range map[string][]byte{"text": reportstest.Written(t, list, onTerminal(0, false)),
			"Markdown": reportstest.Written(t, list, render.Markdown), "LaTeX": reportstest.Written(t, list, render.LaTeX),
			"HTML": reportstest.Written(t, list, render.HTML), "JSON": reportstest.Written(t, list, render.JSON)} {
			if !strings.Contains(string(text), said) {
				t.Errorf("the %s as %s does not say it:\n%s", what, format, text)
			}
		}
	}
	if text := string(reportstest.Written(t, list, render.CSV)); !strings.Contains(text, said) {
		t.Errorf("the table as CSV does not say it:\n%s", text)
	}
}

// Points of a sweep that have identical results say so: of the table where it holds for all rows,
// else at the row, or at the point.
func TestSweepsWithoutAnEffectSaySo(t *testing.T) {
	labels := []string{"level = 0", "level = 1", "level = 2"}
	const none = "level has no effect on what is measured here: level = 0, level = 1, level = 2 " +
		"have identical results, seed by seed"
	for name, c := range map[string]struct {
		differs map[string]float64 // by method and label
		of      string             // what the note is of
	}{
		"nowhere": {nil, "table"},
		"one row": {map[string]float64{"more level = 1": 1, "more level = 2": 2}, "row"},
		"a point": {map[string]float64{"more level = 2": 1, "a level = 1": 1, "a level = 2": 2},
			"cell"},
		"everyone": {map[string]float64{"more level = 1": 1, "more level = 2": 2,
			"a level = 1": 1, "a level = 2": 2}, ""},
	} {
		for _, columns := range [][]string{nil, {"other"}} {
			x := leaky("level", labels, map[string]float64{"a": 0, "more": 1},
				func(m, label string) float64 {
					return c.differs[m+" "+label] + map[string]float64{"more": 7}[m]
				})
			x.Report.Columns = columns // one table, or one for each point
			list := reportstest.Tables(t, x.Input)
			var ofTable, ofRow, ofCell []string
			for i := range list {
				table := &list[i]
				for _, n := range table.Notes {
					if n.Number == 0 && n.Text == none {
						ofTable = append(ofTable, n.Text)
					}
				}
				for _, r := range table.Rows {
					ofRow = append(ofRow, reportstest.Noted(table, r.Notes)...)
					for _, cell := range r.Cells {
						ofCell = append(ofCell, reportstest.Noted(table, cell.Notes)...)
					}
				}
			}
			tables := map[bool]int{true: 1, false: len(list)}[len(list) == 1]
			want := map[string]int{c.of: tables}
			if c.of == "cell" {
				want[c.of] = 1
				if !slices.Equal(ofCell, []string{"identical to level = 0, seed by seed: level has " +
					"no effect between them"}) {
					t.Errorf("%s: at cells %q", name, ofCell)
				}
			}
			if len(ofTable) != want["table"] || len(ofRow) != want["row"] ||
				len(ofCell) != want["cell"] {
				t.Errorf("%s, %d tables: of the table %q, of rows %q, of cells %q", name, len(list),
					ofTable, ofRow, ofCell)
			}
		}
	}
}
