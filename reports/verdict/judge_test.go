package verdict_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/verdict"
)

var update = flag.Bool("update", false, "rewrite what tests expect")

// A world is an input that grows method by method: values are by metric, point and seed.
type world struct {
	infer.Input
	axis   string
	labels []string
}

func newWorld(axis string, labels ...string) *world {
	return &world{axis: axis, labels: labels, Input: infer.Input{
		Results: map[string]*engine.Result{}, Failures: map[string]string{},
		Report: study.Report{Final: 1}, Quantity: measured}}
}

// measures are those of all cells. What is measured is told apart by the metric and by how many
// clients there are.
var measures = []study.Measure{measure("loss"), measure("accuracy"), measure("upload"), measure("skew")}

func measure(name string) study.Measure {
	return study.Measure{Pick: study.Pick{Name: name}, Key: name}
}

func measured(c *study.Cell, m *study.Measure) study.Quantity {
	return study.Quantity{
		{Name: study.OfMetric, Settings: []study.Setting{{Path: "metrics", Value: m.Name}}},
		{Name: study.OfTest, Settings: []study.Setting{{Path: "clients", Value: fmt.Sprint(c.Clients)}}},
	}
}

// add adds a method: one list of series for each point, and of these one for each seed. A seed
// without series has no result.
func (w *world) add(label, role string, points [][][]engine.Series) {
	for k, seeds := range points {
		var at []study.Coordinate
		if w.axis != "" {
			at = []study.Coordinate{{Axis: w.axis, Label: w.labels[k]}}
		}
		for seed, series := range seeds {
			id := fmt.Sprint(label, k, "/", seed)
			w.Cells = append(w.Cells, study.Cell{Method: label, Role: role, Point: at,
				Seed: uint64(seed), Rounds: 20, Every: 10, Measures: slices.Clone(measures)})
			w.IDs = append(w.IDs, id)
			if series != nil {
				w.Results[id] = &engine.Result{ID: id, Seed: uint64(seed), Rounds: []int{0, 10, 20},
					Series: series}
			}
		}
	}
}

// falling are series of a loss that falls to a value, of what is a hundred less that, and of costs.
func falling(last float64) []engine.Series {
	return []engine.Series{
		{Key: "loss", Values: engine.Floats{last + 2, last + 1, last}},
		{Key: "accuracy", Unit: "%", Higher: true, Values: engine.Floats{0, 50, 100 - last}},
		{Key: "upload", Unit: fl.Bytes, Values: engine.Floats{0, 500, 1000 * last}},
		{Key: "skew", Describes: true, Values: engine.Floats{0, 0, last}},
	}
}

// around are n seeds of falling, about a mean, of which a part is common to all methods.
func around(name uint64, n int, mean, sd float64) [][]engine.Series {
	common, own := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(1, name))
	list := make([][]engine.Series, n)
	for i := range list {
		list[i] = falling(mean + sd*(common.NormFloat64()+own.NormFloat64())/math.Sqrt2)
	}
	return list
}

