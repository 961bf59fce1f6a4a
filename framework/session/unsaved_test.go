package session

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// What is computed and cannot be stored is kept, and stored as soon as it can be: no cell is lost,
// none is begun meanwhile.
func TestResultsAreHeldUntilTheyAreStored(t *testing.T) {
	want := eightWhole(t)
	x, err := Read("eight.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	run := store.Run{Dir: "unsaved"}
	results := filepath.Join(run.Dir, "results")
	if err := os.MkdirAll(run.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(results, nil, 0o666); err != nil { // a file where a folder should be
		t.Fatal(err)
	}
	said := new(told)
	j := &Job{Session: &Session{Listener: said}, Run: run, Experiment: x,
		Reasons: map[string]string{}, shared: newSharedFailures(), methods: map[string]bool{"FedAvg": true}}
	o := &Options{Jobs: 1}
	h := newRunner(j, j.engineOptions(o, 1), o, nil, j.watch(8, 40, 1).Slot(0))
	h.cell(t.Context(), 0)
	if h.unsaved == nil || j.unstored == nil {
		t.Fatalf("nothing is unsaved, and it says %v\n%s", j.unstored, said)
	}
	h.cell(t.Context(), 1)
	if j.roomless != 1 || len(j.Reasons) > 0 {
		t.Errorf("%d cells did not begin, and failed: %v", j.roomless, j.Reasons)
	}
	if err := os.Remove(results); err != nil {
		t.Fatal(err)
	}
	h.cell(t.Context(), 2)
	h.settle()
	if h.unsaved != nil || len(j.Reasons) > 0 || strings.Count(said.String(), "] ok ") != 2 {
		t.Errorf("unsaved: %v, failed: %v\n%s", h.unsaved, j.Reasons, said)
	}
	for path, content := range contents(t, results) {
		if want[path] != content {
			t.Errorf("%s is another result", path)
		}
	}
	if n := len(contents(t, results)); n != 2 {
		t.Errorf("%d results are stored", n)
	}
}

// The reasons why cells fail that others share, and those that they do not.
func TestWhatFailuresTell(t *testing.T) {
	eightWhole(t)
	x, err := Read("eight.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells := slices.Clone(x.Cells) // FedAvg with seeds 0 to 3, then FedAvg, faster
	methods := map[string]bool{"FedAvg": true, "FedAvg, faster": true}
	lost := &fs.PathError{Op: "open", Path: "x.csv", Err: syscall.ENOENT}
	type failure struct {
		cell int
		err  error
	}
	for name, c := range map[string]struct {
		failed []failure
		well   bool // a cell ended well before
		barred []int
	}{
		"data that are not there": {[]failure{{0, setting("dataset", lost)}}, false,
			[]int{0, 1, 2, 3, 4, 5, 6, 7}},
		"a bad draw": {[]failure{{1, setting("partition", lost)}}, false, []int{1, 5}},
		"two draws": {[]failure{{1, setting("partition", lost)}, {2, setting("partition", lost)}}, false,
			[]int{0, 1, 2, 3, 4, 5, 6, 7}},
		"one draw, twice": {[]failure{{1, setting("partition", lost)}, {5, setting("partition", lost)}}, false,
			[]int{1, 5}},
		"a method": {[]failure{{0, lost}, {1, lost}, {2, lost}}, false, nil},
		"every method": {[]failure{{0, fmt.Errorf("seed 0: %w", lost)}, {5, fmt.Errorf("seed 1: %w", lost)}},
			false, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"every method, but not always":    {[]failure{{0, lost}, {5, lost}}, true, nil},
		"every method, for other reasons": {[]failure{{0, lost}, {5, syscall.EIO}}, false, nil},
	} {
		h := newSharedFailures()
		h.begun = c.well
		for _, f := range c.failed {
			h.failed(&cells[f.cell], f.err, methods)
		}
		var barred []int
		for i := range cells {
			if h.why(&cells[i]) != "" {
				barred = append(barred, i)
			}
		}
		if !slices.Equal(barred, c.barred) {
			t.Errorf("%s: %v are not begun, want %v", name, barred, c.barred)
		}
	}
}

// A data set that is not there costs one cell: the run stops, and says once why and how many cells
// that concerns. Cells with other data run.
func TestAReasonThatAllShareStopsTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HANSA_DATA", "")
	lines := strings.NewReplacer(`{ name = "regression", features = 2, samples_per_client = 5 }`,
		`{ name = "csv", train_file = "lost.csv", label = "y", numbers = ["a"], held_out = 0.2 }`,
		`"natural"`, `"iid"`, `"linear"`, `"softmax"`).Replace(eight)
	if err := os.WriteFile("lost.toml", []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	// What refuses this before anything runs does not see what happens later: a file that goes.
	x, err := Read("lost.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	said := new(told)
	j := (&Session{Listener: said}).newJob(x, store.Run{Dir: "lost"}, nil)
	if err := os.Mkdir("lost", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := j.execute(t.Context(), j.Missing(), &Options{Jobs: 1}); err != fault.ErrFailed {
		t.Errorf("it ends with %v", err)
	}
	if strings.Count(said.String(), "FAIL") != 1 || strings.Count(said.String(), "lost.csv") != 2 ||
		!strings.Contains(said.String(), " is shared by 7 training runs that were not begun: dataset: ") || j.LeftOut() != ", 7 not begun" {
		t.Errorf("it says\n%s", said)
	}
	if left := maps.Keys(contents(t, "lost/failures")); len(slices.Collect(left)) != 1 {
		t.Error("cells that were not begun have failed")
	}
}

// setting is an error of a part of the setting.
func setting(slot string, err error) error { return &engine.SettingError{Slot: slot, Err: err} }

// told is a listener that keeps what it is told.
type told struct {
	strings.Builder
	name string // of the cell at work
}

func (s *told) Say(line string)              { fmt.Fprintln(s, line) }
func (s *told) Warn(p study.Problems) error  { return p.Warn(s, false) }
func (s *told) Watch(int, int, int) Progress { return s }
func (s *told) Slot(int) Slot                { return s }
func (s *told) Above(lines string)           { fmt.Fprint(s, lines) }
func (s *told) Begin(name string, _ int)     { s.name = name }
func (s *told) Prepares(string, int, int)    {}
func (s *told) Rounds(int)                   {}
func (s *told) Hear(r launch.Report)         { fmt.Fprint(s, r.Remark) }
func (s *told) Skip()                        {}
func (s *told) Close()                       {}

func (s *told) End(err error) {
	if err != nil {
		fmt.Fprintf(s, "[] FAIL %s: %v\n", s.name, err)
		return
	}
	fmt.Fprintf(s, "[] ok   %s\n", s.name)
}

func (s *told) Await(_ context.Context, runners *sync.WaitGroup) { runners.Wait() }

// eight is an experiment of eight cells that take a moment.
const eight = `seeds = 4

[setting]
clients    = 4
rounds     = 5
dataset    = { name = "regression", features = 2, samples_per_client = 5 }
partition  = "natural"
importance = "uniform"
model      = "linear"
local      = { name = "sgd", steps = 1, lr = 0.01 }
metrics    = ["loss"]

[[method]]
label      = "FedAvg"
aggregator = "fedavg"

[[method]]
label      = "FedAvg, faster"
aggregator = "fedavg"
local      = { lr = 0.02 }
`

// eightWhole runs it in a new folder, to which it changes, and returns the files of the results.
func eightWhole(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	s := new(Session)
	x, err := Read("eight.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.NewRun(x, "runs/eight", "")
	o := (&Options{}).settled()
	if err == nil {
		err = j.execute(t.Context(), j.Missing(), o)
	}
	if err != nil || o.Memory != 0 { // which would limit the next run with the same options
		t.Fatal(err, o.Memory)
	}
	return contents(t, "runs/eight/results")
}

// contents returns all files below a folder, by their paths from there.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
