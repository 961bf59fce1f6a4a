package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// costsOf returns the columns of costs of the first table of an input, by name.
func costsOf(t *testing.T, in infer.Input) (*table.Table, map[string]int) {
	t.Helper()
	tab := &reportstest.Tables(t, in)[0]
	columns := map[string]int{}
	for c := range tab.Columns {
		if tab.Columns[c].Cost {
			columns[tab.Columns[c].Metric] = c
		}
	}
	return tab, columns
}

// A table of one-shot methods shows what runs took, over all points, and ranks nothing of it.
func TestOneShotTablesShowCosts(t *testing.T) {
	x := reportstest.OneShot("shot")
	tab, columns := costsOf(t, x.Input)
	if len(columns) != 5 {
		t.Fatalf("columns of costs: %v", columns)
	}
	// IID: 0.04 s and Dir(0.1): 0.06 s, times 1.02 over the seeds 0 … 4.
	slot := reportstest.Row(t, tab, "SLOT")
	reportstest.Near(t, "seconds of clients", float64(slot.Cells[columns["clients"]].Mean), 3*1.04)
	reportstest.Near(t, "seconds of the server", float64(slot.Cells[columns["server"]].Mean), 0.05*1.02)
	reportstest.Near(t, "seconds of preprocessing", float64(slot.Cells[columns["preprocessing"]].Mean), 1.7)
	reportstest.Near(t, "upload", float64(slot.Cells[columns["upload"]].Mean), 2e6)
	reportstest.Near(t, "download", float64(slot.Cells[columns["download"]].Mean), 4e5)
	for r := range tab.Rows {
		for _, c := range columns {
			if cell := &tab.Rows[r].Cells[c]; cell.Best || cell.Versus != nil {
				t.Errorf("%s: %s is ranked or tested", tab.Rows[r].Method, tab.Columns[c].Metric)
			}
		}
	}
	states := []table.State{reportstest.Row(t, tab, "GH-OT").Cells[columns["upload"]].State,
		reportstest.Row(t, tab, "30 rounds").Cells[columns["server"]].State}
	if want := []table.State{table.Partial, table.Unmeasured}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	if legend := reportstest.LegendOf(tab); !strings.Contains(legend, "cost: mean over the 2 points") {
		t.Errorf("no word on costs in\n%s", legend)
	}
}

// Costs are shown where some method has one round, unless the report says otherwise; what a table
// shows as a metric it does not show again, and what no run took is no column.
func TestWhichCostsAreShown(t *testing.T) {
	yes, no := true, false
	one := func(change func(x *reportstest.Example)) string {
		x := reportstest.NewExample("costs", "", reportstest.Loss)
		for _, m := range []string{"a", "b"} {
			x.Add(study.Cell{Method: m, Rounds: 1}, []float64{1, 2, 3})
		}
		for _, id := range x.IDs {
			x.Costs[id] = &engine.Cost{Uploaded: 4, Downloaded: 8, Timed: true, Server: 0.5}
		}
		change(x)
		tab, _ := costsOf(t, x.Input)
		var names []string
		for _, c := range tab.Columns {
			names = append(names, c.Metric)
		}
		return strings.Join(names, " ")
	}
	rounds := func(n int) func(*reportstest.Example) {
		return func(x *reportstest.Example) {
			for i := range x.Cells {
				x.Cells[i].Rounds = n
			}
		}
	}
	for name, c := range map[string]struct {
		change func(x *reportstest.Example)
		want   string
	}{
		"one round":   {rounds(1), "loss upload download server"},
		"five rounds": {rounds(5), "loss"},
		"asked for": {func(x *reportstest.Example) {
			rounds(5)(x)
			x.Report.Cost = &yes
		}, "loss upload download server"},
		"not wanted": {func(x *reportstest.Example) { x.Report.Cost = &no }, "loss"},
		"not known":  {func(x *reportstest.Example) { clear(x.Costs) }, "loss"},
		"a metric": {func(x *reportstest.Example) {
			for i := range x.Cells {
				x.Cells[i].Measures = []study.Measure{{Key: "loss"},
					{Pick: study.Pick{Name: "upload"}, Key: "sent"}}
			}
			x.Report.Metrics = []string{"loss", "sent"}
		}, "loss sent download server"},
	} {
		if got := one(c.change); got != c.want {
			t.Errorf("%s: columns %q, want %q", name, got, c.want)
		}
	}
}
