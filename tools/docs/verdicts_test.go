package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

const oneExperiment = `title = "one"
paper = "fedavot"
seeds = 2

[setting]
clients    = 2
rounds     = 3
dataset    = { name = "quadratics", minima = [1.0, -1.0] }
partition  = "natural"
importance = "uniform"
model      = "linear"
local      = "sgd"
aggregator = "fedavg"
metrics    = ["objective"]

[[method]]
label = "A"

[[claim]]
source = "§1"
says   = "small"
holds  = "value(A, objective, <= 1)"
`

// Verdicts of a run are kept and shown beside their claims; where the words of a claim have changed
// none is shown, and where the cells have it is an error. Verdicts of other runs stay, and a run of
// other cells is refused.
func TestVerdictsBelongToTheFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(theoremFile, "")
	write("experiments/a/one.toml", oneExperiment)
	write("experiments/a/two.toml", strings.Replace(oneExperiment, `"one"`, `"two"`, 1))
	judged := func(title, verdict string) error {
		t.Helper()
		x, err := session.Read(filepath.Join(dir, "experiments/a", title+".toml"),
			&session.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		return keepVerdicts(dir, []byte(`[{"title": "`+title+`", "hash": "`+store.HashOf(x.IDs)+
			`", "command": "hansa run elsewhere/`+title+`.toml", "claims": [{"source": "§1", "says": "small", "holds": "value(A, objective, <= 1)", `+
			`"verdict": "`+verdict+`", "why": "0.5"}]}]`), false, untuned)
	}
	refused := func(rest, want string) {
		t.Helper()
		err := keepVerdicts(dir, []byte(`[{"title": "one", `+rest+`, "claims": []}]`), false, untuned)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", rest, err, want)
		}
	}
	refused(`"hash": "0123", "command": "hansa run one.toml --seeds 2"`, `the run of "one" has other `+
		"cells than `hansa run experiments/a/one.toml --seeds 2` makes now")
	refused(`"hash": "0123", "command": ""`, `the run of "one" has no command`)
	refused(`"hash": "0123", "command": "hansa run one.toml --sides 2"`, "unknown flag: --sides")
	if err := errors.Join(judged("two", "holds"), judged("one", "undecided")); err != nil {
		t.Fatal(err)
	}
	page := func(want ...string) {
		t.Helper()
		pageSays(t, dir, want...)
	}
	page("2 by experiments", "**undecided**. 0.5 (run ", "**holds**. 0.5")
	write("experiments/a/one.toml", strings.Replace(oneExperiment, "<= 1", "<= 2", 1))
	page("no verdict is kept of it", "**holds**. 0.5")
	write("experiments/a/one.toml", strings.Replace(oneExperiment, "seeds = 2", "seeds = 3", 1))
	page("the verdicts on \"one\" are of other cells: run `hansa run experiments/a/one.toml` again")
	if err := os.Remove(filepath.Join(dir, "experiments", "a", "one.toml")); err != nil {
		t.Fatal(err)
	}
	page("no experiment has the title \"one\" of a run whose verdicts are kept")
}

// untuned is of runs that chose no parameters.
func untuned(int) (*store.Tuning, error) { return nil, nil }