// knownStudy has methods of known quality at four points.
func knownStudy() *world {
	w := newWorld("availability.k", "k = 1", "k = 2", "k = 4", "k = 8")
	each := func(f func(k float64, name uint64) [][]engine.Series) (points [][][]engine.Series) {
		for i, k := range []float64{1, 2, 4, 8} {
			points = append(points, f(k, uint64(10*len(w.Cells)+i)))
		}
		return points
	}
	add := func(label, role string, n int, sd float64, mean func(k float64) float64) {
		w.add(label, role, each(func(k float64, name uint64) [][]engine.Series {
			return around(name, n, mean(k), sd)
		}))
	}
	add("good", "", 5, 0.1, func(float64) float64 { return 5 })
	add("like good", "", 5, 0.1, func(float64) float64 { return 5.02 })
	add("bad", "", 5, 0.1, func(float64) float64 { return 7 })
	add("noisy", "", 5, 3, func(float64) float64 { return 5.5 })
	add("root", "", 5, 0.02, func(k float64) float64 { return 6 / math.Sqrt(k) })
	add("growing", "", 5, 0.05, func(k float64) float64 { return 5 + k/2 })
	add("exact", "upper-bound", 5, 0, func(float64) float64 { return 4 })
	add("exact again", "upper-bound", 5, 0, func(float64) float64 { return 4 })
	add("exact too", "upper-bound", 5, 0, func(k float64) float64 { return 4 + k })
	add("two seeds", "upper-bound", 2, 0.1, func(float64) float64 { return 5 })
	add("wild", "upper-bound", 5, 0, func(float64) float64 { return math.NaN() })
	w.add("waits", "upper-bound", each(func(float64, uint64) [][]engine.Series {
		return make([][]engine.Series, 5)
	}))
	w.add("fails", "upper-bound", each(func(float64, uint64) [][]engine.Series {
		return make([][]engine.Series, 5)
	}))
	add("elsewhere", "upper-bound", 5, 0.1, func(float64) float64 { return 4 })
	add("two metrics", "upper-bound", 5, 0.1, func(float64) float64 { return 4 })
	add("two tests", "upper-bound", 5, 0.02, func(k float64) float64 { return 5 + k })
	for i := range w.Cells {
		c := &w.Cells[i]
		last := c.Point[0].Label == "k = 8"
		switch {
		case c.Method == "elsewhere", c.Method == "two tests" && last:
			c.Clients = 7
		case c.Method == "two metrics" && last:
			c.Measures[0].Name = "accuracy"
		}
	}
	for _, id := range w.IDs {
		if strings.HasPrefix(id, "fails") {
			w.Failures[id] = "data: pacs: no such file"
		}
	}
	return w
}

// claimed reads a claim about the methods of an input.
func claimed(t *testing.T, w *world, holds string, at ...string) study.Claim {
	t.Helper()
	v := claim.Vocabulary{}
	if w.axis != "" {
		v.Axes = []string{w.axis}
	}
	e, problems := claim.Parse(holds, &v)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", holds, problems)
	}
	return study.Claim{Source: "§4", Says: "so it is", Holds: holds, At: at, Expr: e}
}

// split returns the labels that are written with | between them.
func split(at string) []string {
	if at == "" {
		return nil
	}
	return strings.Split(at, "|")
}

