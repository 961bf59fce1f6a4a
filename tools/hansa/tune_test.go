//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// tunedFile returns the path of a small experiment with [tune].
func tunedFile(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("testdata", "tune", "small.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A run that is stopped among its trials, in any way, goes on to the bits of one that was not: of
// the trials, and of the cells with the parameters that they choose.
func TestTunedRunsGoOn(t *testing.T) {
	onPath(t)
	file := tunedFile(t)
	t.Chdir(t.TempDir())
	for _, search := range []string{"grid", "halving"} {
		set := []string{"--set", "tune.search=" + search, "--set", "tune.budget=9"}
		whole := filepath.Join(search, "whole")
		words := append([]string{"run", file, "--dir", whole, "--jobs", "2"}, set...)
		if out, err := exec.Command("hansa", words...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want, trials := contents(t, whole+"/results"), contents(t, whole+"/tune/results")
		for jobs, s := range map[int]syscall.Signal{1: syscall.SIGKILL, 2: syscall.SIGINT} {
			t.Run(search+" "+s.String(), func(t *testing.T) {
				dir := filepath.Join(search, s.String())
				args := append([]string{"run", file, "--dir", dir, "--jobs", strconv.Itoa(jobs)}, set...)
				some := stopped(t, args, dir+"/tune", 30, s)
				if got := contents(t, dir+"/tune/results"); len(got) >= len(trials) {
					t.Fatalf("it was stopped after %d trials", len(got))
				}
				if said := some.err.String(); s == syscall.SIGINT && !strings.Contains(said, " trials are done and stored; go on with `hansa run ") {
					t.Errorf("it says\n%s", said)
				}
				shell(t, "hansa status "+quoted(dir)+" 2>&1 | grep 'the trials of .tune. come first: [0-9]* of [0-9]* are done'")
				shell(t, "hansa export-jobs "+quoted(dir)+" 2>&1 | grep 'these are trials of .tune.: once their tasks have ended, `hansa export-jobs '")
				shell(t, "hansa resume "+quoted(dir)+" --jobs "+strconv.Itoa(jobs))
				if got := contents(t, dir+"/results"); !maps.Equal(got, want) {
					t.Errorf("%d results, which are not the %d of a run that was not stopped", len(got), len(want))
				}
				if got := contents(t, dir+"/tune/results"); !maps.Equal(got, trials) {
					t.Errorf("%d trials, which are not the %d of a run that was not stopped", len(got), len(trials))
				}
				shell(t, "hansa run "+quoted(file)+" --dir "+quoted(dir)+" "+strings.Join(set, " ")+" 2>&1 | grep 'nothing to run: 6 training runs are done'")
			})
		}
	}
}

func quoted(word string) string { return "'" + word + "'" }

// What was tried and chosen is shown in all formats, recorded in the plan, and said of each row. A
// method has its parameters at the values that won, and so have its ablations but for what they
// change.
func TestTrialsAreShown(t *testing.T) {
	file := tunedFile(t)
	expected, err := filepath.Abs(filepath.Join("testdata", "tune"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	table := prints(t, "run", file, "--dir", "run")
	for format, name := range map[string]string{"text": "trials.txt", "markdown": "trials.md", "csv": "trials.csv"} {
		golden(t, filepath.Join(expected, name), prints(t, "tune", "run", "--format", format))
	}
	golden(t, filepath.Join(expected, "table.txt"), table)
	var shown struct {
		Budget int
		Sets   []struct {
			Method string
			Best   int
			Trials []struct{ Values []float64 }
		}
	}
	if err := json.Unmarshal([]byte(prints(t, "tune", "run", "--format", "json")), &shown); err != nil {
		t.Fatal(err)
	}
	plan, err := store.Run{Dir: "run"}.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	if shown.Budget != 6 || len(shown.Sets) != 2 || plan.Tuning.Open {
		t.Fatalf("%+v", shown)
	}
	for i := range plan.Cells {
		c := &plan.Cells[i]
		one := plan.Tuning.Choice(c)
		if one == nil {
			t.Fatalf("nothing was chosen for %s", c.Label())
		}
		for k, path := range one.Paths {
			want := any(one.Values[k])
			if c.Parent != "" && path == "local.optimizer.momentum" {
				want = 0.1
			}
			if v, _ := c.Param(path); v != want {
				t.Errorf("%s: %s = %v, want %v", c.Label(), path, v, want)
			}
		}
		for _, set := range shown.Sets {
			if set.Method == c.Method && set.Trials[set.Best].Values[0] != one.Values[0] {
				t.Errorf("%s: %v won, and %v is shown", c.Method, one.Values, set.Trials[set.Best])
			}
		}
	}
	// A method that is not asked for is not tuned, until it is.
	prints(t, "run", file, "--dir", "part", "--only", "method=FedAvg")
	if n := len(contents(t, "part/tune/results")); n != 12 {
		t.Errorf("%d trials of one method", n)
	}
	prints(t, "resume", "part")
	if got, want := contents(t, "part/results"), contents(t, "run/results"); !maps.Equal(got, want) {
		t.Errorf("in two parts there are %d results, other than %d", len(got), len(want))
	}
	if _, err := os.Stat("part/tune/plan.json"); err != nil {
		t.Error(err)
	}
}

// prints runs a command line that must succeed, and returns its standard output.
func prints(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut strings.Builder
	if code := hansa(t.Context(), &out, &errOut, args); code != exitOK {
		t.Fatalf("hansa %s: exit code %d\n%s", strings.Join(args, " "), code, &errOut)
	}
	return out.String()
}

// Settings that diverge lose; a method all of whose settings diverge ends the run with the reason.
// One that has a setting at another point of the sweep does not: it fails where it diverges, and
// nothing else does.
func TestTrialsThatDivergeLose(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tune", "diverging.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const sweep = "[sweep]\n\"local.steps\" = [1, 50]\n"
	some := strings.Replace(string(text), "[0.01, 1e6]", "[0.3, 1e6]", 1) + sweep
	for name, file := range map[string]string{"diverging.toml": string(text), "swept.toml": some} {
		if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prints(t, "run", "diverging.toml", "--only", "method=some")
	if out := prints(t, "tune", "diverging"); strings.Count(out, "diverged") < 3 ||
		strings.Count(out, "chosen") != 1 {
		t.Errorf("of lr up to a million it shows\n%s", out)
	}
	var out, errOut strings.Builder
	code := hansa(t.Context(), &out, &errOut, []string{"run", "diverging.toml"})
	if want := "hansa: [tune]: all: all 5 settings diverged; lower the ranges\n"; code != exitFailed ||
		!strings.HasSuffix(errOut.String(), want) {
		t.Errorf("exit code %d:\n%s", code, &errOut)
	}
	out.Reset()
	errOut.Reset()
	code = hansa(t.Context(), &out, &errOut, []string{"run", "swept.toml", "--only", "method=some"})
	if code != exitFailed || !strings.Contains(errOut.String(), "\n2 of 4 training runs failed") ||
		!strings.Contains(out.String(), "each of which diverged in some trial, none in fewer") {
		t.Errorf("exit code %d:\n%s\n%s", code, &out, &errOut)
	}
}

// A table with more columns than can be read says what shows the same: of trials `hansa tune`, of
// any other run `hansa export`.
func TestWideTablesSayWhatElseThereIs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tune", "diverging.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var rates []string
	for k := range 101 {
		rates = append(rates, fmt.Sprintf("%g", 0.01+float64(k)/1000))
	}
	before, _, _ := strings.Cut(string(text), "[[method]]")
	put(t, "wide.toml", before+"[[method]]\nlabel = \"all\"\n[sweep]\n\"local.lr\" = ["+strings.Join(rates, ", ")+"]\n")
	put(t, "tuned.toml", strings.Replace(strings.Replace(string(text), "[1e5, 1e6]", "[0.01, 0.1]", 1),
		"budget = 5", "budget = 101", 1))
	for _, file := range []string{"wide.toml", "tuned.toml"} {
		prints(t, "run", file, "--only", "method=all", "--seeds", "1", "--set", "rounds=2")
	}
	for run, want := range map[string]string{
		"wide":            "the table has 101 columns: --only keeps some, and `hansa export wide` writes a line for each value\n",
		"runs/tuned/tune": "the table has 189 columns: --only keeps some, and `hansa tune runs/tuned` lists the trials of each method\n",
		"tuned":           "",
	} {
		if said := tells(t, "table", run); !strings.HasSuffix(said, want) || want == "" && strings.Contains(said, "columns:") {
			t.Errorf("%s: it says\n%s", run, said)
		}
	}
}

// A budget that is too small for the grids of many methods is one problem for all that have as many
// parameters, not one for each.
func TestSmallBudgetsAreOneProblem(t *testing.T) {
	text, err := os.ReadFile(tunedFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	methods := ""
	for _, name := range []string{"b", "c", "d", "e"} {
		methods += "[[method]]\nlabel = \"" + name + "\"\n"
	}
	put(t, "many.toml", strings.Replace(string(text), "[[method]]", methods+"\n[[method]]", 1))
	_, said := try(t, exitUsage, "check", "many.toml", "--set", "tune.budget=1")
	if strings.Count(said, "error: tune.budget: ") != 2 || !strings.Contains(said, "b, c, d and 2 more: a grid") {
		t.Errorf("it says\n%s", said)
	}
}

// Settings beyond an edge at which a winner lies are added to a run, and equally many to every other
// method; they are tried where the run goes on. A later run of the file keeps them, and the table
// tells of them. The same is added each time.
func TestRangesAreExtended(t *testing.T) {
	file := tunedFile(t)
	t.Chdir(t.TempDir())
	for _, search := range study.Searches() {
		set := []string{"--set", "tune.by=loss", "--set", "rounds=4", "--set", "tune.search=" + search,
			"--set", "tune.budget=7"}
		run := func(dir string) string {
			return prints(t, append([]string{"run", file, "--dir", dir}, set...)...)
		}
		run(search)
		before := len(contents(t, search+"/tune/results"))
		prints(t, "tune", search, "--extend")
		prints(t, "resume", search)
		after := contents(t, search+"/tune/results")
		plan, err := store.Run{Dir: search}.LoadPlan()
		if err != nil {
			t.Fatal(err)
		}
		tuning, n := plan.Tuning, len(plan.Tuning.Added)/2
		if n == 0 || tuning.Open || len(after) < before+2*2*n {
			t.Errorf("%s: %d settings were added, %d trials became %d", search, 2*n, before, len(after))
		}
		for i := range tuning.Chosen {
			one := &tuning.Chosen[i]
			if tuning.Extra(one) != n || one.Tried-n < 6 {
				t.Errorf("%s: %s has %d settings more of %d", search, one.Method, tuning.Extra(one), one.Tried)
			}
		}
		want := fmt.Sprintf("%d settings per method were added, the same number for each", n)
		if table := run(search); !strings.Contains(table, want) || len(contents(t, search+"/tune/results")) != len(after) {
			t.Errorf("%s: a later run forgets what was added:\n%s", search, table)
		}
		run("again-" + search)
		prints(t, "tune", "again-"+search, "--extend")
		again, err := store.Run{Dir: "again-" + search}.LoadPlan()
		if err != nil || !reflect.DeepEqual(again.Tuning.Added, tuning.Added) {
			t.Errorf("%s: %v was added once, %v another time: %v", search, tuning.Added, again.Tuning.Added, err)
		}
		if code := hansa(t.Context(), io.Discard, io.Discard, []string{"tune", "again-" + search, "--extend"}); code != exitUsage {
			t.Errorf("%s: ranges are extended before what was added is tried: exit code %d", search, code)
		}
	}
}
