package plugins

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// setting is a small experiment; a bad strategy replaces one line of it.
const setting = `[setting]
clients      = 6
rounds       = 3
dataset      = { name = "regression", features = 4, samples_per_client = 10 }
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = "sgd"
enrollment   = "everyone"
availability = { name = "k-subset", k = 3 }
selection    = "all"
metrics      = ["objective"]
[[method]]
aggregator = "fedavg"
label = "x"
preprocess = "none"
`

var useAndWant = regexp.MustCompile(`^(?:// use: (.*)\n)?// want: (.*)\n`)

// What goes wrong in a strategy costs one cell, and says what, where, and in which line of the
// strategy: whether the text is wrong, a call fails, does not end, or returns what it may not.
func TestBadStrategies(t *testing.T) {
	for _, s := range sections(t, "testdata/bad.txt") {
		parts := useAndWant.FindStringSubmatch(s.text)
		if parts == nil {
			t.Fatalf("%s does not say what it wants", s.name)
		}
		if got := outcome(t, s, parts[1]); got != parts[2] {
			t.Errorf("%s:\n%s\nwant\n%s", s.name, got, parts[2])
		}
	}
}

// outcome loads a strategy and runs a cell that uses it.
func outcome(t *testing.T, s section, use string) string {
	source := NewSource(s.name, []vet.File{{Name: s.name, Text: s.text}})
	strategy, err := Load(t.Context(), source, 300*time.Millisecond)
	if err != nil {
		return err.Error()
	}
	key, _, _ := strings.Cut(use, " ")
	text := regexp.MustCompile(`(?m)^`+key+` .*$`).ReplaceAllString(setting, use)
	_, err = run(menu(t, strategy.Register), cellsOf(t, text)[0], 2)
	if err == nil {
		return "it runs"
	}
	return err.Error()
}

// A fault that ends a cell can be found in its error, and shows the line.
func TestFaultsShowTheLine(t *testing.T) {
	all := sections(t, "testdata/bad.txt")
	source := NewSource("x.go", []vet.File{{Name: "x.go", Text: all[0].text}})
	s, err := Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(setting, `aggregator = "fedavg"`, `aggregator = "bad"`, 1)
	_, err = run(menu(t, s.Register), cellsOf(t, text)[0], 1)
	var fault *Fault
	if !errors.As(err, &fault) {
		t.Fatalf("%v is no fault", err)
	}
	var b strings.Builder
	if err := fault.Problems().Render(&b, false); err != nil {
		t.Fatal(err)
	}
	want := `x.go:14:2: error: bad: Aggregate: panic: index out of range
   13 | 	k := 7
   14 | 	r.Global[0] = r.Updates[k].Params[0]
      |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
`
	if got := b.String(); !strings.HasPrefix(got, strings.ReplaceAll(want, "| \t", "|  ")) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A component that had to be stopped stays so; the next one built from the strategy runs.
func TestTheNextCellRuns(t *testing.T) {
	text := strings.Replace(oneLoop, "§", "t.T == 1", 1)
	source := NewSource("loop.go", []vet.File{{Name: "loop.go", Text: text}})
	s, err := Load(t.Context(), source, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	r := menu(t, s.Register)
	cell := cellsOf(t, strings.Replace(setting, `"sgd"`, `"loop"`, 1))[0]
	for range 2 {
		_, err := run(r, cell, 2)
		var fault *Fault
		if !errors.As(err, &fault) || !fault.Timeout || fault.Pos.Line < 12 || fault.Pos.Line > 14 {
			t.Fatalf("a loop in round 2: %v", err)
		}
	}
	cell.Rounds = 1
	if _, err := run(r, cell, 2); err != nil {
		t.Errorf("without the loop: %v", err)
	}
}

// oneLoop is a local rule that does not end on one condition.
const oneLoop = `package loop

import "github.com/hansa-fl/hansa/framework/fl"

var Entry = fl.LocalRuleEntry{Name: "loop", Summary: "never ends",
	New: func(*fl.Params) (fl.LocalRule, error) { return &rule{}, nil }}

type rule struct{ n int }

func (l *rule) Run(t *fl.Task) (fl.Update, error) {
	n := 0
	for § {
		n++
		n = n * 2
	}
	return fl.Update{Params: t.Params}, nil
}
`

// When the context of a strategy is done, nothing of it runs any more.
func TestNothingOutlivesTheContext(t *testing.T) {
	source := NewSource("loop.go", []vet.File{{Name: "loop.go",
		Text: strings.Replace(oneLoop, "§", "t.T == 0", 1)}})
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Load(ctx, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, cancel)
	cell := cellsOf(t, strings.Replace(setting, `"sgd"`, `"loop"`, 1))[0]
	_, err = run(menu(t, s.Register), cell, 1)
	var fault *Fault
	if !errors.As(err, &fault) || !fault.Timeout || !strings.Contains(err.Error(), "was stopped") {
		t.Errorf("a loop whose context ends: %v", err)
	}
}

// Problems of a strategy are those of an experiment: all of them at once, in order.
func TestAllProblemsAtOnce(t *testing.T) {
	source := NewSource("x.go", []vet.File{{Name: "x.go", Text: "package x\n\nfunc f() {\n" +
		"\tgo f()\n\tdefer f()\n\tx_ := 1\n\t_ = x_\n\tvar m map[any]int\n\tprintln(m)\n}\n"}})
	_, err := Load(t.Context(), source, 0)
	var problems study.Problems
	if !errors.As(err, &problems) || len(problems) != 5 {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}

// A panic in one file of several is found in that file.
func TestFaultsInOneOfSeveralFiles(t *testing.T) {
	source := NewSource("two", []vet.File{
		{Name: "two/a.go", Text: `package two

import "github.com/hansa-fl/hansa/framework/fl"

var Entry = fl.AggregatorEntry{Name: "bad", Summary: "fails in another file",
	New: func(*fl.Params) (fl.Aggregator, error) { return &rule{}, nil }}

type rule struct{}

func (*rule) Aggregate(r *fl.Round) (fl.Outcome, error) {
	return fl.Outcome{Params: last(r.Global)}, nil
}
`},
		{Name: "two/b.go", Text: `package two

import "github.com/hansa-fl/hansa/framework/fl"

func last(v fl.Vector) fl.Vector {
	end := len(v)
	return fl.Vector{v[end]}
}
`},
	})
	s, err := Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(setting, `aggregator = "fedavg"`, `aggregator = "bad"`, 1)
	_, err = run(menu(t, s.Register), cellsOf(t, text)[0], 1)
	want := "round 1: two/b.go:7:2: bad: Aggregate: panic: index out of range"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What is not used any more does not stay: neither interpreters nor what waits to stop them. That
// holds while a strategy is examined, too, where statements call what knows of the inputs.
func TestComponentsAreCollected(t *testing.T) {
	source, err := Read("testdata/kinds/aggregator.go")
	if err != nil {
		t.Fatal(err)
	}
	examined, err := LoadExam(t.Context(), source, time.Minute, new(Exam))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Strategy{load(t, "testdata/kinds/aggregator.go"), examined} {
		var r registry.Registry
		if err := s.Register(&r); err != nil {
			t.Fatal(err)
		}
		e, _ := r.Aggregators.Get("loop-median")
		before := runtime.NumGoroutine()
		for range 50 {
			if _, err := e.New(fl.NewParams(nil, fl.Setting{}, nil)); err != nil {
				t.Fatal(err)
			}
		}
		for tries := 0; runtime.NumGoroutine() > before+20; tries++ {
			if tries == 100 {
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			}
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
	}
}
