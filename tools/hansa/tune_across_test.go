package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// Where a setting is chosen across an axis, all its points have the one whose worst value over them
// is best, in the mean over seeds, as it is computed again here from the results of all trials; so
// have ablations. A part of the points chooses by all of them, and a run in two parts ends as one.
func TestOneSettingAcrossPoints(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("testdata", "tune", "across.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	prints(t, "run", file, "--dir", "run")
	plan, err := store.Run{Dir: "run"}.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	worth := worstTrials(t, store.Run{Dir: "run/tune"})
	if len(worth) != 4*4 {
		t.Fatalf("%d settings were tried", len(worth))
	}
	for i := range plan.Cells {
		c := &plan.Cells[i]
		method, skew := c.Method, c.Point[0].Label
		if c.Parent != "" {
			method = c.Parent
		}
		rate, _ := c.Param("local.lr")
		best := math.Inf(-1)
		for key, x := range worth {
			if strings.HasPrefix(key, method+" "+skew+" ") {
				best = max(best, x)
			}
		}
		if have := worth[fmt.Sprint(method, " ", skew, " ", rate)]; have != best {
			t.Errorf("%s has the rate %v, worth %v, and %v is the best", c.Label(), rate, have, best)
		}
	}
	said := prints(t, "tune", "run")
	if strings.Count(said, "accuracy (%), worst over attack") != 4 {
		t.Errorf("tune prints\n%s", said)
	}
	prints(t, "run", file, "--dir", "part", "--only", "attack=noise", "--only", "method=median")
	prints(t, "resume", "part")
	for _, of := range []string{"/results", "/tune/results"} {
		if got, want := contents(t, "part"+of), contents(t, "run"+of); !maps.Equal(got, want) {
			t.Errorf("in two parts there are %d %s, other than %d", len(got), of, len(want))
		}
	}
}

// Where some point of the axis ruins a method at every setting, the setting that diverges least often
// is chosen, and the table has the method diverged there; other methods are as they would be. Where
// all trials diverge the ranges are wrong, as without the axis.
func TestEverySettingDivergesSomewhere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tune", "across.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const noise = `name = "gaussian-noise", count = 1, sigma = 1.0`
	ruin := strings.ReplaceAll(string(text), noise, `name = "sign-flip", count = 1, scale = 1e200`)
	never := strings.ReplaceAll(ruin, "scale = 3.0", "scale = 2e200")
	never = strings.ReplaceAll(never, `{ label = "none" }`,
		`{ label = "none", adversary = { name = "sign-flip", count = 1, scale = 3e200 } }`)
	for name, file := range map[string]string{"ruin.toml": ruin, "never.toml": never} {
		if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut strings.Builder
	code := hansa(t.Context(), &out, &errOut, []string{"run", "ruin.toml", "--only", "skew=IID"})
	if said := strings.Join(strings.Fields(out.String()), " "); code != exitFailed ||
		!strings.Contains(said, "tuned: lr = 0.01, the best of 4 settings, each of which "+
			"diverged in some trial, none in fewer") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
	}
	if said := prints(t, "tune", "ruin"); strings.Count(said, "chosen, though it diverged") != 1 ||
		strings.Count(said, "chosen") != 2 {
		t.Errorf("tune prints\n%s", said)
	}
	errOut.Reset()
	code = hansa(t.Context(), &out, &errOut, []string{"run", "never.toml", "--only", "method=mean"})
	if want := "all 4 settings diverged; lower the ranges\n"; code != exitFailed ||
		!strings.HasSuffix(errOut.String(), want) {
		t.Errorf("exit code %d\n%s", code, &errOut)
	}
}

// frail is a strategy that refuses models of a large norm.
const frail = `package frail

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

var Frail = fl.AggregatorEntry{
	Name: "frail", Summary: "refuses large updates",
	New: func(p *fl.Params) (fl.Aggregator, error) { return &frail{}, nil },
}

type frail struct{}

func (*frail) Aggregate(r *fl.Round) (fl.Outcome, error) {
	for i := range r.Updates {
		if r.Updates[i].Params.Norm() > 1000 {
			return fl.Outcome{}, errors.New("an update is too large")
		}
	}
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Outcome{Params: r.Combine(w)}, nil
}
`

