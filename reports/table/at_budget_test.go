package table_test

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// At a budget a method has what it had when it had spent no more: one that sends little its last
// value, one that sends much an early one. What is no cost is no budget.
func TestValuesAtABudget(t *testing.T) {
	x := reportstest.NewExample("budgets", "Budgets", reportstest.Accuracy, reportstest.Upload)
	for k, method := range []string{"much", "little"} {
		x.Add(study.Cell{Method: method, Clients: 4, Measures: []study.Measure{
			{Pick: study.Pick{Name: "accuracy"}, Key: "accuracy"},
			{Pick: study.Pick{Name: "upload"}, Key: "upload"}}},
			[]float64{80, 82, 84}, [][]float64{{1000, 1000, 1000}, {300, 300, 300}}[k])
	}
	for _, r := range x.Results {
		r.Series[0].Values = engine.Floats{10, r.Series[0].Values[2] / 2, r.Series[0].Values[2]}
	}
	o := table.ComparisonOptions{Budgets: []table.Target{{Metric: "upload", Value: 700},
		{Metric: "upload", Value: 499}}}
	tab := reportstest.Compared(t, x.Input, o).LearningCurve
	for k, want := range []struct {
		head         string
		much, little table.Number
	}{{"accuracy at upload = 700 B", 41, 82}, {"accuracy at upload = 499 B", 10, 82}} {
		c := len(tab.Columns) - 2 + k
		much, little := tab.Rows[0].Cells[c], tab.Rows[1].Cells[c]
		if tab.Columns[c].Metric != want.head || tab.Columns[c].Direction != infer.Up ||
			much.Mean != want.much || little.Mean != want.little || !little.Best || much.Best {
			t.Errorf("%+v: %+v and %+v", tab.Columns[c], much, little)
		}
	}
	if !strings.Contains(strings.Join(texts(tab.Notes), "\n"), "at a budget: the value at the last") {
		t.Errorf("nothing is said of budgets: %q", texts(tab.Notes))
	}
	for _, b := range []table.Target{{Metric: "bytes", Value: 700},
		{Metric: "bytes", Value: 700, Unit: "B"}} {
		again := reportstest.Compared(t, x.Input,
			table.ComparisonOptions{Budgets: []table.Target{b}}).LearningCurve
		if c := again.Columns[len(again.Columns)-1]; c.Metric != "accuracy at upload = 700 B" {
			t.Errorf("%+v: %+v", b, c)
		}
	}
	for want, b := range map[string]table.Target{
		`"upload" is in B, not in s`:                                    {Metric: "upload", Value: 1, Unit: "s"},
		`"virtual-time" is no cost that is measured; these are: upload`: {Metric: "hours", Value: 1},
	} {
		_, err := table.Compare(x.Input, table.ComparisonOptions{Budgets: []table.Target{b}})
		if err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", b, err, want)
		}
	}
	_, err := table.Compare(x.Input, table.ComparisonOptions{
		Budgets: []table.Target{{Metric: "accuracy", Value: 1}}})
	if err == nil || err.Error() != `"accuracy" is no cost that is measured; these are: upload` {
		t.Errorf("accuracy as a budget: %v", err)
	}
}

// Hours of virtual time are a cost as bytes are: a budget of them, of any unit of time, and the time
// to a target, under any key and by the short name.
func TestValuesAtHours(t *testing.T) {
	hours := engine.Series{Key: "time", Unit: "h"}
	x := reportstest.NewExample("hours", "Hours", reportstest.Accuracy, hours)
	for k, method := range []string{"slow", "fast"} {
		x.Add(study.Cell{Method: method, Clients: 4, Measures: []study.Measure{
			{Pick: study.Pick{Name: "accuracy"}, Key: "accuracy"},
			{Pick: study.Pick{Name: "virtual-time"}, Key: "time"}}},
			[]float64{80, 82, 84}, [][]float64{{4, 4, 4}, {1, 1, 1}}[k])
	}
	for _, r := range x.Results {
		r.Series[0].Values = engine.Floats{10, r.Series[0].Values[2] / 2, r.Series[0].Values[2]}
	}
	for _, b := range []table.Target{{Metric: "hours", Value: 2.5}, {Metric: "time", Value: 2.5},
		{Metric: "hours", Value: 9000, Unit: "s"}} {
		tab := reportstest.Compared(t, x.Input, table.ComparisonOptions{Budgets: []table.Target{b},
			Targets: []table.Target{{Metric: "accuracy", Value: 40}}}).LearningCurve
		heads := map[string]int{}
		for k, c := range tab.Columns {
			heads[c.Metric] = k
		}
		at, ok := heads["accuracy at time = 2.5 h"]
		to, also := heads["time to accuracy ≥ 40 %"]
		if !ok || !also {
			t.Fatalf("%+v: columns %v", b, heads)
		}
		slow, fast := tab.Rows[0].Cells, tab.Rows[1].Cells
		if slow[at].Mean != 41 || fast[at].Mean != 82 || slow[to].Mean <= fast[to].Mean {
			t.Errorf("%+v: %v and %v; to the target %v and %v", b, slow[at].Mean, fast[at].Mean,
				slow[to].Mean, fast[to].Mean)
		}
	}
}