// knownVerdicts are claims about knownStudy, with the points that they are about and their
// verdicts.
var knownVerdicts = []struct {
	holds, at string
	want      verdict.Outcome
}{
	{"better(good, bad, loss)", "", verdict.Holds},
	{"better(good, bad, accuracy, by = 1.5)", "", verdict.Holds},
	{"better(good, bad, upload, by = 20 %)", "k = 2", verdict.Holds},
	{"better(bad, good, loss)", "", verdict.Refuted},
	{"better(good, bad, loss, by = 3)", "k = 1", verdict.Refuted},
	{"better(good, noisy, loss)", "k = 1", verdict.Undecided},
	{"better(good, fails, loss)", "", verdict.CannotRun},
	{"worse(bad, good, loss)", "", verdict.Holds},
	{"worse(good, bad, accuracy)", "k = 8", verdict.Refuted},
	{"worse(noisy, good, loss)", "k = 4", verdict.Undecided},
	{"worse(absent, good, loss)", "", verdict.CannotRun},
	{"order(exact > good > bad, loss)", "", verdict.Holds},
	{"order(good > exact > bad, loss)", "", verdict.Refuted},
	{"order(exact > good > noisy, loss)", "k = 2", verdict.Undecided},
	{"order(exact > good > fails, loss)", "k = 2", verdict.CannotRun},
	{"equivalent(like good, good, loss, within = 10 %)", "", verdict.Holds},
	{"equivalent(bad, good, loss, within = 0.5)", "k = 1", verdict.Refuted},
	{"equivalent(noisy, good, loss, within = 10 %)", "k = 1", verdict.Undecided},
	{"equivalent(fails, good, loss, within = 10 %)", "k = 1", verdict.CannotRun},
	{"increases(loss, over = k, of = growing)", "", verdict.Holds},
	{"increases(accuracy, over = k, of = growing)", "", verdict.Refuted},
	{"increases(loss, over = k, of = noisy)", "", verdict.Undecided},
	{"increases(loss, over = k, of = fails)", "", verdict.CannotRun},
	{"decreases(loss, over = k, of = root)", "", verdict.Holds},
	{"decreases(loss, over = k, of = growing)", "", verdict.Refuted},
	{"decreases(loss, over = k)", "", verdict.Refuted},
	{"decreases(loss, over = k, of = like good)", "", verdict.Undecided},
	{"decreases(nothing, over = k, of = good)", "", verdict.CannotRun},
	{"constant(loss, over = k, within = 10 %, of = good)", "", verdict.Holds},
	{"constant(loss, over = k, within = 10 %, of = growing)", "", verdict.Refuted},
	{"constant(loss, over = k, within = 10 %, of = noisy)", "", verdict.Undecided},
	{"constant(loss, over = k, within = 10 %, of = fails)", "", verdict.CannotRun},
	{"reaches(good, loss, <= 5.5, by = round 20)", "", verdict.Holds},
	{"reaches(good, accuracy, >= 94, by = round 100)", "", verdict.Holds},
	{"reaches(good, loss, <= 5.5, by = round 10)", "k = 2", verdict.Refuted},
	{"reaches(noisy, loss, <= 5.5)", "k = 2", verdict.Undecided},
	{"reaches(good, loss, <= 4.5, by = round 100)", "k = 2", verdict.CannotRun},
	{"value(good, loss, = 5 ± 0.3)", "", verdict.Holds},
	{"value(good, loss, >= 4)", "", verdict.Holds},
	{"value(good, loss, = 6 ± 5 %)", "k = 1", verdict.Refuted},
	{"value(noisy, loss, <= 6)", "k = 1", verdict.Undecided},
	{"value(good, nothing, <= 6)", "k = 1", verdict.CannotRun},
	{"exponent(root, loss, over = k, = -0.5 ± 0.05)", "", verdict.Holds},
	{"exponent(root, loss, over = k, <= -0.4)", "", verdict.Holds},
	{"exponent(growing, loss, over = k, = -0.5 ± 0.05)", "", verdict.Refuted},
	{"exponent(good, loss, over = k, <= 0)", "", verdict.Undecided},
	{"exponent(fails, loss, over = k, <= 0)", "", verdict.CannotRun},

	{"better(exact, exact too, loss)", "", verdict.Holds},
	{"better(exact, exact again, loss)", "", verdict.Refuted},
	{"equivalent(exact, exact again, loss, within = 1e-9)", "", verdict.Holds},
	{"increases(loss, over = k, of = exact too)", "", verdict.Holds},
	{"increases(loss, over = k, of = exact)", "", verdict.Refuted},
	{"constant(loss, over = k, within = 1e-6, of = exact)", "", verdict.Holds},
	{"value(exact, loss, = 4 ± 1e-6) and better(good, bad, loss)", "", verdict.Holds},
	{"value(exact, loss, <= 3) and better(good, noisy, loss)", "", verdict.Refuted},
	{"exponent(exact, loss, over = k, = 0 ± 0.1)", "", verdict.Holds},
	{"increases(loss, over = k, of = growing)", "k = 1|k = 8", verdict.Holds}, // by a t test
	{"better(two seeds, bad, loss)", "", verdict.Undecided},
	{"increases(loss, over = k, of = two seeds)", "", verdict.Undecided},
	{"better(good, wild, loss)", "", verdict.Undecided},
	{"better(good, waits, loss)", "", verdict.Undecided},
	{"better(good, bad, skew)", "", verdict.Undecided},
	{"exponent(wild, loss, over = k, <= 0)", "", verdict.Undecided},

	{"increases(loss, over = k, of = growing - good)", "", verdict.Holds},
	{"increases(loss, over = k, of = growing - good)", "k = 1|k = 8", verdict.Holds}, // by a t test
	{"increases(loss, over = k, of = good - growing)", "", verdict.Refuted},
	{"increases(loss, over = k, of = bad - good)", "", verdict.Undecided},
	{"increases(loss, over = k, of = fails - good)", "", verdict.CannotRun},
	{"decreases(accuracy, over = k, of = growing - good)", "", verdict.Holds},
	{"decreases(loss, over = k, of = growing - good)", "", verdict.Refuted},
	{"decreases(loss, over = k, of = noisy - good)", "", verdict.Undecided},
	{"decreases(loss, over = k, of = good - missing)", "", verdict.CannotRun},
	{"constant(loss, over = k, within = 0.5, of = bad - good)", "", verdict.Holds},
	{"constant(loss, over = k, within = 10 %, of = growing - good)", "", verdict.Refuted},
	{"constant(loss, over = k, within = 10 %, of = noisy - good)", "", verdict.Undecided},
	{"constant(loss, over = k, within = 10 %, of = good - fails)", "", verdict.CannotRun},
	{"value(bad - good, loss, >= 1)", "", verdict.Holds},
	{"value(bad - good, loss, = 5 ± 10 %)", "k = 1", verdict.Refuted},
	{"value(noisy - good, loss, >= 0)", "k = 1", verdict.Undecided},
	{"value(bad - good, nothing, >= 1)", "k = 1", verdict.CannotRun},
	{"value(exact too - exact, loss, = 8 ± 1e-9)", "k = 8", verdict.Holds},
	{"increases(loss, over = k, of = exact too - exact)", "", verdict.Holds},
	{"increases(loss, over = k, of = exact - exact again)", "", verdict.Refuted},
	{"increases(loss, over = k, of = two seeds - good)", "", verdict.Undecided},

	{"better(good - bad, exact - exact too, loss)", "k = 1", verdict.Holds},
	{"better(good - bad, like good - good, accuracy, by = 1.5)", "", verdict.Holds},
	{"better(like good - good, good - bad, loss)", "", verdict.Refuted},
	{"better(good - bad, noisy - bad, loss)", "k = 1", verdict.Undecided},
	{"better(good - bad, fails - bad, loss)", "k = 1", verdict.CannotRun},
	{"better(good - bad, good - two seeds, loss)", "k = 1", verdict.Undecided},
	{"worse(like good - good, good - bad, loss)", "", verdict.Holds},
	{"worse(good - bad, like good - good, accuracy)", "k = 8", verdict.Refuted},
	{"worse(noisy - bad, good - bad, loss)", "k = 4", verdict.Undecided},
	{"worse(good - absent, good - bad, loss)", "", verdict.CannotRun},
	{"order(good - bad > good - growing > bad - good, loss)", "k = 1", verdict.Holds},
	{"order(bad - good > good - growing > good - bad, loss)", "k = 1", verdict.Refuted},
	{"order(good - bad > noisy - bad > bad - good, loss)", "k = 2", verdict.Undecided},
	{"order(good - bad > waits - bad > bad - good, loss)", "k = 2", verdict.Undecided},
	{"equivalent(bad - good, bad - like good, loss, within = 10 %)", "", verdict.Holds},
	{"equivalent(bad - good, bad - like good, loss, within = 0.2)", "", verdict.Holds},
	{"equivalent(bad - good, good - bad, loss, within = 10 %)", "k = 1", verdict.Refuted},
	{"equivalent(noisy - good, bad - good, loss, within = 0.5)", "k = 1", verdict.Undecided},
	{"equivalent(bad - good, bad - fails, loss, within = 1)", "k = 1", verdict.CannotRun},
	{"better(exact - exact too, exact - exact again, loss)", "", verdict.Holds},
	{"better(exact - exact too, exact again - exact too, loss)", "", verdict.Refuted},
	{"equivalent(exact too - exact, exact too - exact again, loss, within = 1e-9)", "", verdict.Holds},
	{"better(good - elsewhere, good - bad, loss)", "", verdict.Incomparable},
	{"worse(elsewhere - good, bad - good, loss)", "", verdict.Incomparable},
	{"order(good - bad > bad - elsewhere, loss)", "", verdict.Incomparable},
	{"equivalent(good - bad, bad - elsewhere, loss, within = 1)", "k = 1", verdict.Incomparable},

	{"better(elsewhere, good, loss)", "", verdict.Incomparable},
	{"worse(elsewhere, good, loss)", "", verdict.Incomparable},
	{"order(good > bad > elsewhere, loss)", "", verdict.Incomparable},
	{"equivalent(elsewhere, good, loss, within = 10 %)", "k = 1", verdict.Incomparable},
	{"increases(loss, over = k, of = good - elsewhere)", "", verdict.Incomparable},
	{"decreases(loss, over = k, of = two metrics)", "", verdict.Incomparable},
	{"constant(loss, over = k, within = 10 %, of = two metrics)", "", verdict.Incomparable},
	{"value(elsewhere - good, loss, <= 3)", "k = 1", verdict.Incomparable},
	{"exponent(two metrics, loss, over = k, <= 0)", "", verdict.Incomparable},
	{"value(elsewhere, loss, <= 5)", "", verdict.Holds},
	{"better(good, bad, loss)", "k = 16", verdict.CannotRun},
	{"better(good, bad, loss)", "k = 2|k = 16", verdict.CannotRun},
	{"increases(loss, over = k, of = elsewhere)", "", verdict.Undecided},
	{"increases(loss, over = k, of = two tests)", "", verdict.Holds},
	{"decreases(loss, over = k, of = two metrics)", "k = 1|k = 2", verdict.Undecided},
}

