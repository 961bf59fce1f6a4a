package table_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

func TestBuildRefuses(t *testing.T) {
	good := reportstest.Figure().Input
	for _, c := range []struct {
		spoil func(*infer.Input)
		want  string
	}{
		{func(in *infer.Input) { in.Cells = nil }, "no cells"},
		{func(in *infer.Input) { in.IDs = in.IDs[1:] }, "identities"},
		{func(in *infer.Input) { in.Report.Spread = "iqr" }, `spread "iqr"`},
		{func(in *infer.Input) { in.Report.Against = "child" }, `against "child"`},
		{func(in *infer.Input) { in.Report.Against = "parent" }, "a baseline, and against"},
		{func(in *infer.Input) { in.Report.Metrics = nil }, "no metrics"},
		{func(in *infer.Input) {
			in.Cells = slices.Clone(in.Cells)
			in.Cells[3].Point = reportstest.At("k", "2")
		}, "different axes"},
	} {
		in := good
		c.spoil(&in)
		if _, err := table.Build(in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestFigure checks by hand what figure's golden files show.
func TestFigure(t *testing.T) {
	table := &reportstest.Tables(t, reportstest.Figure().Input)[0]
	var order []string
	for _, r := range table.Rows {
		order = append(order, r.Method)
	}
	if want := []string{"FedAvg (full)", "FedAvg (K = 2)", "uniform", "scaled", "shifted",
		"the same", "FedAVOT", "FedAVOT, loose"}; !slices.Equal(order, want) {
		t.Errorf("rows %q, want %q", order, want)
	}
	uniform := reportstest.Row(t, table, "uniform").Cells[0]
	reportstest.Near(t, "mean", float64(uniform.Mean), 12.1)
	reportstest.Near(t, "sd", float64(uniform.SD), math.Sqrt(12.2/4)) // 1.1² + 2.1² + 0.9² + 0.1² + 2.4²
	reportstest.Near(t, "delta", float64(uniform.Versus.Delta), 0.1)
	reportstest.Near(t, "relative", float64(uniform.Versus.Relative), 0.1/12)
	if uniform.Versus.Outcome != infer.NotSignificant || !(uniform.Versus.Detectable > 1) {
		t.Errorf("uniform: %+v", uniform.Versus)
	}
	for label, want := range map[string]infer.Outcome{"scaled": infer.Significant, "shifted": infer.Constant,
		"the same": infer.Identical, "FedAVOT": infer.Significant, "FedAvg (full)": infer.Untested} {
		if got := reportstest.Row(t, table, label).Cells[0].Versus.Outcome; got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
	for i, r := range table.Rows {
		if got := r.Cells[0].Best; got != (r.Method == "FedAVOT") {
			t.Errorf("row %d, %s: best is %t", i, r.Method, got)
		}
		if r.Cells[1].Versus != nil || r.Cells[2].Best {
			t.Errorf("%s: secondary metrics are not compared, costs not ranked", r.Method)
		}
	}
	bound := reportstest.Row(t, table, "FedAvg (full)").Cells[0].Versus
	if !math.IsNaN(float64(bound.P)) || math.Abs(float64(bound.Delta)+11.969) > 1e-12 {
		t.Errorf("a bound is compared, not tested: %+v", bound)
	}
	if v := reportstest.Row(t, table, "FedAvg (K = 2)").Cells[0].Versus; v != nil {
		t.Errorf("the baseline is compared with itself: %+v", v)
	}
}

func TestStates(t *testing.T) {
	tab := &reportstest.Tables(t, reportstest.Broken().Input)[0]
	for label, want := range map[string][2]table.State{
		"fine": {table.Complete, table.Complete}, "diverges": {table.NotFinite, table.Complete},
		"overflows": {table.NotFinite, table.Complete}, "fails": {table.Failed, table.Failed},
		"fails and waits": {table.Failed, table.Failed}, "waits": {table.Missing, table.Missing},
		"half-way": {table.Partial, table.Partial}, "unmeasured": {table.Complete, table.Unmeasured},
	} {
		cells := reportstest.Row(t, tab, label).Cells
		if got := [2]table.State{cells[0].State, cells[1].State}; got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
		for _, c := range cells {
			if c.Best && c.State != table.Complete {
				t.Errorf("%s is %s and ranked", label, c.State)
			}
			if c.Planned != 5 {
				t.Errorf("%s: %d seeds planned", label, c.Planned)
			}
			if c.Versus != nil {
				t.Errorf("%s is compared with an incomplete baseline", label)
			}
		}
	}
	if mean := reportstest.Row(t, tab, "overflows").Cells[0].Mean; !math.IsInf(float64(mean), 1) {
		t.Errorf("mean %v of infinite values", mean)
	}
}

// TestAbsentCell: a method that is not part of the experiment at a point.
func TestAbsentCell(t *testing.T) {
	x := reportstest.NewExample("absent", "", reportstest.Loss)
	x.Add(study.Cell{Method: "a", Point: reportstest.At("k", "2")}, reportstest.All(5, 1))
	x.Add(study.Cell{Method: "a", Point: reportstest.At("k", "5")}, reportstest.All(5, 1))
	x.Add(study.Cell{Method: "b", Point: reportstest.At("k", "5")}, reportstest.All(5, 2))
	x.Results[reportstest.IDOf("b", reportstest.At("k", "5"), 0)].Notes = []string{"hm"}
	tab := &reportstest.Tables(t, x.Input)[0]
	b := reportstest.Row(t, tab, "b")
	if b.Cells[0].State != table.Absent || b.Cells[1].State != table.Complete {
		t.Errorf("states %q and %q", b.Cells[0].State, b.Cells[1].State)
	}
	if len(b.Cells[0].Notes) != 0 || len(b.Cells[1].Notes) != 1 || len(b.Notes) != 0 {
		t.Errorf("notes of b: %v, %v, %v", b.Cells[0].Notes, b.Cells[1].Notes, b.Notes)
	}
}

// TestSharedDataAreTold: ± over seeds that share their data says less, and says so.
func TestSharedDataAreTold(t *testing.T) {
	for _, same := range []bool{false, true} {
		x := reportstest.Swept()
		for i := range x.Cells {
			x.Cells[i].SameData = same
		}
		note := reportstest.Tables(t, x.Input)[0].Notes[0]
		if note.Term != "±" || strings.Contains(note.Text, "share their data") != same {
			t.Errorf("same data %t: %+v", same, note)
		}
	}
}

// TestNotesFindTheirPlace: at the row what holds at all points, else at the point.
func TestNotesFindTheirPlace(t *testing.T) {
	x := reportstest.Swept()
	for i, c := range x.Cells {
		r := x.Results[x.IDs[i]]
		if r == nil {
			continue
		}
		r.Notes = append(r.Notes, "of every row")
		if c.Method == "FedIPW" {
			r.Notes = append(r.Notes, "everywhere")
		}
		if c.Method == "FedIPW" && c.Point[1].Label == "IID" && c.Seed < 2 {
			r.Notes = append(r.Notes, "here and there")
		}
	}
	tab := &reportstest.Tables(t, x.Input)[0]
	r := reportstest.Row(t, tab, "FedIPW")
	if got := reportstest.Noted(tab, r.Notes); !slices.Equal(got, []string{
		"41 to 45 of 100 clients are enrolled (all 5 seeds)", "everywhere (all 5 seeds)",
		"observed: effective sample size 12 (8 to 214)"}) {
		t.Errorf("the row has %q", got)
	}
	if !slices.Contains(tab.Notes, table.Note{Text: "of every row (all 5 seeds)"}) {
		t.Errorf("what holds for every row is not said of the table: %v", tab.Notes)
	}
	for c, cell := range r.Cells {
		var want []string
		if c == 0 || c == 3 {
			want = []string{"here and there (2 of 5 seeds)"}
		}
		if got := reportstest.Noted(tab, cell.Notes); !slices.Equal(got, want) {
			t.Errorf("column %d has %q, want %q", c, got, want)
		}
	}
}

func TestBlocksAreTables(t *testing.T) {
	list := reportstest.Tables(t, reportstest.Blocks().Input)
	if len(list) != 2 {
		t.Fatalf("%d tables, want 2", len(list))
	}
	for i, k := range []string{"k = 2", "k = 5"} {
		if want := []infer.Coordinate{{Axis: "availability.k", Label: k}}; !slices.Equal(list[i].Block, want) {
			t.Errorf("table %d shows %v", i, list[i].Block)
		}
		if !slices.Equal(list[i].Axes, []string{"tau"}) || len(list[i].Columns) != 4 {
			t.Errorf("table %d: axes %v, %d columns", i, list[i].Axes, len(list[i].Columns))
		}
		if table.CountPoints(&list[i]) != 2 {
			t.Errorf("table %d has %d points", i, table.CountPoints(&list[i]))
		}
	}
}

// TestHiddenVariation: what is pooled is averaged within a seed, and said.
func TestHiddenVariation(t *testing.T) {
	tab := &reportstest.Tables(t, reportstest.Broken().Input)[0]
	mixed := reportstest.Row(t, tab, "mixed").Cells[0]
	if mixed.State != table.Complete || mixed.N() != 5 || mixed.Values[0] != 4.5 || mixed.Values[1] != 3 {
		t.Errorf("mixed: %+v", mixed)
	}
	want := []string{"averages over settings that differ in rounds (10, 20)"}
	if got := reportstest.Noted(tab, mixed.Notes); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	a := study.Cell{Method: "m", Picks: map[string]study.Pick{"aggregator": {Name: "fedavot",
		Params: map[string]any{"epsilon": 1e-9, "on": map[string]any{"a": int64(1)}}}}}
	b := a
	b.Picks = map[string]study.Pick{"aggregator": {Name: "fedavot",
		Params: map[string]any{"epsilon": 1e-9, "on": map[string]any{"a": int64(2)}}}}
	x := reportstest.NewExample("residue", "", reportstest.Loss)
	x.Add(a, reportstest.All(5, 1))
	x.Add(b, reportstest.All(5, 2))
	tab = &reportstest.Tables(t, x.Input)[0]
	want = []string{"averages over settings that differ in aggregator.on.a (1, 2)"}
	if got := reportstest.Noted(tab, tab.Rows[0].Cells[0].Notes); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

func TestReferenceNeedsAllItsLabels(t *testing.T) {
	table := &reportstest.Tables(t, reportstest.Swept().Input)[0]
	for _, r := range table.Rows {
		for c, cell := range r.Cells {
			if quoted := cell.Paper != nil; quoted != (r.Method == "FedIPW" && c == 1) {
				t.Errorf("%s, column %d: quoted is %t", r.Method, c, quoted)
			}
		}
	}
}

// TestBaselineElsewhere: a baseline that a filter removed is said to be missing.
func TestBaselineElsewhere(t *testing.T) {
	in := reportstest.Figure().Input
	in.Report.Baseline = "gone"
	tab := &reportstest.Tables(t, in)[0]
	if tab.Baseline != "" {
		t.Errorf("baseline %q", tab.Baseline)
	}
	text := string(reportstest.Written(t, []table.Table{*tab}, render.Markdown))
	if !strings.Contains(text, "the baseline, gone, is not part of this table") ||
		strings.Contains(text, "vs baseline") {
		t.Error(text)
	}
}

// TestLegend: what a table does is explained, and nothing that it does not do.
func TestLegend(t *testing.T) {
	percent := reportstest.NewExample("percent", "", reportstest.Accuracy)
	base := []float64{80, 82, 81, 83, 84}
	percent.Add(study.Cell{Method: "a", Role: "oracle"}, base)
	percent.Add(study.Cell{Method: "b"}, reportstest.Shifted(base, 2, 3))
	percent.Report.Baseline = "a"
	uneven := reportstest.Short("uneven", 2)
	uneven.Results[uneven.IDs[0]].Rounds = []int{0, 5, 15}
	single := reportstest.Short("uneven, the last", 2)
	single.Results[single.IDs[0]].Rounds, single.Report.Final = []int{0, 5, 15}, 1
	last := reportstest.Short("last", 2)
	last.Report.Final, last.Report.Spread = 1, "sem"
	for _, c := range []struct {
		x        *reportstest.Example
		has, not string
	}{
		{percent, "pp: percentage points", "×:"},
		{percent, "vs baseline: change of the mean against a; p from a paired t test over " +
			"seeds, Holm-adjusted for 1 method", "bold:"},
		{uneven, "values are means of the last 20 rounds", "evaluations"},
		{single, "values are those of the last round", "means"},
		{last, "values are those of round 20", "means"},
		{last, "±: standard error of the mean over 2 seeds", "deviation"},
		{reportstest.Short("one", 1), "1 seed: too few to test or rank, which takes 3", "±"},
		{reportstest.Figure(), "detect with 80 % power a difference of 2.5 (uniform)", "revisions"},
		{reportstest.Swept(), "a difference of 2.2 pp to 2.5 pp", "vs baseline"},
		{reportstest.Swept(), "=: no difference", "identical"},
		{reportstest.Swept(), "†: the same difference", "always"},
		{reportstest.Broken(), "results of 2 source revisions: 1a2b3c4, 5d6e7f8", "Holm-adjusted"},
	} {
		text := reportstest.LegendOf(&reportstest.Tables(t, c.x.Input)[0])
		if !strings.Contains(text, c.has) {
			t.Errorf("%s: no %q in\n%s", c.x.Name, c.has, text)
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q in\n%s", c.x.Name, c.not, text)
		}
	}
	table := &reportstest.Tables(t, percent.Input)[0]
	want := []string{"oracle: shown, neither ranked nor tested"}
	if got := reportstest.Noted(table, table.Rows[0].Notes); !slices.Equal(got, want) {
		t.Errorf("an unknown role reads %q", got)
	}
}

// TestIterateIsSaid: a column of the averaged iterate, or of the best evaluation, says so in its
// heading.
func TestIterateIsSaid(t *testing.T) {
	for said, m := range map[string]study.Measure{"average of θ": {Average: true},
		"best of all evaluations": {Best: true}} {
		m.Key = "suboptimality"
		x := reportstest.NewExample("iterate", "", reportstest.Loss, reportstest.Floor)
		measures := []study.Measure{{Key: "loss"}, m}
		x.Add(study.Cell{Method: "m", Measures: measures}, reportstest.All(5, 1),
			reportstest.All(5, 1))
		x.Report.Metrics = nil // all that is measured
		table := &reportstest.Tables(t, x.Input)[0]
		if len(table.Columns) != 2 || len(table.Columns[0].Notes) != 0 || !strings.Contains(
			strings.Join(reportstest.Noted(table, table.Columns[1].Notes), ""), said) {
			t.Errorf("%+v, %+v", table.Columns, table.Notes)
		}
	}
}
