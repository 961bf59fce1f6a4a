package leaderboard

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// hostile is a label that HTML, attributes and scripts would read as their own.
const hostile = `</script><script>alert(1)</script> "a" 'b' | & <b>zz`

// example is a board of a made-up run: five methods in some conditions with five seeds. "good" is
// better than the baseline everywhere, "bad" worse; "same" is the baseline; hostile lacks a seed in
// the first condition; "bound" does not compete.
func example(conditions int) *Board {
	x := reportstest.NewExample("made", "Made up", reportstest.Accuracy, reportstest.Upload)
	x.Report.Baseline = "FedAvg"
	x.Input.Command = "hansa run made.toml"
	for k := range conditions {
		at := reportstest.At("partition.alpha", fmt.Sprintf("α = %d", k+1))
		base := reportstest.Around(uint64(k), 5, 70+float64(k), 1, 0.9)
		for m, method := range []struct {
			label, aggregator string
			role              string
			gain              float64
		}{
			{"FedAvg", "fedavg", "", 0}, {"good", "fedadam", "", 3}, {"bad", "krum", "", -4},
			{"same", "fedavg", "", 0}, {hostile, "mine", "", 0.3}, {"bound", "fedavg", "upper-bound", 9},
		} {
			noise := reportstest.Around(uint64(100+10*k+m), 5, 0, 0.2, 0)
			values := make([]float64, 5)
			for i := range values {
				values[i] = base[i]
				if method.gain != 0 {
					values[i] += method.gain + noise[i]
				}
			}
			if method.label == hostile && k == 0 {
				values[3] = reportstest.Gone
			}
			cell := study.Cell{Method: method.label, Role: method.role, Point: at, Clients: 20,
				Rounds: 20, Picks: map[string]study.Pick{"aggregator": {Name: method.aggregator,
					Params: map[string]any{"weights": "uniform"}},
					"dataset": {Name: "glyphs", Params: map[string]any{"train": int64(100)}}}}
			x.Add(cell, values, reportstest.All(5, 1e6*float64(1+m%2)))
		}
	}
	for i, id := range x.IDs {
		if x.Results[id] != nil {
			x.Costs[id] = &engine.Cost{Uploaded: int64(1e6 * (1 + i/5%2)), Downloaded: 2e6,
				Timed: true, Clients: 3 + 0.25*float64(i%5), Server: 0.5}
		}
	}
	return &Board{Title: "Board", Runs: []infer.Run{{Name: "made", Input: x.Input}},
		Remake: "hansa leaderboard made", Describe: described,
		Command: func(_ int, c *study.Cell) string {
			return "hansa run made.toml --only 'method=" + c.Method + "' --only '" +
				c.Point[0].Filter() + "'"
		},
		Audit: func(_ int, method string) string {
			return "hansa audit made.toml --only 'method=" + method + "'"
		}}
}

// described tells of components.
func described(kind, name string) Component {
	c := Component{Kind: kind, Name: name}
	if name == "fedadam" {
		c.Summary, c.Paper, c.Departures = "adaptive rates", "Reddi et al., ICLR 2021", "none"
		c.Evidence = []Evidence{{"golden", "builtin TestA", "it has the numbers of another program"},
			{"golden", "builtin TestB", "and others"}, {"theorem", "builtin TestC", "a theorem"}}
	}
	return c
}

// site returns the files of a board, by name.
func siteOf(t *testing.T, b *Board) map[string]string {
	t.Helper()
	files, err := Files(b)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		if texts[f.Name] != "" {
			t.Fatalf("two files are called %s", f.Name)
		}
		texts[f.Name] = f.Text
	}
	return texts
}

