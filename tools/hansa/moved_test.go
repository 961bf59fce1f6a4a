package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run whose folder has moved goes on with its experiment file, which is known by the cells; a
// folder with the run of another file is refused as before.
func TestMovedRunsAreKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	begun(t, "aggregator", "mine", "mine")
	file := filepath.Join("mine", "mine.toml")
	few := []string{"--seeds", "1", "--set", "rounds=2"}
	try(t, exitOK, append([]string{"run", file}, few...)...)
	moved := filepath.Join("else where", "other")
	if err := os.MkdirAll(filepath.Dir(moved), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join("runs", "mine"), moved); err != nil {
		t.Fatal(err)
	}
	here := append([]string{"run", file, "--dir", moved}, few...)
	if _, said := try(t, exitOK, here...); !strings.Contains(said, "nothing to run: 3 training runs are done") {
		t.Errorf("run says\n%s", said)
	}
	other := filepath.Join("mine", "other.toml")
	copied(t, file, other)
	refused := "holds the run of " + file + ", not of " + other
	_, said := try(t, exitUsage, append([]string{"run", other, "--dir", moved}, few...)...)
	if !strings.Contains(said, refused) {
		t.Errorf("the file is there, and another one takes its run:\n%s", said)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, said = try(t, exitUsage, "run", other, "--dir", moved, "--seeds", "1", "--set", "rounds=3")
	if !strings.Contains(said, refused) {
		t.Errorf("no cell is the same, and yet it takes the run:\n%s", said)
	}
	try(t, exitOK, append([]string{"run", other, "--dir", moved}, few...)...)
}

// copied copies a file.
func copied(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A run of the same folder with a changed strategy says how many cells are planned anew; the run
// goes by the file then.
func TestChangedStrategiesArePlannedAnew(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kind := range []string{"aggregator", "selection"} {
		begun(t, kind, "my-"+kind, kind)
	}
	text := `plugins = ["aggregator/my-aggregator.go", "selection/my-selection.go"]
[setting]
clients = 4
rounds = 1
dataset = { name = "regression", features = 2, samples_per_client = 5 }
partition = "natural"
importance = "uniform"
model = "linear"
local = "sgd"
metrics = ["loss"]
[[method]]
label = "a"
aggregator = "my-aggregator"
[[method]]
label = "b"
aggregator = "fedavg"
selection = { name = "my-selection", k = 2 }
[[method]]
label = "c"
aggregator = "fedavg"
`
	if err := os.WriteFile("two.toml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "two.toml", "--seeds", "2")
	for _, path := range []string{"aggregator/my-aggregator.go", "selection/my-selection.go"} {
		code, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, append(code, "\n// Changed.\n"...), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	both := filepath.Join("aggregator", "my-aggregator.go") + " and " +
		filepath.Join("selection", "my-selection.go") + " have changed since "
	for _, args := range [][]string{{"table", "two"}, {"compare", "two", "two"}} {
		_, said := try(t, exitOK, args...)
		if want := both + filepath.Join("runs", "two") + " was planned; what is stored goes by the run's own " +
			"copies of them; `hansa run two.toml --seeds 2` plans new runs\n"; strings.Count(said, want) != 1 {
			t.Errorf("%s says\n%s", args[0], said)
		}
	}
	_, said := try(t, exitOK, "run", "two.toml", "--seeds", "2")
	if want := both + "runs/two was planned: 4 training runs are planned anew; `hansa gc runs/two --orphans` "; !strings.Contains(
		said, want) || !strings.Contains(said, "2 training runs are done, 4 to run") {
		t.Errorf("run says\n%s", said)
	}
	if _, said := try(t, exitOK, "table", "two"); said != "" {
		t.Errorf("the run goes by the file, and yet table says\n%s", said)
	}
}
