package reports

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

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// contested compares the methods of an example.
func contested(t *testing.T, in infer.Input, o ContestOptions) *Contest {
	t.Helper()
	c, err := Contend(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// raced has seven conditions and eight seeds, so that all tests can decide, and curves that
// reach a target or do not.
func raced() *example {
	x := newExample("raced", "Seven partitions", accuracy, upload)
	for k, part := range []string{"IID", "Dir(5)", "Dir(1)", "Dir(0.5)", "Dir(0.3)", "Dir(0.1)", "Dir(0.05)"} {
		for m, method := range []string{"FedAvg (full)", "FedAvg", "FedProx", "FedIPW", "FedAVOT"} {
			c := study.Cell{Method: method, Point: at("partition", part), Clients: 20,
				Measures: []study.Measure{{Key: "accuracy"}, {Key: "upload"}}}
			if m == 0 {
				c.Role = "upper-bound"
			}
			gain := []float64{9, 0, 0.1, 2, 2.5}[m] * float64(k+4) / 5
			finals := shifted(around(uint64(k), 8, 85-4*float64(k), 1, 0.5), gain)
			finals = shifted(finals, around(uint64(90+10*k+m), 8, 0, 0.4, 0)...)
			x.add(c, finals, all(8, 30_000))
			for seed := range 8 {
				r := x.Results[idOf(method, c.Point, seed)]
				r.Rounds = []int{0, 10, 20, 30}
				v := finals[seed]
				r.Series[0].Values = engine.Floats{10, v - 20, v - 5, v}
				r.Series[1].Values = engine.Floats{0, 10_000, 20_000, 30_000}
			}
		}
	}
	x.Report.Final = 1
	x.Report.Baseline = "FedAvg"
	return x
}

// contests are comparisons to look at.
func contests() []struct {
	*example
	ContestOptions
} {
	type list = []struct {
		*example
		ContestOptions
	}
	goal := []Target{{"accuracy", 80}}
	return list{
		{raced(), ContestOptions{Targets: goal, Margin: 0.5}}, {figure(), ContestOptions{}},
		{swept(), ContestOptions{}}, {ablated(), ContestOptions{Targets: goal}},
		{labels(), ContestOptions{}}, {broken(), ContestOptions{Baseline: "fine"}},
		{short("two", 2), ContestOptions{Margin: 1}}, {short("one", 1), ContestOptions{}},
		{slight(), ContestOptions{}},
	}
}

func TestContestGolden(t *testing.T) {
	for _, x := range contests() {
		list := contested(t, x.Input, x.ContestOptions).Tables()
		golden(t, "contest."+x.name+".80.txt", written(t, list, onTerminal(80, false)))
		if x.name != "raced" {
			continue
		}
		golden(t, "contest.raced.color.txt", written(t, list, onTerminal(0, true)))
		golden(t, "contest.raced.md", written(t, list, Markdown))
		golden(t, "contest.raced.tex", written(t, list, LaTeX))
		golden(t, "contest.raced.csv", written(t, list, CSV))
	}
}

// Nothing that is printed for 80 columns is wider, and no line of Markdown has more cells than
// its header.
func TestContestsFit(t *testing.T) {
	for _, x := range contests() {
		list := contested(t, x.Input, x.ContestOptions).Tables()
		for line := range strings.Lines(string(written(t, list, onTerminal(80, false)))) {
			if line = strings.TrimSuffix(line, "\n"); width(line) > 80 {
				t.Errorf("%s: %d columns: %s", x.name, width(line), line)
			}
		}
		bars := 0
		for line := range strings.Lines(string(written(t, list, Markdown))) {
			switch {
			case !strings.HasPrefix(line, "|"):
				bars = 0
			case bars == 0:
				bars = len(cellsOf(line))
			case len(cellsOf(line)) != bars:
				t.Errorf("%s: %d cells instead of %d: %s", x.name, len(cellsOf(line)), bars, line)
			}
		}
	}
}

func TestContestsCompile(t *testing.T) {
	var body bytes.Buffer
	for _, x := range contests() {
		list := contested(t, x.Input, x.ContestOptions).Tables()
		body.Write(written(t, list, LaTeX))
		io.WriteString(&body, "\\clearpage\n")
	}
	for _, line := range trouble.FindAllString(compile(t, body.Bytes()), -1) {
		t.Error(line)
	}
}

func TestContestsReadBack(t *testing.T) {
	for _, x := range contests() {
		list := contested(t, x.Input, x.ContestOptions).Tables()
		first := written(t, list, JSON)
		var back []Table
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if second := written(t, back, JSON); !bytes.Equal(first, second) {
			t.Errorf("%s does not read back", x.name)
		}
		if null := nullList.Find(first); null != nil {
			t.Errorf("%s: a list that is empty reads %s", x.name, null)
		}
		records, err := csv.NewReader(bytes.NewReader(written(t, list, CSV))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cells := 1
		for _, table := range list {
			cells += len(table.Rows) * len(table.Columns)
		}
		if len(records) != cells {
			t.Errorf("%s: %d lines of CSV, want %d", x.name, len(records), cells)
		}
	}
}

// What is found overall is what a paired t test finds of each seed's mean over conditions, and
// what is found in each condition is what the table of the experiment says.
func TestContestIsPairedBySeed(t *testing.T) {
	x := raced()
	c := contested(t, x.Input, ContestOptions{})
	row := slices.IndexFunc(c.Overall.Rows, func(r Row) bool { return r.Method == "FedIPW" })
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
	near(t, "Δ", float64(got.Delta), want.Mean)
	near(t, "p before Holm", float64(got.Evidence.Raw), want.RawP)
	near(t, "d_z", float64(got.Evidence.Effect), infer.EffectSize(want.Mean, want.SD, 8))
	if got.N != 8 || got.Evidence.Family != 3 {
		t.Errorf("%d seeds, a family of %d", got.N, got.Evidence.Family)
	}
	for k, list := range tables(t, x.Input)[0].Rows[row].Cells {
		if k%2 == 0 {
			each := c.Each.Rows[row].Cells[k/2].Versus
			near(t, "Δ in a condition", float64(each.Delta), float64(list.Versus.Delta))
			near(t, "p in a condition", float64(each.P), float64(list.Versus.P))
		}
	}
}

// All are compared over the same conditions: one that is not complete for somebody who
// competes counts for nobody, and bounds and those who never finish take no condition away.
func TestContestUsesTheSameConditions(t *testing.T) {
	x := raced()
	hurt := func(method, part string) {
		delete(x.Results, idOf(method, at("partition", part), 3))
	}
	hurt("FedProx", "Dir(1)")
	hurt("FedAvg (full)", "Dir(5)")
	for _, part := range []string{"IID", "Dir(5)"} {
		c := study.Cell{Method: "never", Point: at("partition", part)}
		x.add(c, all(8, gone), all(8, gone))
	}
	c := contested(t, x.Input, ContestOptions{})
	if want := []bool{true, true, false, true, true, true, true}; !slices.Equal(c.Used, want) {
		t.Errorf("used %v, want %v", c.Used, want)
	}
	if c.Ranking.Conditions != 6 || slices.Contains(c.Ranking.Methods, "never") {
		t.Errorf("ranked %v over %d conditions", c.Ranking.Methods, c.Ranking.Conditions)
	}
	text := string(written(t, c.Tables(), onTerminal(0, false)))
	for _, want := range []string{"Dir(1) is left out", "not complete there: FedProx\n",
		"complete in no condition, and left out of all comparisons: never"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// What is found does not depend on the order of methods, and is turned round by the sign of a
// metric and its direction.
func TestContestIgnoresOrder(t *testing.T) {
	x, y := raced(), raced()
	slices.Reverse(y.Cells)
	slices.Reverse(y.IDs)
	for _, r := range y.Results {
		r.Series = slices.Clone(r.Series)
		r.Series[0].Higher = false
		for i := range r.Series[0].Values {
			r.Series[0].Values[i] *= -1
		}
	}
	a := contested(t, x.Input, ContestOptions{Targets: []Target{{"accuracy", 80}}})
	b := contested(t, y.Input, ContestOptions{Targets: []Target{{"accuracy", -80}}})
	for i, method := range a.Ranking.Methods {
		j := slices.Index(b.Ranking.Methods, method)
		near(t, "rank", float64(b.Ranking.Ranks[j]), float64(a.Ranking.Ranks[i]))
	}
	near(t, "χ²", float64(b.Ranking.ChiSquare), float64(a.Ranking.ChiSquare))
	for i, r := range a.Overall.Rows {
		k := slices.IndexFunc(b.Overall.Rows, func(o Row) bool { return o.Method == r.Method })
		u, v := r.Cells[0].Versus, b.Overall.Rows[k].Cells[0].Versus
		if u == nil {
			continue
		}
		near(t, "Δ", float64(v.Delta), -float64(u.Delta))
		near(t, "P(better)", float64(v.Evidence.Better), float64(u.Evidence.Better))
		if u.Outcome == infer.Significant {
			near(t, "p", float64(v.P), float64(u.P))
		}
		s, o := *a.Blocks.Rows[i].Cells[0].Standing, *b.Blocks.Rows[k].Cells[0].Standing
		if s.Wins != o.Wins || s.Losses != o.Losses {
			t.Errorf("%s: %d/%d and %d/%d", r.Method, s.Wins, s.Losses, o.Wins, o.Losses)
		}
		for c := range a.Course.Columns {
			reach, other := a.Course.Rows[i].Cells[c].Reach, b.Course.Rows[k].Cells[c].Reach
			if reach != nil && reach.Reached != other.Reached {
				t.Errorf("%s reaches its target %d and %d times", r.Method, reach.Reached, other.Reached)
			}
		}
	}
}

// An interval in words never hides on which side of zero it ends.
func TestIntervalsShowTheirSide(t *testing.T) {
	for _, c := range []struct {
		unit      string
		low, high float64
		want      string
	}{
		{"", -0.04, 2.04, "[−0.04, 2.04]"}, {"", 0, 2, "[0.0, 2.0]"}, {"", 0.004, 2, "[0.004, 2.000]"},
		{"%", -0.0004, 1, "[−0.0004, 1.0000]"}, {"%", 1, 2, "[1.00, 2.00]"},
		{"", -2e-9, 3e-5, "[−0.0002, 3.0000]e−5"}, {"", -1e6, 3e6, "[−1.0, 3.0]e6"},
		{"", 5, 5, "[5.000, 5.000]"}, {"", nan, 1, "—"}, {"", 0, math.Inf(1), "—"},
	} {
		s := style{unit: c.unit, digits: -1}
		if c.unit == "%" {
			s.digits = 2
		}
		if got := s.interval(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestContestRefuses(t *testing.T) {
	x := raced()
	for _, c := range []struct {
		o    ContestOptions
		want string
	}{
		{ContestOptions{Baseline: "FedAvgg"}, `did you mean "FedAvg"?`},
		{ContestOptions{Metric: "acuracy"}, `has the metric "acuracy"; did you mean "accuracy"?`},
		{ContestOptions{Metric: "upload"}, "neither more nor less is better"},
		{ContestOptions{Targets: []Target{{"accuracy", 0.9}}}, "is in percent"},
		{ContestOptions{Targets: []Target{{"upload", 3}}}, "neither more nor less"},
	} {
		if _, err := Contend(x.Input, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	x.Results = nil
	if _, err := Contend(x.Input, ContestOptions{}); err == nil {
		t.Error("nothing was run, and yet it is compared")
	}
	if _, err := Contend(infer.Input{}, ContestOptions{}); err == nil {
		t.Error("no cells")
	}
}

// What is degenerate neither panics nor claims anything.
func TestDegenerateContests(t *testing.T) {
	nan, five := math.NaN(), []float64{1, 2, 3, 4, 6}
	for name, methods := range map[string][][]float64{
		"one seed":        {{1}, {2}},
		"one method":      {five},
		"identical":       {all(5, 1), all(5, 1), all(5, 1)},
		"nothing finite":  {all(5, nan), all(5, math.Inf(1))},
		"some not finite": {five, {1, nan, 3, 4, 5}},
		"huge":            {all(5, 1e308), {1e308, -1e308, 1e308, 1, 2}},
		"tiny":            {all(5, 5e-324), five},
	} {
		for _, conditions := range []int{1, 7} {
			x := newExample(name, name, loss)
			for k := range conditions {
				for m, v := range methods {
					p := at("k", fmt.Sprint(k))
					x.add(study.Cell{Method: fmt.Sprint("method ", m), Point: p}, v)
				}
			}
			x.Report.Baseline = "method 0"
			o := ContestOptions{Targets: []Target{{"loss", -1e9}, {"loss", 1e300}}, Margin: 1e-9}
			c := contested(t, x.Input, o)
			for _, format := range []func(io.Writer, []Table) error{
				onTerminal(80, false), Markdown, LaTeX, CSV, JSON,
			} {
				written(t, c.Tables(), format)
			}
			for _, r := range c.Overall.Rows {
				if v := r.Cells[0].Versus; v != nil && v.Outcome == infer.Significant && name != "tiny" {
					t.Errorf("%s: %s is decided with p = %v", name, r.Method, v.P)
				}
			}
		}
	}
}