// A run that chose parameters is one of its file with what it chose, and with nothing else.
func TestVerdictsOfTunedRuns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "experiments", "one.toml")
	text := strings.NewReplacer(`"quadratics", minima = [1.0, -1.0]`, `"glyphs"`, `"natural"`,
		`"iid"`, `"linear"`, `"softmax"`, "objective", "accuracy").Replace(oneExperiment) +
		"[tune]\nbudget = 2\nby = \"accuracy\"\nseeds = [100]\n" +
		"[tune.space]\n\"local.lr\" = [0.1, 0.2]\n"
	for path, text := range map[string]string{file: text, filepath.Join(dir, theoremFile): ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	x, err := session.Read(file, &session.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	chosen := func(lr float64) *store.Tuning {
		return &store.Tuning{Tune: *x.Tune, Chosen: []store.Choice{{Method: x.Cells[0].Method,
			Paths: []string{"local.lr"}, Values: study.Values{lr}}}}
	}
	y, err := x.Chosen(chosen(0.2))
	if err != nil {
		t.Fatal(err)
	}
	for _, lr := range []float64{0.2, 0.1} {
		err := keepVerdicts(dir, []byte(`[{"title": "one", "hash": "`+store.HashOf(y.IDs)+
			`", "command": "hansa run one.toml", "claims": []}]`), false,
			func(int) (*store.Tuning, error) { return chosen(lr), nil })
		if fits := lr == 0.2; (err == nil) != fits {
			t.Errorf("lr = %v was chosen, and the run has cells of 0.2: %v", lr, err)
		}
	}
}

// A run of fewer seeds has verdicts, too, with the command that makes it; one that lacks results has
// none. Claims that differ in their points are told apart.
func TestVerdictsOfOtherCommands(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "experiments", "one.toml")
	text := oneExperiment + "[sweep]\n\"local.lr\" = [0.1, 0.2]\n" + `[[claim]]
source = "§1"
says   = "small"
holds  = "value(A, objective, <= 1)"
at     = ["lr = 0.2"]
`
	for path, text := range map[string]string{file: text, filepath.Join(dir, theoremFile): ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	x, err := session.Read(file, &session.Overrides{Seeds: "1"})
	if err != nil {
		t.Fatal(err)
	}
	printed := func(missing string) []byte {
		return []byte(`[{"title": "one", "hash": "` + store.HashOf(x.IDs) + `", "missing": ` + missing +
			`, "command": "hansa run one.toml --seeds 1 --only local.lr=0.2", "part": "lr = 0.2", ` +
			`"claims": [{"source": ` +
			`"§1", "says": "small", "holds": "value(A, objective, <= 1)", "at": ["lr = 0.2"], ` +
			`"verdict": "holds", "why": "0.25", "p": null, "estimate": 0.25}]}]`)
	}
	err = keepVerdicts(dir, printed("3"), false, untuned)
	if err == nil || !strings.Contains(err.Error(), `the run of "one" lacks 3 results`) {
		t.Errorf("a run that lacks results: %v", err)
	}
	if err := keepVerdicts(dir, printed("0"), false, untuned); err != nil {
		t.Fatal(err)
	}
	page, err := allClaims(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"at lr = 0.2: **holds** at lr = 0.2, a part of the experiment. 0.25", "`value(A, objective, <= 1)`: no verdict is kept of it",
		"`hansa run experiments/one.toml --seeds 1 --only local.lr=0.2`"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s\nmisses %s", page, want)
		}
	}
}

// A part of an experiment, such as its quick size, has verdicts on the claims that it judges, until
// the whole has: then they stay in the file and are not shown. Both belong to the cells as they are.
func TestVerdictsOfParts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "experiments", "one.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := oneExperiment + `at     = "paper"
[[claim]]
source = "§2"
says   = "small"
holds  = "value(A, objective, <= 1)"
[sweep]
size = [{ label = "paper", rounds = 20 }, { label = "quick" }, { label = "tiny", rounds = 1 }]
`
	write(file, text)
	write(filepath.Join(dir, theoremFile), "")
	keep := func(part, first, second, why string) error {
		t.Helper()
		x, err := session.Read(file, &session.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		only, name := "", ""
		if part != "" {
			only, name = " --only size="+part, `"part": "size = `+part+`", `
		}
		return keepVerdicts(dir, []byte(`[{"title": "one", "hash": "`+store.HashOf(x.IDs)+`", `+name+
			`"command": "hansa run one.toml`+only+`", "claims": [{"source": "§1", "says": "small", `+
			`"holds": "value(A, objective, <= 1)", "at": ["paper"], "verdict": "`+first+`", "why": "`+why+
			`"}, {"source": "§2", "says": "small", "holds": "value(A, objective, <= 1)", "verdict": "`+
			second+`", "why": "`+why+`"}]}]`), false, untuned)
	}
	page := func(want ...string) {
		t.Helper()
		pageSays(t, dir, want...)
	}
	if err := errors.Join(keep("quick", "not judged", "undecided", "0.4"),
		keep("tiny", "not judged", "refuted", "0.5"), keep("quick", "not judged", "holds", "0.3")); err != nil {
		t.Fatal(err)
	}
	page("at paper: no verdict is kept of it | `hansa run experiments/one.toml` |",
		"**holds** at size = quick, not the paper's size. 0.3 (run ",
		"| `hansa run experiments/one.toml --only size=quick` |",
		"2 by experiments", "0 have a verdict of the whole experiment, 1 one of a part of it, which is "+
			"named, and 1 none that is kept")
	if err := keep("", "holds", "refuted", "0.2"); err != nil {
		t.Fatal(err)
	}
	if err := keep("quick", "not judged", "holds", "0.1"); err != nil {
		t.Fatal(err)
	}
	page("at paper: **holds**. 0.2", "`value(A, objective, <= 1)`: **refuted**. 0.2",
		"2 have a verdict of the whole experiment, 0 one of a part")
	kept, err := readVerdicts(dir)
	if err != nil || len(kept) != 3 || kept[0].Part != "" || kept[1].Part != "size = quick" ||
		len(kept[1].Claims) != 1 || kept[1].Claims[0].Why != "0.1" {
		t.Errorf("%v: %+v", err, kept)
	}
	write(file, strings.Replace(text, "rounds = 20", "rounds = 21", 1))
	page("the verdicts on \"one\" are of other cells: run `hansa run experiments/one.toml` again")
	kept = kept[1:]
	if list, err := experimentVerdicts(t, kept, file); err != nil || len(list) != 2 {
		t.Errorf("those of parts that are as they were: %v, %v", list, err)
	}
	write(file, strings.Replace(text, `"quick" }`, `"quick", rounds = 4 }`, 1))
	if _, err := experimentVerdicts(t, kept, file); err == nil ||
		!strings.Contains(err.Error(), "`hansa run experiments/one.toml --only size=quick` again") {
		t.Errorf("another quick size: %v", err)
	}
}

