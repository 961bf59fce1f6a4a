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
	_, err := table.Compare(x.Input, table.ComparisonOptions{
		Budgets: []table.Target{{Metric: "accuracy", Value: 1}}})
	if err == nil || err.Error() != `"accuracy" is no cost that is measured; these are: upload` {
		t.Errorf("accuracy as a budget: %v", err)
	}
}
