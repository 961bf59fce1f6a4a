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

// every returns 0, k, 2k … and the last round.
func every(k, last int) []int {
	var rounds []int
	for t := 0; t < last; t += k {
		rounds = append(rounds, t)
	}
	return append(rounds, last)
}

// A window is the last rounds: so many, or the last tenth and ten evaluations at most.
func TestWindowsAreOfRounds(t *testing.T) {
	for _, c := range []struct {
		final  int
		rounds []int
		want   string
	}{
		{0, every(1, 100), "rounds 91–100"}, {0, every(1, 1000), "rounds 991–1000"},
		{0, every(10, 2000), "rounds 1910–2000"}, {0, every(10, 200), "rounds 190 and 200"},
		{0, every(1, 20), "rounds 19–20"}, {0, every(1, 15), "rounds 14–15"},
		{0, every(1, 5), "round 5"}, {0, every(7, 20), "round 20"}, {0, []int{0}, "round 0"},
		{1, every(10, 100), "round 100"}, {100, every(1, 2000), "rounds 1901–2000"},
		{30, every(5, 150), "rounds 125–150"}, {999, every(1, 3), "rounds 1–3"},
	} {
		got := infer.SpanOf(infer.Window(c.final, c.rounds))
		if got.String() != c.want {
			t.Errorf("final %d of %v: %s, want %s", c.final, c.rounds, got, c.want)
		}
		if c.final == 0 && got.Evaluations > infer.MostEvaluations {
			t.Errorf("final %d: %d evaluations", c.final, got.Evaluations)
		}
	}
}

// measuredIn is an Input of methods with the same training, in rounds of their own, where each
// seed's value in a round is the round's number plus the seed, halved.
func measuredIn(rounds ...[]int) *reportstest.Example {
	x := reportstest.NewExample("trained", "trained", reportstest.Loss)
	x.Report = study.Report{Metrics: []string{"loss"}, Baseline: "a"}
	for m, list := range rounds {
		name := string(rune('a' + m))
		for seed := range 5 {
			c := study.Cell{Method: name, Seed: uint64(seed), Rounds: list[len(list)-1],
				Measures: []study.Measure{{Pick: study.Pick{Name: "loss"}, Key: "loss"}}}
			id := reportstest.IDOf(name, nil, seed)
			r := &engine.Result{ID: id, Rounds: list}
			s := reportstest.Loss
			for _, round := range list {
				s.Values = append(s.Values, float64(round+seed)/2)
			}
			r.Series = []engine.Series{s}
			x.Cells, x.IDs, x.Results[id] = append(x.Cells, c), append(x.IDs, id), r
		}
	}
	return x
}

// The same training, measured more seldom, is the same row: final values, areas and times to a
// target are of the rounds in which all methods were measured.
func TestMeasuringMoreSeldomChangesNothing(t *testing.T) {
	for _, final := range []int{0, 1, 7, 100} {
		x := measuredIn(every(1, 20), every(10, 20), every(7, 20), every(3, 20))
		x.Report.Final = final
		tab := reportstest.Tables(t, x.Input)[0]
		for _, row := range tab.Rows[1:] {
			if v := row.Cells[0].Versus; v == nil || v.Outcome != infer.Identical {
				t.Errorf("final %d: %s differs from itself: %+v", final, row.Method, v)
			}
		}
		const said = ", in which all methods were measured"
		if (final != 1) != strings.Contains(reportstest.LegendOf(&tab), said) {
			t.Errorf("final %d: %s", final, reportstest.LegendOf(&tab))
		}
		c := reportstest.Compared(t, x.Input, table.ComparisonOptions{Targets: []table.Target{{Metric: "loss", Value: 4}}})
		for k := range c.LearningCurve.Columns {
			for _, row := range c.LearningCurve.Rows {
				if row.Cells[k].Mean != c.LearningCurve.Rows[0].Cells[k].Mean {
					t.Errorf("final %d: %s of %s is %v, of the first %v", final,
						c.LearningCurve.Columns[k].Metric, row.Method, row.Cells[k].Mean,
						c.LearningCurve.Rows[0].Cells[k].Mean)
				}
			}
		}
	}
}

// What was not run yet has its rounds from the plan: the window does not depend on it.
func TestWindowsDoNotDependOnWhatIsDone(t *testing.T) {
	x := measuredIn(every(1, 20), every(10, 20))
	for i := range x.Cells {
		x.Cells[i].Every = 1
		if x.Cells[i].Method == "b" {
			x.Cells[i].Every = 10
			delete(x.Results, x.IDs[i])
		}
	}
	if got := reportstest.Tables(t, x.Input)[0].Columns[0].Rounds; got == nil || got.String() != "round 20" {
		t.Errorf("values are of %v", got)
	}
}

// A method with another number of rounds is shown by its own last rounds, and not ranked.
func TestOtherNumbersOfRoundsAreNotRanked(t *testing.T) {
	x := measuredIn(every(1, 20), every(1, 10), every(1, 20))
	table := reportstest.Tables(t, x.Input)[0]
	cell := table.Rows[1].Cells[0]
	if cell.Comparable || cell.Best || cell.Versus != nil || float64(cell.Mean) != 6 {
		t.Errorf("ten rounds: %+v", cell)
	}
	want := []string{"10 rounds instead of 20 (values of round 10): shown, neither ranked nor tested"}
	if got := reportstest.Noted(&table, table.Rows[1].Notes); !slices.Equal(got, want) {
		t.Errorf("noted %q", got)
	}
	if v := table.Rows[2].Cells[0].Versus; v == nil || v.Outcome != infer.Identical {
		t.Errorf("twenty rounds: %+v", v)
	}
	x.Report.Across = true
	table = reportstest.Tables(t, x.Input)[0]
	if table.Rows[1].Cells[0].Versus == nil || !strings.Contains(reportstest.LegendOf(&table),
		"ranked and tested though they measure something else: b (10 rounds instead of 20)") {
		t.Errorf("across: %s", reportstest.LegendOf(&table))
	}
}
