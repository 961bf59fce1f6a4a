package table_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// asked is a measure by its name and parameters.
func asked(name, key string, params map[string]any) study.Measure {
	return study.Measure{Pick: study.Pick{Name: name, Params: params}, Key: key}
}

// tested is a cell of a method with a test file and p.
func tested(method, file, p string) study.Cell {
	return study.Cell{Method: method, Clients: 4, Measures: []study.Measure{asked("loss", "loss", nil)},
		Picks: map[string]study.Pick{
			"dataset":    {Name: "features", Params: map[string]any{"test": file, "rows": int64(3)}},
			"importance": {Name: p},
		}}
}

// mixture has methods of which not all measure the same, with eight seeds each: the better the
// later. The last three measure something else.
func mixture() *reportstest.Example {
	x := reportstest.NewExample("mixture", "mixture", reportstest.Loss)
	other := tested("other metric", "a.npy", "uniform")
	other.Measures = []study.Measure{asked("accuracy", "loss", nil)}
	for k, c := range []study.Cell{
		tested("first", "a.npy", "uniform"), tested("second", "a.npy", "uniform"),
		tested("third", "a.npy", "uniform"), tested("other test", "b.npy", "uniform"),
		tested("other p", "a.npy", "list"), other,
	} {
		x.Add(c, reportstest.Around(uint64(k), 8, 10-float64(k), 0.5, 0.5))
	}
	return x
}

// What measures something else is in no test, no rank and no family; a footnote names what
// differs.
func TestRowsThatMeasureSomethingElseAreNotRanked(t *testing.T) {
	notes := map[string]string{
		"other test":   `other test data: test = "b.npy" instead of "a.npy"`,
		"other p":      `other p: importance = "list" instead of "uniform"`,
		"other metric": "other metric: accuracy instead of loss",
	}
	for _, baseline := range []string{"first", ""} {
		x := mixture()
		x.Report.Baseline = baseline
		table := reportstest.Tables(t, x.Input)[0]
		for _, row := range table.Rows {
			cell, want := row.Cells[0], notes[row.Method]
			if cell.Comparable != (want == "") || cell.Best != (row.Method == "third") {
				t.Errorf("%q, %s: comparable = %t, best = %t", baseline, row.Method, cell.Comparable,
					cell.Best)
			}
			tests := baseline != "" && want == "" && row.Method != baseline
			if (cell.Versus != nil) != tests {
				t.Errorf("%q, %s: compared %+v", baseline, row.Method, cell.Versus)
			}
			if want == "" {
				continue
			}
			if got := reportstest.Noted(&table, row.Notes); len(got) != 1 ||
				got[0] != want+": shown, neither ranked nor tested" {
				t.Errorf("%s is noted %q", row.Method, got)
			}
		}
		if baseline != "" && !strings.Contains(reportstest.LegendOf(&table), "Holm-adjusted for 2 methods") {
			t.Errorf("the family is another one: %s", reportstest.LegendOf(&table))
		}
	}
}

