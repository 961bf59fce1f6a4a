package table_test

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// Three seeds are tested, as t has two degrees of freedom, and a note says how little that finds:
// the power of the test at what the note names is 80 %, and Wilcoxon's p is 1/4 at best.
func TestThreeSeedsAreTestedAndSayHowLittleThatFinds(t *testing.T) {
	x := reportstest.NewExample("three", "", reportstest.Loss)
	base := []float64{1, 2, 4}
	x.Add(study.Cell{Method: "a"}, base)
	x.Add(study.Cell{Method: "b"}, reportstest.Shifted(base, 3, 3.1, 3.2))
	x.Add(study.Cell{Method: "c"}, reportstest.Shifted(base, 0.5, -1, 0.25))
	x.Report.Baseline = "a"
	table := &reportstest.Tables(t, x.Input)[0]
	b, c := reportstest.Row(t, table, "b").Cells[0].Versus, reportstest.Row(t, table, "c").Cells[0].Versus
	// With two degrees of freedom p = 1 − t/√(t² + 2), here of t = 31√3; Holm doubles it.
	if want := 2 * (1 - 31*math.Sqrt(3)/math.Sqrt(31*31*3+2)); math.Abs(float64(b.P)-want) > 1e-12 {
		t.Errorf("p = %v, want %v", b.P, want)
	}
	if b.N != 3 || b.Outcome != infer.Significant || c.Outcome != infer.NotSignificant {
		t.Errorf("b is %+v, c is %+v", b, c)
	}
	size := infer.NewPlan(&x.Input).DetectableEffect(3, 2)
	want := fmt.Sprintf("3 seeds are few: a paired t test finds with 80 %% power differences of "+
		"%.1f of their standard deviations or more, and p of a Wilcoxon test cannot be below 0.25",
		size)
	if legend := reportstest.LegendOf(table); !strings.Contains(legend, want) {
		t.Errorf("no %q in\n%s", want, legend)
	}
	// The interval is the mean ± 4.3027 standard errors, which is t's quantile of two degrees of
	// freedom; those of b differ by 0.1, and c's are 0.5, −1 and 0.25.
	if want := "not adjusted: b [2.85, 3.35], c [−2.1, 1.9]"; !strings.Contains(reportstest.LegendOf(table), want) {
		t.Errorf("no %q in\n%s", want, reportstest.LegendOf(table))
	}
	if two := reportstest.LegendOf(&reportstest.Tables(t, reportstest.Short("two", 2).Input)[0]); !strings.Contains(two,
		"2 seeds: too few to test or rank, which takes 3") {
		t.Errorf("of two seeds: %s", two)
	}
}

// Over several points the note says between what half of the intervals lies.
func TestIntervalsOfThreeSeedsAtSeveralPoints(t *testing.T) {
	x := reportstest.NewExample("three", "", reportstest.Accuracy)
	base := []float64{1, 2, 4}
	for k, at := range []string{"k = 2", "k = 5"} {
		x.Add(study.Cell{Method: "a", Point: reportstest.At("k", at)}, base)
		d := []float64{3, 3.1, 3.2}
		x.Add(study.Cell{Method: "b", Point: reportstest.At("k", at)},
			reportstest.Shifted(base, d[0], d[1], d[2]+float64(k)))
	}
	x.Report.Baseline = "a"
	// 4.3027 standard errors of 3, 3.1, 3.2 and of 3, 3.1, 4.2.
	const want = "the differences, not adjusted: ± 0.25 pp to ± 1.7 pp; hansa compare shows each"
	legend := reportstest.LegendOf(&reportstest.Tables(t, x.Input)[0])
	if !strings.Contains(legend, want) {
		t.Errorf("no %q in\n%s", want, legend)
	}
}

var nan = math.NaN()

// onTerminal is render.Text with options.
func onTerminal(width int, color bool) func(io.Writer, []table.Table) error {
	return func(w io.Writer, list []table.Table) error {
		return render.Text(w, list, render.TextOptions{Width: width, Color: color})
	}
}