// Every predicate has every verdict, with the words that tell of it.
func TestEveryPredicateAndVerdict(t *testing.T) {
	w := knownStudy()
	var b strings.Builder
	seen := map[string]bool{}
	judge := func(in *infer.Input, holds, at, only string, want verdict.Outcome) {
		v := verdict.Judge(in, []study.Claim{claimed(t, w, holds, split(at)...)})[0]
		if v.Verdict != want {
			t.Errorf("%s: %s, want %s (%s)", holds, v.Verdict, want, v.Why)
		}
		kind, _, _ := strings.Cut(holds, "(")
		seen[kind+string(v.Verdict)] = true
		fmt.Fprintf(&b, "%s %s%s\n    %s: %s\n", holds, at, only, v.Verdict, v.Why)
		if v.Test != "" {
			fmt.Fprintf(&b, "    %s, n = %d\n", v.Test, v.N)
		}
	}
	for _, c := range knownVerdicts {
		judge(&w.Input, c.holds, c.at, "", c.want)
	}
	for _, c := range inParts {
		judge(w.part(t, split(c.only)...), c.holds, c.at, " --only "+c.only, c.want)
	}
	for _, kind := range claim.Kinds() {
		for _, o := range verdict.Outcomes() {
			alone := kind == claim.Reaches && o == verdict.Incomparable // it compares nothing
			if !seen[string(kind)+string(o)] && !alone {
				t.Errorf("%s never %s", kind, o)
			}
		}
	}
	const file = "testdata/verdicts.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s", file, got)
	}
}

