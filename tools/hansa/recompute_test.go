package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// recomputed are the methods that recompute.py computes again, most of them by the names of their
// aggregators.
var recomputed = []string{"fedavg", "fedavg-hajek", "fedavgm", "fedadagrad", "fedadam", "fedyogi",
	"generalized-fedavg", "fedgma", "fedexp", "fednova", "scaffold", "feddyn"}

// inRecompute moves into a folder with the files of testdata/recompute and a run of them.
func inRecompute(t *testing.T) {
	t.Helper()
	from, err := filepath.Abs("testdata/recompute")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "recompute.toml")
}

// Five rounds, computed again in NumPy from what clients sent and from the papers' formulas, end in
// the same models to 1e-12.
//
//hansa:verifies golden aggregator/fedavg aggregator/fedavgm aggregator/fedadagrad
//hansa:verifies golden aggregator/fedadam aggregator/fedyogi aggregator/generalized-fedavg
//hansa:verifies golden aggregator/fedgma aggregator/fedexp aggregator/fednova aggregator/scaffold
//hansa:verifies golden aggregator/feddyn
func TestExportedUpdatesAreEnoughToRecompute(t *testing.T) {
	python := datatest.NumPy(t)
	inRecompute(t)
	try(t, exitOK, "export", "recompute", "--what", "updates")
	out, err := exec.Command(python, "recompute.py", "export/recompute").CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	var done []string
	for line := range strings.Lines(string(out)) {
		done = append(done, strings.Fields(line)[0])
	}
	if !slices.Equal(done, recomputed) {
		t.Errorf("computed again: %v, want %v", done, recomputed)
	}
	before := contents(t, "export")
	try(t, exitOK, "export", "recompute", "--what", "updates", "-o", "again")
	for name, content := range contents(t, "again") {
		if before[name] != content {
			t.Errorf("%s: the same run has other bytes", name)
		}
	}
}

// What would not fit, what is not asked for well and what no run has is refused.
func TestUpdatesThatCannotBeExported(t *testing.T) {
	inRecompute(t)
	refused := func(code int, want string, args ...string) {
		t.Helper()
		_, said := try(t, code, append([]string{"export", "recompute"}, args...)...)
		if !strings.Contains(said, want) {
			t.Errorf("%v: %s, want %q", args, said, want)
		}
	}
	refused(exitUsage, "--limit is 1 kB", "--what", "updates", "--limit", "1000B")
	refused(exitUsage, "--only is for --what updates and --to safetensors", "--only", "method=fedavg")
	refused(exitUsage, "--what updates writes NumPy", "--what", "updates", "--to", "csv")
	refused(exitUsage, `did you mean "updates"`, "--what", "update")
	refused(exitUsage, `did you mean "fedexp"`, "--what", "updates", "--only", "method=fedexpp")
	if err := os.RemoveAll("runs/recompute/results"); err != nil {
		t.Fatal(err)
	}
	refused(exitFailed, "no training run that is asked for", "--what", "updates")
}
