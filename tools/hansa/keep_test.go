package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fusion is an experiment of one round, whose servers but one record plans.
const fusion = `seeds = 1

[setting]
clients    = 3
rounds     = 1
dataset    = { name = "glyphs", train = 120, test = 40 }
partition  = { name = "dirichlet", kind = "per-class", alpha = 10.0 }
importance = "uniform"
model      = { name = "mlp", widths = [6, 5] }
local      = { name = "sgd", epochs = 1, batch = 10, lr = 0.05 }
validation = 0.1
initial    = "independent"
metrics    = ["accuracy"]

[[method]]
label      = "CODE"
aggregator = { name = "code", solver = "exact" }

[[method]]
label      = "best local"
aggregator = "best-local"
`

// With --keep plans are stored beside the results, which are the same to the byte as without,
// and so is what is stored of the command.
func TestKeep(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("fusion.toml", []byte(fusion), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "fusion.toml", "--dir", "plain")
	try(t, exitOK, "run", "fusion.toml", "--dir", "kept", "--keep")
	if !maps.Equal(contents(t, "plain/results"), contents(t, "kept/results")) {
		t.Error("the results are others than without --keep")
	}
	if a, b := contents(t, "plain")["plan.json"], contents(t, "kept")["plan.json"]; a != b {
		t.Errorf("the plan differs:\n%s\n%s", a, b)
	}
	if _, err := os.Stat("plain/arrays"); err == nil {
		t.Error("arrays were stored without --keep")
	}
	files := contents(t, "kept/arrays")
	var names []string
	methods := map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if filepath.Base(path) == "round-1-sent.npy" { // of every method
			methods[filepath.Dir(path)]++
		} else {
			names = append(names, filepath.Base(path))
		}
		if !strings.HasPrefix(files[path], "\x93NUMPY\x01\x00") {
			t.Errorf("%s begins with %.8q", path, files[path])
		}
	}
	want := []string{"round-1-plan-1-of-layer-1.npy", "round-1-plan-1-of-layer-2.npy",
		"round-1-plan-2-of-layer-1.npy", "round-1-plan-2-of-layer-2.npy"}
	if !slices.Equal(names, want) {
		t.Errorf("arrays %v, want %v", names, want)
	}
	if len(methods) != 2 {
		t.Errorf("what clients were sent is kept of %v, want two methods", methods)
	}
	id := filepath.Dir(slices.Sorted(maps.Keys(files))[0])
	if _, there := contents(t, "kept/results")[filepath.Join(id[:2], id+".json")]; !there {
		t.Errorf("the arrays are those of %s, which is no cell", id)
	}
}

// Worker processes keep nothing, and what cannot be stored costs its cell its result.
func TestKeepWhereItCannotBe(t *testing.T) {
	cases, err := filepath.Abs("testdata/cases/strategies")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(cases)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("fusion.toml", []byte(fusion), 0o666); err != nil {
		t.Fatal(err)
	}
	_, said := try(t, exitUsage, "run", "fusion.toml", "--keep", "--isolation", "process")
	if !strings.Contains(said, "worker processes keep no arrays; leave out --isolation process") {
		t.Error(said)
	}
	_, said = try(t, exitUsage, "run", "good.toml", "--keep")
	if !strings.Contains(said, "Half · seed 0 has strategies") || !strings.Contains(said, "with --isolation none") {
		t.Error(said)
	}
	if found := glob(t, "runs"); len(found) > 0 {
		t.Error("what was refused left something")
	}
	try(t, exitOK, "run", "good.toml", "--keep", "--isolation", "none")
	if err := os.MkdirAll("runs/fusion", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("runs/fusion/arrays", nil, 0o666); err != nil { // a file in its place
		t.Fatal(err)
	}
	_, said = try(t, exitFailed, "run", "fusion.toml", "--keep")
	if strings.Count(said, "FAIL ") != 2 || !strings.Contains(said, "nothing can be stored in runs/fusion") ||
		!strings.Contains(said, "`hansa run fusion.toml --keep` tries them again") {
		t.Error(said)
	}
	try(t, exitOK, "run", "fusion.toml") // without them there is nothing in the way
}