// frailFile writes an experiment with a method that fails under one of its attacks, with changes, to
// file.toml in a folder of its own.
func frailFile(t *testing.T, changes ...[2]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "tune", "across.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	text := string(data)
	for _, change := range append([][2]string{
		{"seeds = 2\n", "seeds = 2\nplugins = [\"frail.go\"]\n"},
		{"sigma = 1.0", "sigma = 500.0"},
		{"[[ablate]]", "[[method]]\nlabel = \"frail\"\naggregator = \"frail\"\n[[ablate]]"},
	}, changes...) {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the file has no %q", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	put(t, "frail.go", frail)
	put(t, "file.toml", text)
}

// Where every trial of a method fails at some point of the axis, and not because it diverged, its
// setting is chosen without that point, which a footnote and the trials say, however the search
// goes; it fails there alone. A method without a parameter to tune runs beside it.
func TestEverySettingFailsSomewhere(t *testing.T) {
	frailFile(t, [2]string{`"local.lr" =`, `"frail: local.lr" =`}, [2]string{`tuned   = "required"`, ""})
	for _, search := range study.Searches() {
		var out, errOut strings.Builder
		code := hansa(t.Context(), &out, &errOut, []string{"run", "file.toml", "--only", "skew=IID",
			"--only", "method=frail", "--only", "method=mean", "--dir", search, "--unexamined",
			"--set", "tune.search=" + search})
		said := strings.Join(strings.Fields(out.String()), " ")
		if code != exitFailed || !strings.Contains(errOut.String(), "\n2 of 12 training runs failed") ||
			!strings.Contains(said, "the best of 4 settings, chosen without noise, where each failed in "+
				"every trial") || !strings.Contains(said, "not tuned, beside methods that are") {
			t.Errorf("%s: exit code %d\n%s%s", search, code, &out, &errOut)
		}
		if said := prints(t, "tune", search); strings.Count(said, "chosen") != 1 || strings.Contains(
			said, "failed") || !strings.Contains(said, "worst over attack, without noise") {
			t.Errorf("tune prints\n%s", said)
		}
	}
}

// Ranges are extended at the points that --only keeps, whatever has not been run at others, and though
// a method failed at one of them; all methods of a point get the same number of settings, or it is
// refused. A table says so, and trials that failed are shown as failed.
func TestRangesOfSomePointsAreExtended(t *testing.T) {
	frailFile(t, [2]string{`across = "attack"`, ""}, [2]string{`worst   = "attack"`, ""})
	part := []string{"--only", "skew=IID", "--only", "attack=none", "--only", "attack=noise"}
	var out, errOut strings.Builder
	hansa(t.Context(), &out, &errOut, append([]string{"run", "file.toml", "--unexamined"}, part...))
	if !strings.Contains(out.String(), "the best of 4 settings, each of which failed in every trial") {
		t.Fatalf("a method that fails at a point:\n%s%s", &out, &errOut)
	}
	for want, words := range map[string][]string{
		"what lies at an edge is known once all trials have ended": nil,
		"at each of them all methods: they have the same budget":   append(part, "--only", "method=frail"),
	} {
		if _, said := try(t, exitUsage, append([]string{"tune", "file", "--extend"}, words...)...); !strings.Contains(said, want) {
			t.Errorf("%v: it says\n%s", words, said)
		}
	}
	if said := tells(t, append([]string{"tune", "file", "--extend"}, part...)...); strings.Contains(said, "frail · IID · noise") ||
		strings.Count(said, "beyond the edge")+strings.Count(said, " · none: 2 within its ranges")+
			strings.Count(said, " · noise: 2 within its ranges") != 5 {
		t.Errorf("extended:\n%s", said)
	}
	out.Reset()
	hansa(t.Context(), &out, &errOut, append([]string{"run", "file.toml", "--unexamined"}, part...))
	if !strings.Contains(out.String(), "2 settings per method were added") {
		t.Errorf("after that:\n%s%s", &out, &errOut)
	}
	said := prints(t, append([]string{"tune", "file"}, part...)...)
	if strings.Contains(said, "not run yet") || strings.Count(said, "failed\n") != 4 || strings.Count(said, "chosen") != 5 {
		t.Errorf("tune prints\n%s", said)
	}
}

// worstTrials returns what settings are worth, by method, skew and rate: the mean over seeds of the
// worst final accuracy over attacks.
func worstTrials(t *testing.T, run store.Run) map[string]float64 {
	t.Helper()
	plan, err := run.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	bySeed := map[string]map[uint64]float64{}
	points := map[string]int{}
	for i := range plan.Cells {
		c := &plan.Cells[i]
		r, err := run.Get(plan.IDs[i], c)
		if err != nil || r == nil {
			t.Fatalf("%s: %v", c.Label(), err)
		}
		rate, _ := c.Param("local.lr")
		key := fmt.Sprint(c.Method, " ", labelAt(c, "skew"), " ", rate)
		if bySeed[key] == nil {
			bySeed[key] = map[uint64]float64{}
		}
		x := r.Series[0].Values[len(r.Rounds)-1] // one of six rounds is the last tenth
		if old, known := bySeed[key][c.Seed]; !known || x < old {
			bySeed[key][c.Seed] = x
		}
		points[key]++
	}
	worth := map[string]float64{}
	for key, values := range bySeed {
		if points[key] != 3*2 {
			t.Fatalf("%s has %d trials", key, points[key])
		}
		worth[key] = (values[100] + values[101]) / 2
	}
	return worth
}

func labelAt(c *study.Cell, axis string) string {
	for _, at := range c.Point {
		if at.Axis == axis {
			return at.Label
		}
	}
	return ""
}
