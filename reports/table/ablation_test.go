package table_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// TestAblated checks by hand what ablated's golden files show.
func TestAblated(t *testing.T) {
	table := &reportstest.Tables(t, reportstest.Ablated().Input)[0]
	if table.Against != "parent" || table.Baseline != "" {
		t.Errorf("against %q, baseline %q", table.Against, table.Baseline)
	}
	const columns, accuracies, losses = 6, 3, 1 // columns, and steps between points and to loss
	for _, c := range []struct {
		method  string
		delta   float64 // of accuracy, in points; −0.02 of it is that of loss
		outcome infer.Outcome
	}{
		{"one place, longer", 1.4, infer.Untested}, {"O-FedAvg, + SLOT", 7.86, infer.Significant},
		{"O-FedAvg, + noise", 0.002, infer.NotSignificant}, {"O-FedAvg, + constant", -0.5, infer.Constant},
		{"O-FedAvg, + nothing", 0, infer.Identical}, {"O-FedProx, + SLOT", 12.7, infer.Significant},
	} {
		r := reportstest.Row(t, table, c.method)
		for k := 0; k < columns; k += accuracies {
			first, second := r.Cells[k].Versus, r.Cells[k+losses].Versus
			if k > 0 && r.Parent == "O-FedProx" {
				if first != nil || second != nil {
					t.Errorf("%s is compared with what is not complete", c.method)
				}
				continue
			}
			if first == nil || second == nil {
				t.Fatalf("%s, column %d: not compared", c.method, k)
			}
			if first.N != 5 || math.Abs(float64(first.Delta)-c.delta) > 1e-12 ||
				first.Outcome != c.outcome {
				t.Errorf("%s, column %d: %+v", c.method, k, first)
			}
			if math.Abs(float64(second.Delta)+0.02*c.delta) > 1e-12 ||
				second.Outcome != infer.Untested || !math.IsNaN(float64(second.P)) {
				t.Errorf("%s, loss: %+v", c.method, second)
			}
		}
	}
	for _, r := range table.Rows {
		for k, cell := range r.Cells {
			costs := table.Columns[k].Direction == infer.None
			if (costs || r.Parent == "") && cell.Versus != nil {
				t.Errorf("%s, column %d: compared", r.Method, k)
			}
		}
	}
}

// TestHolmOverAblations: p is Holm's over all ablations of a column, whichever methods they
// change, of Student's t over the differences from the method that each changes.
func TestHolmOverAblations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 21))
	decided, undecided := 0, 0
	for range 50 {
		x := reportstest.NewExample("family", "", reportstest.Loss, reportstest.Accuracy)
		values := map[string][]float64{}
		parents := map[string]string{"b, x": "b", "a, x": "a", "a, y": "a", "b, y": "b"}
		for _, label := range []string{"a", "b", "c", "a, x", "a, y", "b, x", "b, y"} {
			values[label] = reportstest.Around(rng.Uint64(), 6, 3+float64(rng.IntN(3))/5, 0.5, 0.8)
			x.Add(study.Cell{Method: label, Parent: parents[label]}, values[label], reportstest.All(6, 80))
		}
		x.Report.Against = "parent"
		table := &reportstest.Tables(t, x.Input)[0]
		raw := map[string]float64{}
		for label, parent := range parents {
			raw[label] = studentP(values[label], values[parent])
		}
		for label, p := range raw {
			v := reportstest.Row(t, table, label).Cells[0].Versus
			want := holmP(raw, p)
			if math.Abs(float64(v.P)-want) > 1e-12 {
				t.Fatalf("%s: p is %v, want %v", label, v.P, want)
			}
			if want < infer.Alpha {
				decided++
			} else {
				undecided++
			}
			if (v.Outcome == infer.Significant) != (want < infer.Alpha) {
				t.Errorf("%s: p = %v is %s", label, want, v.Outcome)
			}
		}
	}
	if decided < 20 || undecided < 20 {
		t.Errorf("%d decided, %d undecided", decided, undecided)
	}
}

