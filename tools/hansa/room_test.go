package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// What is computed and cannot be stored is held, and stored as soon as it can be: no cell is lost,
// none is begun meanwhile.
func TestResultsAreHeldUntilTheyAreStored(t *testing.T) {
	want, _ := eightWhole(t)
	x, err := load("eight.toml", &overrides{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	run := store.Run{Dir: "held"}
	results := filepath.Join(run.Dir, "results")
	if err := os.MkdirAll(run.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(results, nil, 0o666); err != nil { // a file where a folder should be
		t.Fatal(err)
	}
	var said strings.Builder
	j := &job{session: newCommand(nil, &said).session, run: run, x: x,
		reasons: map[string]string{}, halt: newHalt(), methods: map[string]bool{"FedAvg": true}}
	o := &options{Jobs: 1}
	h := newHand(j, j.engineOptions(o, 1), o, nil, j.watch(8, 40, 1).Slot(0))
	h.cell(t.Context(), 0)
	if h.held == nil || j.unstored == nil {
		t.Fatalf("nothing is held, and it says %v\n%s", j.unstored, &said)
	}
	h.cell(t.Context(), 1)
	if j.roomless != 1 || len(j.reasons) > 0 {
		t.Errorf("%d cells did not begin, and failed: %v", j.roomless, j.reasons)
	}
	if err := os.Remove(results); err != nil {
		t.Fatal(err)
	}
	h.cell(t.Context(), 2)
	h.settle()
	if h.held != nil || len(j.reasons) > 0 || strings.Count(said.String(), "] ok ") != 2 {
		t.Errorf("held: %v, failed: %v\n%s", h.held, j.reasons, &said)
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
	_, _ = eightWhole(t)
	x, err := load("eight.toml", &overrides{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	cells := slices.Clone(x.cells) // FedAvg with seeds 0 to 3, then FedAvg, faster
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
		h := newHalt()
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
	x, err := load("lost.toml", &overrides{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	j := newCommand(nil, &said).newJob(x, store.Run{Dir: "lost"}, nil)
	if err := os.Mkdir("lost", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := j.execute(t.Context(), j.missing(), &options{Jobs: 1}); err != fault.ErrFailed {
		t.Errorf("it ends with %v", err)
	}
	if strings.Count(said.String(), "FAIL") != 1 || strings.Count(said.String(), "lost.csv") != 2 ||
		!strings.Contains(said.String(), " is shared by 7 cells that were not begun: dataset: ") || j.leftOut() != ", 7 not begun" {
		t.Errorf("it says\n%s", &said)
	}
	if left := maps.Keys(contents(t, "lost/failures")); len(slices.Collect(left)) != 1 {
		t.Error("cells that were not begun have failed")
	}
}

// setting is an error of a part of the setting.
func setting(slot string, err error) error { return &engine.SettingError{Slot: slot, Err: err} }
