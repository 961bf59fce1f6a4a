package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eight is an experiment of eight cells.
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

// Where the disk does not take what a run stores, the cells that it concerns fail, or do not begin
// once that is known, and all others go on; every result that could be stored is, and once the
// trouble is over, what is missing runs. A file where a folder should be refuses even root.
func TestDiskTrouble(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "eight.toml", "--dir", "whole")
	want := contents(t, "whole/results")
	first := filepath.Dir(slices.Sorted(maps.Keys(want))[0])
	for _, block := range []string{"results/" + first, "results", "attempts"} {
		t.Run(block, func(t *testing.T) {
			t.Cleanup(func() { os.RemoveAll("runs") })
			trouble(t, want, block)
		})
	}
}

// try runs a command line and returns what it printed.
func try(t *testing.T, want int, args ...string) (printed, said string) {
	t.Helper()
	var out, err strings.Builder
	if code := hansa(t.Context(), &out, &err, args); code != want {
		t.Fatalf("hansa %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, &err)
	}
	return out.String(), err.String()
}

// trouble runs eight.toml with a file where there should be a folder, and again once it is
// gone.
func trouble(t *testing.T, want map[string]string, block string) {
	failed, beside := 0, block == "attempts"
	for path := range want {
		if beside || strings.HasPrefix("results/"+path, block+"/") {
			failed++
		}
	}
	block = filepath.Join("runs", "eight", block)
	if err := os.MkdirAll(filepath.Dir(block), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(block, []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := map[bool]string{true: "1", false: "2"}[beside] // how many begin before one fails is chance
	printed, said := try(t, exitFailed, "run", "eight.toml", "-j", at)
	ran := 8
	if !beside {
		ran -= failed // where no result can be read none is computed
	}
	why := map[bool]string{true: "nothing can be stored in runs/eight: not a directory",
		false: "its result cannot be read: not a directory"}[beside]
	if marked := strings.Contains(printed, why); marked == beside {
		t.Errorf("what cannot be stored, and is no result (%v), in the table:\n%s", beside, printed)
	}
	if n := strings.Count(said, ": not a directory"); n < 1 || n > 1 && !beside || n > 3 {
		t.Errorf("it says %d times what is wrong:\n%s", n, said)
	}
	verdict := fmt.Sprintf("\n%d of 8 training runs failed; ", failed)
	if beside { // one cell, and then it is known
		ran, verdict = 1, "\n1 of 8 training runs failed, 7 not begun; "
	}
	if strings.Count(said, "FAIL ")+strings.Count(said, "ok  ") != ran {
		t.Errorf("not %d cells ran:\n%s", ran, said)
	}
	if !strings.Contains(said, verdict) {
		t.Errorf("it does not say %q:\n%s", verdict, said)
	}
	if mine, err := os.ReadFile(block); err != nil || string(mine) != "mine\n" {
		t.Errorf("what was in the way is now %q, %v", mine, err)
	}
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	printed, said = try(t, exitOK, "run", "eight.toml")
	if !maps.Equal(contents(t, "runs/eight/results"), want) {
		t.Errorf("the results are not those of a run without trouble:\n%s", said)
	}
	if strings.Contains(printed, "failed") || strings.Contains(said, "hansa:") {
		t.Errorf("the trouble goes on:\n%s%s", printed, said)
	}
	if n := strings.Count(said, "ok  "); n > failed {
		t.Errorf("%d cells ran again, of which %d had failed:\n%s", n, failed, said)
	}
}