// The same in comparisons over runs and conditions, and in the figure of differences.
func TestWhatMeasuresSomethingElseIsNotCompared(t *testing.T) {
	x := mixture()
	x.Report.Baseline = "first"
	c := reportstest.Compared(t, x.Input, table.ComparisonOptions{Targets: []table.Target{{Metric: "loss", Value: 8}}, Margin: 1})
	for _, tab := range c.Tables() {
		for r, row := range tab.Rows {
			for k, cell := range row.Cells {
				if r >= 3 && (cell.Best || cell.Versus != nil) {
					t.Errorf("%s: %s is compared in %s", tab.Title, row.Method,
						tab.Columns[k].Metric)
				}
			}
			if (r >= 3) != (len(row.Notes) > 0) {
				t.Errorf("%s: %s has the notes %v", tab.Title, row.Method, row.Notes)
			}
		}
	}
	if !strings.Contains(reportstest.LegendOf(&c.Overall), "best and next: third − second") {
		t.Errorf("the best is another one: %s", reportstest.LegendOf(&c.Overall))
	}
	forest, err := chart.Forest(x.Input, "")
	if err != nil {
		t.Fatal(err)
	}
	curves, err := chart.Curves(x.Input, chart.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const note = `not comparable: other test: other test data: test = "b.npy" instead of "a.npy"; other p: `
	if !strings.Contains(curves.Note, note) {
		t.Errorf("curves are noted %q", curves.Note)
	}
	if got := forest.Panels[0].Y.Names; !slices.Equal(got, []string{"second", "third"}) {
		t.Errorf("differences of %v are drawn", got)
	}
}

// Over conditions a method has no rank where it measures something else in all of them, and
// where it does so in some these are left out.
func TestRanksAreOfOneQuantity(t *testing.T) {
	x := reportstest.NewExample("conditions", "conditions", reportstest.Loss)
	x.Report.Baseline = "first"
	for k, name := range []string{"a", "b", "c"} {
		for m, method := range []string{"first", "second", "never", "once"} {
			file := "a.npy"
			if method == "never" || method == "once" && name == "c" {
				file = "b.npy"
			}
			c := tested(method, file, "uniform")
			c.Point = reportstest.At("k", name)
			x.Add(c, reportstest.Around(uint64(10*k+m), 8, 10-float64(m), 0.5, 0.5))
		}
	}
	c := reportstest.Compared(t, x.Input, table.ComparisonOptions{})
	if !slices.Equal(c.Used, []bool{true, true, false}) {
		t.Errorf("conditions used: %v", c.Used)
	}
	if got := c.Ranking.Methods; !slices.Equal(got, []string{"first", "second", "once"}) {
		t.Errorf("ranked are %v", got)
	}
	if !strings.Contains(reportstest.LegendOf(&c.Overall), "not complete or not comparable there: once") {
		t.Errorf("nothing says why c is left out: %s", reportstest.LegendOf(&c.Overall))
	}
}

// Without a baseline a column is of what most methods measure, of several the first.
func TestColumnsAreOfWhatMostMethodsMeasure(t *testing.T) {
	for _, c := range []struct {
		files string
		want  string // whether a row is comparable
	}{{"aab", "110"}, {"abb", "011"}, {"abc", "100"}, {"abab", "1010"}} {
		x := reportstest.NewExample("most", "most", reportstest.Loss)
		for k, file := range strings.Split(c.files, "") {
			x.Add(tested(string(rune('p'+k)), file, "uniform"), reportstest.All(5, float64(k)))
		}
		got := ""
		for _, row := range reportstest.Tables(t, x.Input)[0].Rows {
			if row.Cells[0].Comparable {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != c.want {
			t.Errorf("%s: comparable are %s, want %s", c.files, got, c.want)
		}
	}
}

// A column has the unit and the direction of what it is of, not of its first row.
func TestColumnsHaveTheUnitOfTheirQuantity(t *testing.T) {
	x := reportstest.NewExample("units", "units", reportstest.Loss)
	odd := tested("odd", "a", "uniform")
	odd.Measures[0].Name = "accuracy"
	x.Add(odd, reportstest.All(5, 70))
	x.Add(tested("p", "a", "uniform"), reportstest.All(5, 1))
	x.Add(tested("q", "a", "uniform"), reportstest.All(5, 2))
	for i := range x.Cells {
		if s := &x.Results[x.IDs[i]].Series[0]; x.Cells[i].Method == "odd" {
			s.Unit, s.Higher = "%", true
		}
	}
	if c := reportstest.Tables(t, x.Input)[0].Columns[0]; c.Unit != "" || c.Direction != infer.Down {
		t.Errorf("the column is in %q, better %s", c.Unit, c.Direction)
	}
}

// What reads a metric decides: a metric that does not read p is compared across other p. JSON
// says what a column measures.
func TestMetricsAreComparedByWhatTheyRead(t *testing.T) {
	x := mixture()
	x.Report.Baseline = "first"
	x.Quantity = func(c *study.Cell, m *study.Measure) study.Quantity {
		return c.Quantity(m, study.Traits{Reads: []string{study.OfTest}})
	}
	table := reportstest.Tables(t, x.Input)[0]
	for _, row := range table.Rows {
		if want := row.Method != "other test" && row.Method != "other metric"; row.Cells[0].Comparable != want {
			t.Errorf("%s: comparable = %t", row.Method, row.Cells[0].Comparable)
		}
	}
	text, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"comparable":false`, `"differs":["other test data: test = `,
		`{"name":"test data","settings":[{"path":"dataset","value":"features"}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// A report may go across what differs, and says so in one line.
func TestReportsAcrossDifferences(t *testing.T) {
	x := mixture()
	x.Report.Baseline, x.Report.Across = "first", true
	table := reportstest.Tables(t, x.Input)[0]
	for _, row := range table.Rows[1:] {
		if v := row.Cells[0].Versus; v == nil || v.Outcome != infer.Significant || len(row.Notes) > 0 {
			t.Errorf("%s: %+v, notes %v", row.Method, v, row.Notes)
		}
	}
	const want = "across = true: ranked and tested though they measure something else: other test " +
		`(other test data: test = "b.npy" instead of "a.npy"); other p (other p: importance = ` +
		`"list" instead of "uniform"); other metric (other metric: accuracy instead of loss)`
	if text := reportstest.LegendOf(&table); !strings.Contains(text, want) {
		t.Errorf("no line says it: %s", text)
	}
}

// Differences are named in the words of an experiment file, once each, and long ones cut.
func TestDifferencesInWords(t *testing.T) {
	long := make([]any, 40)
	for i := range long {
		long[i] = int64(i)
	}
	base := tested("m", "a", "uniform")
	m := asked("loss", "loss", map[string]any{"weighting": "samples"})
	for _, c := range []struct {
		change func(c *study.Cell, m *study.Measure)
		want   string
	}{
		{func(c *study.Cell, _ *study.Measure) { c.Clients = 9 },
			"other test data: clients = 9 instead of 4"},
		{func(_ *study.Cell, m *study.Measure) { m.Params = map[string]any{"weighting": "uniform"} },
			`other metric: weighting = "uniform" instead of "samples"`},
		{func(c *study.Cell, _ *study.Measure) {
			c.Picks["dataset"] = study.Pick{Name: "glyphs", Params: map[string]any{"deform": 2.0}}
		}, `other test data: dataset = "glyphs" instead of "features"`},
		{func(c *study.Cell, _ *study.Measure) { c.SameData, c.DataSeed = true, 5 },
			"other test data: data_seed = 5 instead of that of the run"},
		{func(c *study.Cell, _ *study.Measure) {
			c.Picks["dataset"].Params["rows"] = long
		}, "other test data: rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … 36, 37, 38, 39] instead of 3"},
	} {
		changed, other := tested("m", "a", "uniform"), m
		c.change(&changed, &other)
		q := changed.Quantity(&other, study.Traits{All: true})
		got := strings.Join(table.QuantityDifferences(q, base.Quantity(&m, study.Traits{All: true})), "; ")
		if got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
