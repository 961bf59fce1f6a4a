package table_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// curve is an Input of one cell measured in the given rounds.
func curve(final int, rounds []int, series ...engine.Series) infer.Input {
	return infer.Input{Cells: []study.Cell{{Method: "m"}}, IDs: []string{"id"},
		Results: map[string]*engine.Result{"id": {Rounds: rounds, Series: series}},
		Report:  study.Report{Final: final, Metrics: []string{series[0].Key}}}
}

func TestFinalValue(t *testing.T) {
	rounds := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		name   string
		final  int
		unit   string
		rounds []int
		values engine.Floats
		want   float64
	}{
		{"mean of the last two", 2, "", rounds, engine.Floats{100, 4, 3, 2, 1}, 1.5},
		{"the last", 1, "", rounds, engine.Floats{100, 4, 3, 2, 1}, 1},
		{"unset counts as the last", 0, "", rounds, engine.Floats{100, 4, 3, 2, 1}, 1},
		{"never the one before training", 99, "", rounds, engine.Floats{100, 4, 3, 2, 1}, 2.5},
		{"unless there is no other", 99, "", []int{0}, engine.Floats{100}, 100},
		{"measured late", 99, "", []int{10, 20}, engine.Floats{3, 1}, 2},
		{"bytes are counted up", 3, "B", rounds, engine.Floats{0, 10, 20, 30, 40}, 40},
		{"so are seconds", 3, "s", rounds, engine.Floats{0, 1, 2, 3, 4.5}, 4.5},
		{"percent is not", 2, "%", rounds, engine.Floats{10, 20, 30, 40, 50}, 45},
	} {
		in := curve(c.final, c.rounds, engine.Series{Key: "x", Unit: c.unit, Values: c.values})
		cell := reportstest.Tables(t, in)[0].Rows[0].Cells[0]
		if float64(cell.Mean) != c.want || cell.N() != 1 {
			t.Errorf("%s: %v, want %v", c.name, cell.Mean, c.want)
		}
	}
}

func TestFinalReadsVolatileSeries(t *testing.T) {
	in := curve(1, []int{0, 5}, engine.Series{Key: "loss", Values: engine.Floats{2, 1}})
	in.Report.Metrics = []string{"loss", "time"}
	in.Volatile = map[string][]engine.Series{
		"id": {{Key: "time", Unit: "s", Values: engine.Floats{0, 12.5}}}}
	tab := reportstest.Tables(t, in)[0]
	if got := tab.Rows[0].Cells[1].Mean; got != 12.5 {
		t.Errorf("time is %v, want 12.5", got)
	}
	if c := tab.Columns[1]; c.Unit != "s" || c.Direction != infer.None || c.Primary {
		t.Errorf("column %+v", c)
	}
	in.Volatile = nil
	tab = reportstest.Tables(t, in)[0]
	if got := tab.Rows[0].Cells[1].State; got != table.Unmeasured {
		t.Errorf("without its series the cell is %q", got)
	}
}

func TestDescriptionsAreNotRanked(t *testing.T) {
	in := curve(1, []int{0, 5}, engine.Series{Key: "loss", Values: engine.Floats{2, 1}},
		engine.Series{Key: "sweeps", Describes: true, Values: engine.Floats{nan, 7}},
		engine.Series{Key: "plans", Describes: true, Values: engine.Floats{nan, nan}})
	in.Report.Metrics = []string{"loss", "sweeps", "plans"}
	tab := reportstest.Tables(t, in)[0]
	if c := tab.Columns[1]; c.Direction != infer.None {
		t.Errorf("sweeps are better %s", c.Direction)
	}
	told, silent := tab.Rows[0].Cells[1], tab.Rows[0].Cells[2]
	if told.Mean != 7 || told.Best || silent.State != table.Unmeasured {
		t.Errorf("measured %+v, without a value %+v", told, silent)
	}
}