// What is missing is said, and changes no other verdict; a claim without results has no p.
func TestJudgeNeeds(t *testing.T) {
	w := knownStudy()
	good := claimed(t, w, "better(good, bad, loss)")
	alone := verdict.Judge(&w.Input, []study.Claim{good})[0]
	both := verdict.Judge(&w.Input, []study.Claim{{Needs: "PACS"}, good})
	if both[0].Verdict != verdict.CannotRun || both[0].Why != "missing: PACS" ||
		!math.IsNaN(both[0].P) {
		t.Errorf("%+v", both[0])
	}
	if math.Abs(both[1].P-alone.P) > 0 || both[1].Verdict != alone.Verdict {
		t.Errorf("alone p = %v, beside another p = %v", alone.P, both[1].P)
	}
	if v := verdict.Judge(&infer.Input{}, []study.Claim{good}); v[0].Verdict != verdict.Undecided {
		t.Errorf("%+v", v)
	}
}

// p of several claims is Holm's: the p of each alone, times how many are not yet decided.
func TestJudgeAdjusts(t *testing.T) {
	w := knownStudy()
	var claims []study.Claim
	var alone []float64
	for _, holds := range []string{"better(good, bad, loss)", "better(good, noisy, loss)",
		"value(good, loss, = 5 ± 0.3)", "better(exact, exact too, loss)"} {
		c := claimed(t, w, holds, "k = 1")
		claims = append(claims, c)
		if v := verdict.Judge(&w.Input, []study.Claim{c})[0]; !v.Exact {
			alone = append(alone, v.P)
		}
	}
	var together []float64
	for _, v := range verdict.Judge(&w.Input, claims) {
		if !v.Exact {
			together = append(together, v.P)
		}
	}
	if want := infer.Holm(alone); !slices.Equal(together, want) {
		t.Errorf("got %v, want %v", together, want)
	}
}