// A run of fewer seeds does not replace verdicts that are kept, unless it is told to; one of as many
// does, and any run replaces verdicts on cells that have changed.
func TestVerdictsOfFewerSeeds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "experiments", "one.toml")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(oneExperiment)
	keep := func(seeds, why string, fewer bool) error {
		t.Helper()
		x, err := session.Read(file, &session.Overrides{Seeds: seeds})
		if err != nil {
			t.Fatal(err)
		}
		return keepVerdicts(dir, []byte(`[{"title": "one", "hash": "`+store.HashOf(x.IDs)+
			`", "command": "hansa run one.toml --seeds `+seeds+`", "claims": [{"source": "§1", `+
			`"says": "small", "holds": "value(A, objective, <= 1)", "verdict": "holds", "why": "`+
			why+`", "seeds": `+seeds+`}]}]`), fewer, untuned)
	}
	is := func(why string) {
		t.Helper()
		kept, err := readVerdicts(dir)
		if err != nil || len(kept) != 1 || kept[0].Claims[0].Why != why {
			t.Errorf("kept is %+v, %v; want %s", kept, err, why)
		}
	}
	if err := keep("20", "first", false); err != nil {
		t.Fatal(err)
	}
	err := keep("3", "second", false)
	if err == nil || !strings.Contains(err.Error(), `the run of "one" has 3 seeds, and the verdicts `+
		"that are kept have 20 (run ") || !strings.Contains(err.Error(), "-fewer replaces them") {
		t.Errorf("three seeds in place of twenty: %v", err)
	}
	is("first")
	if err := keep("20", "third", false); err != nil {
		t.Error(err)
	}
	is("third")
	if err := keep("3", "fourth", true); err != nil {
		t.Error(err)
	}
	is("fourth")
	if err := keep("20", "fifth", false); err != nil {
		t.Error(err)
	}
	write(strings.Replace(oneExperiment, "rounds     = 3", "rounds     = 4", 1))
	if err := keep("3", "sixth", false); err != nil {
		t.Error(err)
	}
	is("sixth")
}

// pageSays holds the page of claims, or the error in its place, to some texts.
func pageSays(t *testing.T, dir string, want ...string) {
	t.Helper()
	text, err := allClaims(dir)
	if err != nil {
		text = err.Error()
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s\nmisses %s", text, w)
		}
	}
}

// experimentVerdicts returns what of some verdicts is of an experiment as it is now.
func experimentVerdicts(t *testing.T, kept []judgedRun, file string) ([]*judgedRun, error) {
	t.Helper()
	spec, err := study.Read(file, study.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	return judged(kept, spec)
}
