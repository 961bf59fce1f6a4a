package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// contests are comparisons to look at.
func contests() []struct {
	*reportstest.Example
	table.ComparisonOptions
} {
	type list = []struct {
		*reportstest.Example
		table.ComparisonOptions
	}
	goal := []table.Target{{Metric: "accuracy", Value: 80}}
	return list{
		{reportstest.SevenPartitions(), table.ComparisonOptions{Targets: goal, Margin: 0.5}}, {reportstest.Figure(), table.ComparisonOptions{}},
		{reportstest.Swept(), table.ComparisonOptions{}}, {reportstest.Ablated(), table.ComparisonOptions{Targets: goal}},
		{reportstest.Labels(), table.ComparisonOptions{}}, {reportstest.Broken(), table.ComparisonOptions{Baseline: "fine"}},
		{reportstest.Short("two", 2), table.ComparisonOptions{Margin: 1}}, {reportstest.Short("one", 1), table.ComparisonOptions{}},
		{reportstest.Slight(), table.ComparisonOptions{}},
	}
}

func TestComparisonGolden(t *testing.T) {
	for _, x := range contests() {
		list := reportstest.Compared(t, x.Input, x.ComparisonOptions).Tables()
		golden(t, "contest."+x.Name+".80.txt", reportstest.Written(t, list, onTerminal(80, false)))
		if x.Name != "raced" {
			continue
		}
		golden(t, "contest.raced.color.txt", reportstest.Written(t, list, onTerminal(0, true)))
		golden(t, "contest.raced.md", reportstest.Written(t, list, Markdown))
		golden(t, "contest.raced.tex", reportstest.Written(t, list, LaTeX))
		golden(t, "contest.raced.csv", reportstest.Written(t, list, CSV))
	}
}

// Nothing that is printed for 80 columns is wider, and no line of Markdown has more cells than
// its header.
func TestComparisonsFit(t *testing.T) {
	for _, x := range contests() {
		list := reportstest.Compared(t, x.Input, x.ComparisonOptions).Tables()
		for line := range strings.Lines(string(reportstest.Written(t, list, onTerminal(80, false)))) {
			if line = strings.TrimSuffix(line, "\n"); width(line) > 80 {
				t.Errorf("%s: %d columns: %s", x.Name, width(line), line)
			}
		}
		bars := 0
		for line := range strings.Lines(string(reportstest.Written(t, list, Markdown))) {
			switch {
			case !strings.HasPrefix(line, "|"):
				bars = 0
			case bars == 0:
				bars = len(cellsOf(line))
			case len(cellsOf(line)) != bars:
				t.Errorf("%s: %d cells instead of %d: %s", x.Name, len(cellsOf(line)), bars, line)
			}
		}
	}
}

func TestComparisonsCompile(t *testing.T) {
	var body bytes.Buffer
	for _, x := range contests() {
		list := reportstest.Compared(t, x.Input, x.ComparisonOptions).Tables()
		body.Write(reportstest.Written(t, list, LaTeX))
		io.WriteString(&body, "\\clearpage\n")
	}
	for _, line := range trouble.FindAllString(compile(t, body.Bytes()), -1) {
		t.Error(line)
	}
}

