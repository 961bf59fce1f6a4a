package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/registry/contract"
)

// rule is an aggregator whose body is a line of a test.
func rule(line string) string {
	return `package mine

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

var Mine = fl.AggregatorEntry{Name: "mine", Summary: "mean of the models",
	New: func(*fl.Params) (fl.Aggregator, error) { return &mine{texts: strings.Fields("a b")}, nil }}

type mine struct {
	texts []string
	n     float64
}

func (m *mine) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	` + line + `
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}
`
}

// ruleLine is where the line of a test stands.
const ruleLine = 20

const smallest = `plugins = ["mine.go"]
seeds = 1
[setting]
clients = 6
rounds = 3
dataset = { name = "regression", features = 4, samples_per_client = 10 }
partition = "natural"
importance = "uniform"
model = "linear"
local = "sgd"
selection = { name = "uniform-k", k = 3 }
metrics = ["objective"]
[[method]]
label = "mine"
aggregator = "mine"
[[method]]
label = "FedAvg"
aggregator = "fedavg"
`

// ruled makes the current folder one with an experiment and a rule.
func ruled(t *testing.T, line string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, text := range map[string]string{"mine.go": rule(line), "small.toml": smallest} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// ungated are the commands that have no code of a strategy run that an experiment asks for, or that
// look at what a run that was examined, or is said not to be, left.
func ungated() map[string]string {
	const (
		none   = "it runs no strategy"
		stored = "it looks at a run, whose plan says whether its strategies were examined"
		asks   = "it reads what components say of themselves, which no result rests on"
	)
	return map[string]string{
		"list": none, "data": none, "version": none, "new": none, "status": none, "cancel": none,
		"runs": none, "diff": none, "gc": none, "man": none, "collect": none, "export": none, "help": none,
		"describe": asks, "schema": asks, "completion": asks,
		"table": stored, "tune": stored, "claims": stored, "compare": stored, "plot": stored,
		"report": stored, "leaderboard": stored,
		"doctor": "it examines one of its own",
		"build":  "it compiles; hansa run examines what it runs",
		"watch":  "it runs as hansa run does",
		"task":   "the plan of its run has the verdict, and a task does not cost a second more",
	}
}

// A strategy that violates a requirement is refused, by every command that has its code run and
// with the same words, with its line and the requirement; --unexamined takes it, and the table says
// so.
func TestRunsRefuseWhatViolatesARequirement(t *testing.T) {
	ruled(t, `m.n++; w[0] += m.n; w.Scale(1 / w.Sum())`)
	gated, first := map[string]bool{}, ""
	refused := func(args ...string) {
		t.Helper()
		gated[args[0]] = true
		_, said := try(t, exitUsage, args...)
		for _, want := range []string{"mine.go:9:37: error: aggregator mine: state: ",
			"the contract: nothing lasts outside State", "nothing was run"} {
			if !strings.Contains(said, want) {
				t.Errorf("%v: %s\nlacks %q", args, said, want)
			}
		}
		if args[len(args)-1] == "mine.go" { // it has no other way
			return
		}
		if first == "" {
			first = said
		}
		if !strings.Contains(first, "--unexamined") || !strings.HasSuffix(said, first) {
			t.Errorf("%v: %s\nnot\n%s", args, said, first)
		}
	}
	refused("run", "small.toml")
	refused("run", "small.toml", "--on", "slurm") // before Slurm is asked
	refused("export-jobs", "small.toml")
	refused("check", "small.toml")
	refused("check", "mine.go")
	refused("audit", "small.toml")
	for _, of := range []string{"check", "audit"} {
		if _, said := try(t, exitOK, of, "small.toml", "--unexamined"); said != "" {
			t.Errorf("%s --unexamined says %s", of, said)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was stored")
	}
	const note = "; it was not examined, and may break what results rely on"
	if table, _ := try(t, exitOK, "run", "small.toml", "--unexamined"); strings.Count(table, note) != 1 {
		t.Errorf("the footnote is not there once: %s", table)
	}
	for path := range contents(t, "runs/small/results") {
		if err := os.Remove(filepath.Join("runs/small/results", path)); err != nil {
			t.Fatal(err)
		}
	}
	refused("resume", "small")
	refused("export-jobs", "small")
	for _, sub := range newCommand(io.Discard, io.Discard).root().Commands() {
		if _, listed := ungated()[sub.Name()]; listed == gated[sub.Name()] {
			t.Errorf("hansa %s: examines %t, on the list %t", sub.Name(), gated[sub.Name()], listed)
		}
	}
	if table, _ := try(t, exitOK, "resume", "small", "--unexamined"); !strings.Contains(table, note) {
		t.Errorf("the footnote is not there: %s", table)
	}
	if table, _ := try(t, exitOK, "table", "small"); !strings.Contains(table, note) {
		t.Errorf("the footnote is not kept: %s", table)
	}
}

// That a strategy meets its requirements is found out once for its code, and kept in the cache
// folder and in the plan of the run.
func TestExaminationsAreKept(t *testing.T) {
	ruled(t, "")
	if table, _ := try(t, exitOK, "run", "small.toml"); strings.Contains(table, "not examined") {
		t.Errorf("%s", table)
	}
	kept := contents(t, filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hansa", "exams"))
	if len(kept) != 1 {
		t.Errorf("%d exams are kept", len(kept))
	}
	asked := 0 // of an aggregator, and of what every kind has
	for _, r := range contract.Requirements() {
		if r.Kind == "aggregator" || r.Kind == "entry" {
			asked++
		}
	}
	want := fmt.Sprintf(`"promises": %d`, asked)
	plan, err := os.ReadFile("runs/small/plan.json")
	if err != nil || asked < 20 || !strings.Contains(string(plan), want) {
		t.Errorf("the plan does not have %s: %v", want, err)
	}
	begun := time.Now()
	source := contents(t, ".")["mine.go"]
	try(t, exitOK, "run", "small.toml", "--dir", "again")
	if err := os.WriteFile("mine.go", []byte(source+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "small.toml", "--dir", "again")
	kept = contents(t, filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hansa", "exams"))
	if len(kept) != 2 {
		t.Errorf("%d exams are kept of two texts, after %v", len(kept), time.Since(begun))
	}
}

// Whatever ends a strategy, its line is named within five seconds, and a size that can never be
// had is refused at once.
func TestEndsNameTheirLine(t *testing.T) {
	for line, want := range map[string]string{
		`x := make([]float64, 1<<36); w[0] = x[0]`:                                            "550 GB of memory are asked for at once",
		`x := make([]float64, 0, len(w)<<40); w = x`:                                          "of memory are asked for at once",
		`x := make(map[string]int, len(w)<<36); x["a"] = 1`:                                   "of memory are asked for at once",
		`_ = strings.ReplaceAll(strings.Repeat("x", 1<<20), "x", strings.Repeat("y", 1<<20))`: "of memory are",
		`r.State.Matrix("m", 100000, 100000)`:                                                 "80 GB of memory are asked for at once",
		`_ = strings.Repeat(m.texts[0], 1<<33)`:                                               "8.59 GB of memory are asked for at once",
		`_ = r.Scratch(1 << 40)`:                                                              "of memory are asked for at once",
		`s := "x"; for { s += s; w[0] = float64(len(s)) }`:                                    "memory",
		`m.texts = append(m.texts, "x"); for { w.Scale(1) }`:                                  "took longer than 4s",
	} {
		ruled(t, line)
		before := reaped(t)
		_, said := try(t, exitUsage, "check", "mine.go")
		took := reaped(t) - before // budgets are of processor time
		if !strings.Contains(said, "mine.go:20:2: error: ") || !strings.Contains(said, want) {
			t.Errorf("%s: %s\nwant line %d and %q", line, said, ruleLine, want)
		}
		if took > 2*exam.Budget {
			t.Errorf("%s: after %v", line, took)
		}
	}
}

// Statements that no question reached are listed, and are no error.
func TestUnreachedStatementsAreListed(t *testing.T) {
	ruled(t, "if len(r.Updates) == 77 {\n\t\treturn fl.Outcome{}, nil\n\t}")
	printed, _ := try(t, exitOK, "check", "mine.go")
	if !strings.Contains(printed, "  not reached by any check: mine.go:21\n") {
		t.Errorf("%s", printed)
	}
}

// A local rule is timed, and warned about where it loops over parameters itself.
func TestLocalRulesAreTimed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	printed, _ := try(t, exitOK, "check", "../../plugins/testdata/kinds/local.go")
	for _, want := range []string{"training a client of 4 samples × 50,000 parameters takes ",
		"warning: it loops over parameters itself, in 3 steps"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%s\nlacks %q", printed, want)
		}
	}
	printed, _ = try(t, exitOK, "check", "../../plugins/samples/loss-weights")
	if strings.Contains(printed, "warning") {
		t.Errorf("no loop: %s", printed)
	}
}

// A rule that takes its time is told of a loop over parameters where it has one, not where compiled
// code is at work.
func TestLoopsAreSeenByTheirStatements(t *testing.T) {
	for line, loops := range map[string]bool{
		"for range 2000 { r.Global.Norm() }":                                            false,
		"s := 0.0; for range 10 { for _, x := range r.Global { s += x } }; w[0] += 0*s": true,
	} {
		ruled(t, line)
		printed, _ := try(t, exitOK, "check", "mine.go")
		if !strings.Contains(printed, "a round of 10 clients × 100,000 parameters takes ") ||
			strings.Contains(printed, "warning: it loops over parameters itself") != loops {
			t.Errorf("%s:\n%s", line, printed)
		}
	}
}
