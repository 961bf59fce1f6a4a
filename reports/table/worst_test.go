package table_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// attacked is an example of two methods at two attacks and two skews, with three seeds.
func attacked() *reportstest.Example {
	x := reportstest.NewExample("attacked", "Attacks", reportstest.Accuracy, reportstest.Loss)
	add := func(method, attack, skew string, accuracy ...float64) {
		loss := make([]float64, len(accuracy))
		for k := range loss {
			loss[k] = 10 + accuracy[k]/100 // less accurate is a smaller loss here
		}
		x.Add(study.Cell{Method: method, Clients: 4,
			Point: reportstest.At("attack", attack, "skew", skew)}, accuracy, loss)
	}
	for _, skew := range []string{"IID", "skewed"} {
		add("mean", "none", skew, 90, 91, 92)
		add("mean", "signs", skew, 10, 95, 12)
		add("median", "none", skew, 80, 81, 82)
		add("median", "signs", skew, 70, 71, 72)
	}
	x.Report.Columns, x.Report.Worst, x.Report.Baseline = []string{"attack"}, "attack", "mean"
	return x
}

// At the worst point of an axis a method has, in every seed, all values of the run that is worst in
// the first metric; which that is a footnote says. The points themselves stay as they are.
func TestWorstOverAnAxis(t *testing.T) {
	x := attacked()
	list := reportstest.Tables(t, x.Input)
	if len(list) != 2 || len(list[0].Columns) != 6 {
		t.Fatalf("%d tables, %d columns", len(list), len(list[0].Columns))
	}
	for _, tab := range list {
		c := tab.Columns[4]
		if c.Point[0].Label != "worst" || c.Metric != "accuracy" || c.Direction != infer.Up {
			t.Errorf("the column is %+v", c)
		}
		mean, median := tab.Rows[0].Cells, tab.Rows[1].Cells
		if want := []table.Number{10, 91, 12}; !slices.Equal(mean[4].Values, want) {
			t.Errorf("worst of mean: %v, want %v", mean[4].Values, want)
		}
		if want := []table.Number{10.1, 10.91, 10.12}; !slices.Equal(mean[5].Values, want) {
			t.Errorf("loss there: %v, want that of the same runs, %v", mean[5].Values, want)
		}
		if median[4].Mean != 71 || median[4].Versus == nil {
			t.Errorf("worst of median: %+v", median[4])
		}
		said := strings.Join(texts(tab.Notes), "\n")
		for _, want := range []string{"worst: signs in 2 of 3 seeds, none in 1", "worst: signs\n",
			"in every seed the run at the point of attack with the worst accuracy, so that the mean " +
				"is no better than any of none, signs"} {
			if !strings.Contains(said+"\n", want) {
				t.Errorf("%q is not said in:\n%s", want, said)
			}
		}
	}
	x.Report.Worst = ""
	for k, without := range reportstest.Tables(t, x.Input) {
		for r := range without.Rows {
			for c := range without.Columns {
				if have := list[k].Rows[r].Cells[c].Mean; have != without.Rows[r].Cells[c].Mean {
					t.Errorf("beside the worst, %v changed to %v", without.Rows[r].Cells[c].Mean, have)
				}
			}
		}
	}
}

func texts(notes []table.Note) (all []string) {
	for _, n := range notes {
		all = append(all, n.Text)
	}
	return all
}

// What is worst: a run that diverged, or that measured no number; nothing before all points have a
// result; of a metric of which less is better the largest value; no point where the metric has no
// direction, or where some points of the axis are left out.
func TestWhatIsWorst(t *testing.T) {
	worst := func(x *reportstest.Example) *table.Cell {
		tab := reportstest.Tables(t, x.Input)[0]
		for c := range tab.Columns {
			if tab.Columns[c].Point[0].Label == "worst" {
				return &tab.Rows[0].Cells[c]
			}
		}
		return nil
	}
	none := reportstest.IDOf("mean", reportstest.At("attack", "none", "skew", "IID"), 0)
	x := attacked()
	delete(x.Results, none)
	if c := worst(x); c.State != table.Partial || c.N() != 2 {
		t.Errorf("without a result at one point: %+v", c)
	}
	x.Failures[none] = "round 3: client 1: NaN or Inf"
	if c := worst(x); c.State != table.Partial || c.N() != 2 {
		t.Errorf("a run diverged: %+v", c)
	}
	x = attacked()
	x.Results[none].Series[0].Values[2] = math.NaN()
	x.Results[none].Series[0].Values[1] = math.NaN()
	if c := worst(x); c.State != table.NotFinite {
		t.Errorf("a run has no number: %+v", c)
	}
	x = attacked()
	x.Report.Metrics = []string{"loss"}
	if c := worst(x); c.Mean != table.Number((10.9+10.95+10.92)/3) {
		t.Errorf("the worst loss is %v", c.Mean)
	}
	for id := range x.Results {
		x.Results[id].Series[1].Describes = true
	}
	if c := worst(x); c != nil {
		t.Errorf("a description has a worst value: %+v", c)
	}
	x = attacked()
	part, whole := x.Input, x.Cells
	part.Cells, part.IDs, part.Whole = nil, nil, whole
	for i, c := range whole {
		if c.Point[0].Label == "signs" {
			part.Cells, part.IDs = append(part.Cells, c), append(part.IDs, x.IDs[i])
		}
	}
	if tab := reportstest.Tables(t, part)[0]; len(tab.Columns) != 2 {
		t.Errorf("of a part of the axis there are %d columns", len(tab.Columns))
	}
}

// A claim may be about the worst of an axis, by its name; one that names no point of the axis is
// about the points of the file.
func TestClaimsAboutTheWorst(t *testing.T) {
	x := attacked()
	for _, c := range []struct {
		at      []string
		holds   verdict.Outcome
		n       int
		because string
	}{
		{[]string{"worst", "IID"}, verdict.Undecided, 1, "median − mean in accuracy at worst, IID"},
		{nil, verdict.Refuted, 4, ""},
		{[]string{"none"}, verdict.Refuted, 2, ""},
	} {
		e, wrong := claim.Parse("better(median, mean, accuracy)", &claim.Vocabulary{
			Methods: []string{"mean", "median"}, Metrics: []string{"accuracy"},
			Axes:    []string{"attack", "skew"},
			Suggest: func(string, []string) string { return "" }})
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		x.Claims = []study.Claim{{Source: "s", Says: "w", Expr: e, At: c.at,
			Holds: "better(median, mean, accuracy)"}}
		got := table.JudgeClaims("", &x.Input).Claims[0]
		if got.Verdict != c.holds || got.Statements != c.n || !strings.Contains(got.Of, c.because) {
			t.Errorf("at %v: %+v", c.at, got)
		}
	}
}