func TestComparisonsReadBack(t *testing.T) {
	for _, x := range contests() {
		list := reportstest.Compared(t, x.Input, x.ComparisonOptions).Tables()
		first := reportstest.Written(t, list, JSON)
		var back []table.Table
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if second := reportstest.Written(t, back, JSON); !bytes.Equal(first, second) {
			t.Errorf("%s does not read back", x.Name)
		}
		if null := nullList.Find(first); null != nil {
			t.Errorf("%s: a list that is empty reads %s", x.Name, null)
		}
		records, err := csv.NewReader(bytes.NewReader(reportstest.Written(t, list, CSV))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cells := 1
		for _, tab := range list {
			cells += len(tab.Rows) * len(tab.Columns)
		}
		if len(records) != cells {
			t.Errorf("%s: %d lines of CSV, want %d", x.Name, len(records), cells)
		}
	}
}

// What is found overall is what a paired t test finds of each seed's mean over conditions, and
// what is found in each condition is what the table of the experiment says.
func TestComparisonIsPairedBySeed(t *testing.T) {
	x := reportstest.SevenPartitions()
	c := reportstest.Compared(t, x.Input, table.ComparisonOptions{})
	row := slices.IndexFunc(c.Overall.Rows, func(r table.Row) bool { return r.Method == "FedIPW" })
	mean := func(method string) *infer.Sample {
		sums := make([]float64, 8)
		for i, cell := range x.Cells {
			if cell.Method == method {
				values := x.Results[x.IDs[i]].Series[0].Values
				sums[cell.Seed] += values[len(values)-1] / 7
			}
		}
		return &infer.Sample{Seeds: []uint64{0, 1, 2, 3, 4, 5, 6, 7}, Values: sums}
	}
	want := infer.ComparePaired(mean("FedIPW"), mean("FedAvg"))
	got := c.Overall.Rows[row].Cells[0].Versus
	reportstest.Near(t, "Δ", float64(got.Delta), want.Mean)
	reportstest.Near(t, "p before Holm", float64(got.Tests.Raw), want.RawP)
	reportstest.Near(t, "d_z", float64(got.Tests.Effect), infer.EffectSize(want.Mean, want.SD, 8))
	if got.N != 8 || got.Tests.Family != 3 {
		t.Errorf("%d seeds, a family of %d", got.N, got.Tests.Family)
	}
	for k, list := range reportstest.Tables(t, x.Input)[0].Rows[row].Cells {
		if k%2 == 0 {
			each := c.Each.Rows[row].Cells[k/2].Versus
			reportstest.Near(t, "Δ in a condition", float64(each.Delta), float64(list.Versus.Delta))
			reportstest.Near(t, "p in a condition", float64(each.P), float64(list.Versus.P))
		}
	}
}

// All are compared over the same conditions: one that is not complete for a competing method counts
// for none, and bounds and methods that never finish remove no condition.
func TestComparisonUsesTheSameConditions(t *testing.T) {
	x := reportstest.SevenPartitions()
	hurt := func(method, part string) {
		delete(x.Results, reportstest.IDOf(method, reportstest.At("partition", part), 3))
	}
	hurt("FedProx", "Dir(1)")
	hurt("FedAvg (full)", "Dir(5)")
	for _, part := range []string{"IID", "Dir(5)"} {
		c := study.Cell{Method: "never", Point: reportstest.At("partition", part)}
		x.Add(c, reportstest.All(8, reportstest.Gone), reportstest.All(8, reportstest.Gone))
	}
	c := reportstest.Compared(t, x.Input, table.ComparisonOptions{})
	if want := []bool{true, true, false, true, true, true, true}; !slices.Equal(c.Used, want) {
		t.Errorf("used %v, want %v", c.Used, want)
	}
	if c.Ranking.Conditions != 6 || slices.Contains(c.Ranking.Methods, "never") {
		t.Errorf("ranked %v over %d conditions", c.Ranking.Methods, c.Ranking.Conditions)
	}
	text := string(reportstest.Written(t, c.Tables(), onTerminal(0, false)))
	for _, want := range []string{"Dir(1) is left out", "not complete there: FedProx\n",
		"complete in no condition, and left out of all comparisons: never"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// What is found does not depend on the order of methods, and is turned round by the sign of a
// metric and its direction.
func TestComparisonIgnoresOrder(t *testing.T) {
	x, y := reportstest.SevenPartitions(), reportstest.SevenPartitions()
	slices.Reverse(y.Cells)
	slices.Reverse(y.IDs)
	for _, r := range y.Results {
		r.Series = slices.Clone(r.Series)
		r.Series[0].Higher = false
		for i := range r.Series[0].Values {
			r.Series[0].Values[i] *= -1
		}
	}
	a := reportstest.Compared(t, x.Input, table.ComparisonOptions{Targets: []table.Target{{Metric: "accuracy", Value: 80}}})
	b := reportstest.Compared(t, y.Input, table.ComparisonOptions{Targets: []table.Target{{Metric: "accuracy", Value: -80}}})
	for i, method := range a.Ranking.Methods {
		j := slices.Index(b.Ranking.Methods, method)
		reportstest.Near(t, "rank", float64(b.Ranking.Ranks[j]), float64(a.Ranking.Ranks[i]))
	}
	reportstest.Near(t, "χ²", float64(b.Ranking.ChiSquare), float64(a.Ranking.ChiSquare))
	for i, r := range a.Overall.Rows {
		k := slices.IndexFunc(b.Overall.Rows, func(o table.Row) bool { return o.Method == r.Method })
		u, v := r.Cells[0].Versus, b.Overall.Rows[k].Cells[0].Versus
		if u == nil {
			continue
		}
		reportstest.Near(t, "Δ", float64(v.Delta), -float64(u.Delta))
		reportstest.Near(t, "P(better)", float64(v.Tests.Better), float64(u.Tests.Better))
		if u.Outcome == infer.Significant {
			reportstest.Near(t, "p", float64(v.P), float64(u.P))
		}
		s, o := *a.Blocks.Rows[i].Cells[0].Standing, *b.Blocks.Rows[k].Cells[0].Standing
		if s.Wins != o.Wins || s.Losses != o.Losses {
			t.Errorf("%s: %d/%d and %d/%d", r.Method, s.Wins, s.Losses, o.Wins, o.Losses)
		}
		for c := range a.LearningCurve.Columns {
			reach, other := a.LearningCurve.Rows[i].Cells[c].Reach, b.LearningCurve.Rows[k].Cells[c].Reach
			if reach != nil && reach.Reached != other.Reached {
				t.Errorf("%s reaches its target %d and %d times", r.Method, reach.Reached, other.Reached)
			}
		}
	}
}

func TestComparisonRefuses(t *testing.T) {
	x := reportstest.SevenPartitions()
	for _, c := range []struct {
		o    table.ComparisonOptions
		want string
	}{
		{table.ComparisonOptions{Baseline: "FedAvgg"}, `did you mean "FedAvg"?`},
		{table.ComparisonOptions{Metric: "acuracy"}, `has the metric "acuracy"; did you mean "accuracy"?`},
		{table.ComparisonOptions{Metric: "upload"}, "neither more nor less is better"},
		{table.ComparisonOptions{Targets: []table.Target{{Metric: "accuracy", Value: 0.9}}}, "is in percent"},
		{table.ComparisonOptions{Targets: []table.Target{{Metric: "upload", Value: 3}}}, "neither more nor less"},
	} {
		if _, err := table.Compare(x.Input, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	x.Results = nil
	if _, err := table.Compare(x.Input, table.ComparisonOptions{}); err == nil {
		t.Error("nothing was run, and yet it is compared")
	}
	if _, err := table.Compare(infer.Input{}, table.ComparisonOptions{}); err == nil {
		t.Error("no cells")
	}
}

// What is degenerate neither panics nor claims anything.
func TestDegenerateComparisons(t *testing.T) {
	nan, five := math.NaN(), []float64{1, 2, 3, 4, 6}
	for name, methods := range map[string][][]float64{
		"one seed":        {{1}, {2}},
		"one method":      {five},
		"identical":       {reportstest.All(5, 1), reportstest.All(5, 1), reportstest.All(5, 1)},
		"nothing finite":  {reportstest.All(5, nan), reportstest.All(5, math.Inf(1))},
		"some not finite": {five, {1, nan, 3, 4, 5}},
		"huge":            {reportstest.All(5, 1e308), {1e308, -1e308, 1e308, 1, 2}},
		"tiny":            {reportstest.All(5, 5e-324), five},
	} {
		for _, conditions := range []int{1, 7} {
			x := reportstest.NewExample(name, name, reportstest.Loss)
			for k := range conditions {
				for m, v := range methods {
					p := reportstest.At("k", fmt.Sprint(k))
					x.Add(study.Cell{Method: fmt.Sprint("method ", m), Point: p}, v)
				}
			}
			x.Report.Baseline = "method 0"
			o := table.ComparisonOptions{Targets: []table.Target{{Metric: "loss", Value: -1e9}, {Metric: "loss", Value: 1e300}}, Margin: 1e-9}
			c := reportstest.Compared(t, x.Input, o)
			for _, format := range []func(io.Writer, []table.Table) error{
				onTerminal(80, false), Markdown, LaTeX, CSV, JSON,
			} {
				reportstest.Written(t, c.Tables(), format)
			}
			for _, r := range c.Overall.Rows {
				if v := r.Cells[0].Versus; v != nil && v.Outcome == infer.Significant && name != "tiny" {
					t.Errorf("%s: %s is decided with p = %v", name, r.Method, v.P)
				}
			}
		}
	}
}