var (
	inlined = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>`)
	drawn   = regexp.MustCompile(`(?s)<svg.*?</svg>`)
)

// The first page and one of each other kind are as they were, styles, scripts and figures apart.
func TestGolden(t *testing.T) {
	texts := siteOf(t, example(7))
	for _, name := range []string{"index.html", "condition-made-alpha-1.html", "method-good.html"} {
		got := drawn.ReplaceAllString(inlined.ReplaceAllString(texts[name], ""), "<svg/>")
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(path); err != nil || string(want) != got {
			t.Errorf("%s differs from what is written, %v; -update accepts it", path, err)
		}
	}
}

// Every mean has its number of seeds and its interval, every difference its interval, and the table
// says what was tuned.
func TestNumbersHaveIntervals(t *testing.T) {
	b := example(7)
	s := newSite(b)
	if err := s.compare(); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Groups[0].Conditions {
		for _, r := range c.Rows {
			if r.N == "" || r.Tuned != "nothing" || r.State == "" && !strings.HasPrefix(r.Interval, "[") {
				t.Errorf("%s, %s: n %q, mean %q, interval %q, tuned %q", c.Label, r.Label, r.N, r.Mean,
					r.Interval, r.Tuned)
			}
			if r.Role != "" && r.Delta != "" {
				t.Errorf("%s is compared", r.Label)
			}
			if r.Delta != "" && (!strings.HasPrefix(r.DeltaRange, "[") || r.DeltaN < 4) {
				t.Errorf("%s, %s: difference %q, interval %q of %d", c.Label, r.Label, r.Delta,
					r.DeltaRange, r.DeltaN)
			}
		}
	}
	for name, text := range siteOf(t, b) {
		if tables, n := strings.Count(text, "<caption>"), strings.Count(text, "Nothing was tuned"); n <
			tables-1 { // commands, or the list of methods, are no numbers
			t.Errorf("%s says %d times what was tuned, of %d tables", name, n, tables)
		}
	}
}

// A row of a condition as the example has it: the best set, the marks, the order.
func TestRows(t *testing.T) {
	s := newSite(example(7))
	if err := s.compare(); err != nil {
		t.Fatal(err)
	}
	g := s.Groups[0]
	marks := map[string]string{}
	var order []string
	for _, r := range g.Conditions[1].Rows {
		marks[r.Label] = r.Mark
		order = append(order, r.Label)
	}
	want := map[string]string{"FedAvg": "", "good": "▲", "bad": "▼", "same": "="}
	for label, mark := range want {
		if marks[label] != mark {
			t.Errorf("%s is marked %q, not %q", label, marks[label], mark)
		}
	}
	if order[0] != "good" || order[len(order)-1] != "bound" || order[len(order)-2] != "bad" {
		t.Errorf("the order is %q", order)
	}
	if best := g.Conditions[1].Best; len(best) != 1 || best[0] != "good" {
		t.Errorf("the best set is %q", best)
	}
	first := g.Conditions[0].Rows
	if r := first[len(first)-2]; r.Label != hostile || r.N != "4/5" || r.Best || r.class() != 1 {
		t.Errorf("what lacks a seed is %+v", r)
	}
	if !strings.Contains(string(g.Ranks), "<svg") || !strings.Contains(g.RanksNote, "n = 6 conditions") {
		t.Errorf("ranks: %.20s, %s", g.Ranks, g.RanksNote)
	}
}

// Runs whose settings differ stand beside each other; those that agree are one table.
func TestRunsAreGrouped(t *testing.T) {
	b := example(2)
	mine := example(2).Runs[0]
	mine.Name = "mine"
	for i := range mine.Cells {
		if mine.Cells[i].Method == "good" {
			mine.Cells[i].Method = "mine"
			mine.IDs[i] += " mine"
		}
	}
	for id, r := range b.Runs[0].Results {
		mine.Results[id+" mine"] = r
	}
	other := example(2).Runs[0]
	other.Name, other.Title = "other", "Other task"
	for i := range other.Cells {
		other.Cells[i].Picks = map[string]study.Pick{"dataset": {Name: "mnist"},
			"aggregator": {Name: "fedavg"}}
		other.IDs[i] += " other"
	}
	results := map[string]*engine.Result{}
	for id, r := range other.Results {
		results[id+" other"] = r
	}
	other.Results = results
	b.Runs = append(b.Runs, mine, other)
	s := newSite(b)
	if err := s.compare(); err != nil {
		t.Fatal(err)
	}
	if len(s.Groups) != 2 || len(s.Groups[0].runs) != 2 || s.Groups[0].plan.Row("mine") < 0 {
		t.Fatalf("groups are %v", together(b.Runs))
	}
	if texts := siteOf(t, b); texts["method-mine.html"] == "" || len(texts) != 1+4+7 {
		t.Errorf("%d files", len(texts))
	}
}

// Numbers of files are no larger than those of any system.
func TestNames(t *testing.T) {
	n := namer{}
	for _, c := range [][2]string{{"α = 0.1", "x-alpha-0-1.html"}, {"α = 0,1", "x-alpha-0-1-2.html"},
		{"../a", "x-a.html"}, {"", "x.html"}, {"Δ-FL", "x-delta-fl.html"}} {
		if got := n.name("x", c[0]); got != c[1] {
			t.Errorf("%q is called %s, not %s", c[0], got, c[1])
		}
	}
	if got := n.name("x", strings.Repeat("long ", 100)); len(got) > 100 {
		t.Errorf("%d letters", len(got))
	}
}

// A run without results, and a baseline that is none of the methods, are refused.
func TestMistakes(t *testing.T) {
	b := example(1)
	b.Baseline = "FedAvq"
	if _, err := Files(b); err == nil || !strings.Contains(err.Error(), `made: there is no method "FedAvq"`) {
		t.Errorf("a wrong baseline: %v", err)
	}
	b = example(1)
	clear(b.Runs[0].Results)
	if _, err := Files(b); err == nil || !strings.Contains(err.Error(), "nothing was run yet") {
		t.Errorf("no results: %v", err)
	}
	if _, err := Files(&Board{}); err == nil {
		t.Error("no runs are accepted")
	}
}

// Without a baseline there are means and the best set, and no differences.
func TestNoBaseline(t *testing.T) {
	b := example(2)
	b.Runs[0].Report.Baseline = ""
	for i := range b.Runs[0].Cells {
		if b.Runs[0].Cells[i].Method == "FedAvg" {
			b.Runs[0].Cells[i].Method = "mean"
		}
	}
	text := siteOf(t, b)["index.html"]
	if strings.Contains(text, "Δ from") || !strings.Contains(text, "best set") {
		t.Error("differences without a baseline, or no best set")
	}
}

// Costs in which methods do not differ are said, others are drawn.
func TestCosts(t *testing.T) {
	s := newSite(example(2))
	if err := s.compare(); err != nil {
		t.Fatal(err)
	}
	got, notes := map[string]bool{}, map[string]string{}
	for _, f := range s.Groups[0].Figures {
		got[f.Name], notes[f.Name] = f.SVG != "", f.Note
	}
	if len(got) != 5 || got["rounds"] || got["download"] || !got["upload"] {
		t.Errorf("figures are %v", got)
	}
	for name, want := range map[string]string{"clients": "3.500 s.", "server": "500.0 ms.",
		"rounds": ": 20."} {
		if !strings.HasSuffix(notes[name], want) {
			t.Errorf("the same of all: %s, want %s", notes[name], want)
		}
	}
	w := table.NewWriter(fl.Bytes, [][2]float64{{1e6, 3e6}})
	varied := infer.Sample{Values: []float64{1.9e6, 2e6, 2.1e6}}
	if got := spanned(&varied, fl.Bytes, w).Text; got != "2.0 MB [1.8 MB, 2.2 MB]" {
		t.Errorf("bytes are written %s", got)
	}
	varied.Values = []float64{1.9999e6, 2e6, 2.0001e6}
	if got := spanned(&varied, fl.Bytes, w).Text; got != "2.0 MB" {
		t.Errorf("bytes are written %s", got)
	}
	varied.Values = []float64{0.1, 0.2, 1.2}
	w = table.NewWriter("s", [][2]float64{{0, 2}})
	if got := spanned(&varied, "s", w).Text; !strings.Contains(got, " [0.0") {
		t.Errorf("seconds are written %s", got)
	}
	if axisLabel(&cost{Name: "upload", unit: fl.Bytes}) != "upload (MB)" || scaledCost(2e6, fl.Bytes) != 2 {
		t.Error("bytes are not in MB")
	}
}