// studentP is the two-sided p of the paired t test, as a textbook has it.
func studentP(a, b []float64) float64 {
	var d []float64
	for i := range a {
		d = append(d, a[i]-b[i])
	}
	n := float64(len(d))
	mean, sd := stat.MeanStdDev(d, nil)
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(mean)/(sd/math.Sqrt(n)))
}

// holmP is Holm's p of one of a family: the largest, over those not above it, of as many
// times each as there are not below it.
func holmP(family map[string]float64, p float64) float64 {
	largest := 0.0
	for _, q := range family {
		if q > p {
			continue
		}
		above := 0.0
		for _, other := range family {
			if other >= q {
				above++
			}
		}
		largest = max(largest, above*q)
	}
	return min(1, largest)
}

// TestFewSeedsShowDifferences without testing them.
func TestFewSeedsShowDifferences(t *testing.T) {
	for seeds, want := range map[int]string{
		1: "0.2900 (−0.0500)", 2: "0.290 ± 0 (−0.060)",
	} {
		x := reportstest.NewExample("few", "", reportstest.Loss)
		base := []float64{0.34, 0.36, 0.31}[:seeds]
		x.Add(study.Cell{Method: "a"}, base)
		x.Add(study.Cell{Method: "a, x", Parent: "a"}, reportstest.Shifted(base, -0.05, -0.07, -0.06))
		x.Report.Against = "parent"
		tab := &reportstest.Tables(t, x.Input)[0]
		if text := string(reportstest.Written(t, []table.Table{*tab}, render.Markdown)); !strings.Contains(text,
			"| a, x | "+want+" |") {
			t.Errorf("%d seeds: no %q in\n%s", seeds, want, text)
		}
		if legend := reportstest.LegendOf(tab); strings.Contains(legend, "***") ||
			!strings.Contains(legend, "( ): difference from the method that the row changes") {
			t.Errorf("%d seeds: %s", seeds, legend)
		}
	}
}

// TestParentElsewhere: where a filter removed the method that a row changes, or every
// ablation, nothing is compared and it is said why.
func TestParentElsewhere(t *testing.T) {
	for label, want := range map[string]string{
		"O-FedAvg, + SLOT": "not part of this table", "O-FedAvg": "nothing is compared",
	} {
		in := reportstest.Ablated().Input
		cells, ids := in.Cells, in.IDs
		in.Cells, in.IDs = nil, nil
		for i, c := range cells {
			if c.Method == label {
				in.Cells, in.IDs = append(in.Cells, c), append(in.IDs, ids[i])
			}
		}
		tab := &reportstest.Tables(t, in)[0]
		if slices.ContainsFunc(tab.Rows[0].Cells, func(c table.Cell) bool { return c.Versus != nil }) {
			t.Errorf("%s: compared", label)
		}
		legend := reportstest.LegendOf(tab)
		if !strings.Contains(legend, want) || strings.Contains(legend, "( )") {
			t.Errorf("%s: no %q in\n%s", label, want, legend)
		}
	}
}

// TestDifferenceLegend: parentheses, tests and signs are explained where they are printed.
func TestDifferenceLegend(t *testing.T) {
	for _, c := range []struct {
		x        *reportstest.Example
		has, not string
	}{
		{reportstest.Ablated(), "( ): difference from the method that the row changes", "baseline"},
		{reportstest.Ablated(), "Holm-adjusted for the ablations of a column; only accuracy is tested", "×"},
		{reportstest.Ablated(), "where the method that a row changes is not complete", "nothing is compared"},
		{reportstest.Ablated(), "; of percentages, in percentage points", "always"},
		{reportstest.Ablated(), "†: the same difference in every seed", "identical"},
		{reportstest.Slight(), "detect with 80 % power a difference of 4.3e−6 (FedAVOT, tight)", "pp"},
		{reportstest.Slight(), "Holm-adjusted for the ablations of a column\n", "only"},
	} {
		text := reportstest.LegendOf(&reportstest.Tables(t, c.x.Input)[0])
		if !strings.Contains(text, c.has) || strings.Contains(text, c.not) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.x.Name, c.has, c.not, text)
		}
	}
}
