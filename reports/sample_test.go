package reports

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
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
		{"floats are counted up", 3, "floats", rounds, engine.Floats{0, 10, 20, 30, 40}, 40},
		{"so are seconds", 3, "s", rounds, engine.Floats{0, 1, 2, 3, 4.5}, 4.5},
		{"percent is not", 2, "%", rounds, engine.Floats{10, 20, 30, 40, 50}, 45},
	} {
		in := curve(c.final, c.rounds, engine.Series{Key: "x", Unit: c.unit, Values: c.values})
		cell := tables(t, in)[0].Rows[0].Cells[0]
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
	table := tables(t, in)[0]
	if got := table.Rows[0].Cells[1].Mean; got != 12.5 {
		t.Errorf("time is %v, want 12.5", got)
	}
	if c := table.Columns[1]; c.Unit != "s" || c.Direction != infer.None || c.Primary {
		t.Errorf("column %+v", c)
	}
	in.Volatile = nil
	table = tables(t, in)[0]
	if got := table.Rows[0].Cells[1].State; got != Unmeasured {
		t.Errorf("without its series the cell is %q", got)
	}
}

func TestDescriptionsAreNotRanked(t *testing.T) {
	in := curve(1, []int{0, 5}, engine.Series{Key: "loss", Values: engine.Floats{2, 1}},
		engine.Series{Key: "sweeps", Describes: true, Values: engine.Floats{nan, 7}},
		engine.Series{Key: "plans", Describes: true, Values: engine.Floats{nan, nan}})
	in.Report.Metrics = []string{"loss", "sweeps", "plans"}
	table := tables(t, in)[0]
	if c := table.Columns[1]; c.Direction != infer.None {
		t.Errorf("sweeps are better %s", c.Direction)
	}
	told, silent := table.Rows[0].Cells[1], table.Rows[0].Cells[2]
	if told.Mean != 7 || told.Best || silent.State != Unmeasured {
		t.Errorf("told %+v, nothing to tell %+v", told, silent)
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name    string
		remarks []remark
		want    []string // text and share of 3 seeds
	}{
		{"none", nil, nil},
		{"the same", []remark{{1, "a 0.5"}, {2, "a 0.5"}, {3, "a 0.5"}},
			[]string{"a 0.5 (all 3 seeds)"}},
		{"some", []remark{{1, "a"}, {3, "a"}}, []string{"a (2 of 3 seeds)"}},
		{"numbers differ",
			[]remark{{1, "at 3e-4 of -2"}, {2, "at 1e-5 of -4"}, {3, "at 2e-5 of -2"}},
			[]string{"at 1e-5 to 3e-4 of -4 to -2 (all 3 seeds)"}},
		{"words differ", []remark{{1, "a 1"}, {2, "b 1"}},
			[]string{"a 1 (1 of 3 seeds)", "b 1 (1 of 3 seeds)"}},
		{"two of one seed", []remark{{1, "no 3"}, {1, "no 4"}, {2, "no 7"}},
			[]string{"no 3 to 7 (2 of 3 seeds)", "no 4 (1 of 3 seeds)"}},
		{"huge", []remark{{1, "1e999"}, {2, "5"}}, []string{"5 to 1e999 (2 of 3 seeds)"}},
	} {
		var got []string
		for _, m := range merge(c.remarks) {
			got = append(got, worded(m.text+m.share(3)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := (merged{seeds: []uint64{7}}).share(1); got != "" {
		t.Errorf("share of a single seed: %q", got)
	}
}
