//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// tunedMine is an experiment with a strategy of the user's whose parameters are chosen beside those
// of built-in methods: four settings of each method, with two seeds.
const tunedMine = `title   = "mine, tuned"
plugins = ["mine/mine.go"]
seeds   = 2

[setting]
clients      = 4
rounds       = 6
dataset      = { name = "glyphs", train = 400, test = 200 }
partition    = { name = "dirichlet", kind = "per-client", alpha = 0.3 }
importance   = "linear"
model        = "softmax"
local        = { name = "sgd", steps = 2, batch = 16 }
availability = { name = "k-subset", k = 2 }
metrics      = ["accuracy"]

[[method]]
label      = "FedAvg"
aggregator = { name = "fedavg", weights = "self-normalised" }

[[method]]
label      = "mine"
local      = { name = "mine", steps = 2, batch = 16 }
aggregator = { name = "fedavg", weights = "self-normalised" }

[[method]]
label      = "FedAVOT"
aggregator = "fedavot"

[tune]
budget = 4
by     = "accuracy"
seeds  = [100, 101]

[tune.space]
"local.lr" = { log = [1e-2, 1.0] }
"local.mu" = [0.01, 0.1]

[report]
baseline = "FedAvg"
tuned    = "required"
`

// A rule that hansa new writes is tuned beside built-in methods with the same budget, and each row of
// the table says what was chosen. The strategy is changed, and its trials alone are run again.
func TestStrategyIsTuned(t *testing.T) {
	t.Chdir(t.TempDir())
	prints(t, "new", "local", "mine")
	if err := os.WriteFile("mine.toml", []byte(tunedMine), 0o666); err != nil {
		t.Fatal(err)
	}
	first := tells(t, "run", "mine.toml", "--jobs", "2")
	for _, want := range []string{"trials of [tune]: 0 training runs are done, 24 to run\n", "¹ tuned: lr = ", "² tuned: lr = ", ", mu = 0.",
		"³ tuned: lr = ", ", the best of 4 settings", "interpreted from mine.go", "a grid search of 4 settings per method"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	edit(t, "mine/mine.go", "grad.AddScaled(m.mu, t.Params)", "grad.AddScaled(2*m.mu, t.Params)")
	if again := tells(t, "run", "mine.toml", "--jobs", "2"); !strings.Contains(again, "trials of [tune]: 16 training runs are done, 8 to run\n") ||
		!strings.Contains(again, "4 training runs are done, 2 to run\n") {
		t.Errorf("after the strategy was changed:\n%s", again)
	}
}

// tells runs a command line that must succeed, and returns all that it prints.
func tells(t *testing.T, args ...string) string {
	t.Helper()
	var said strings.Builder
	if code := hansa(t.Context(), &said, &said, args); code != exitOK {
		t.Fatalf("hansa %s: exit code %d\n%s", strings.Join(args, " "), code, &said)
	}
	return said.String()
}

// What is watched is tuned again where a save changes it: trials of a strategy that was saved, and
// settings that a larger budget adds; the ends of a range are tried already. A save among trials
// begins again.
func TestWatchTunes(t *testing.T) {
	said, end := watched(t, "tuned.toml")
	first := said.take(t, "watching tuned.toml, half.go; Ctrl-C ends\n")
	if !strings.Contains(first, "trials of [tune]: 0 training runs are done, 6 to run\n") || strings.Count(first, "] ok ") != 10 {
		t.Errorf("it begins with\n%s", first)
	}
	edit(t, "half.go", `"share", 0.5`, `"share", 0.25`)
	again := said.take(t, "watching")
	for _, want := range []string{"half.go was saved\n", "trials of [tune]: 3 training runs are done, 3 to run\n", "2 training runs are done, 2 to run\n"} {
		if !strings.Contains(again, want) {
			t.Errorf("%q is not in\n%s", want, again)
		}
	}
	edit(t, "tuned.toml", "budget = 3", "budget = 1")
	if wrong := said.take(t, "watching"); !strings.Contains(wrong, "more than the budget of 1") {
		t.Errorf("a mistake is\n%s", wrong)
	}
	edit(t, "tuned.toml", "budget = 1", "budget = 4")
	if more := said.take(t, "watching"); !strings.Contains(more, "trials of [tune]: 4 training runs are done, 4 to run\n") {
		t.Errorf("with a larger budget\n%s", more)
	}
	edit(t, "tuned.toml", "rounds     = 4", "rounds     = 1000000")
	said.take(t, "trials of [tune]: 0 training runs are done, 8 to run\n")
	edit(t, "tuned.toml", "rounds     = 1000000", "rounds     = 5")
	if back := said.take(t, "watching"); !strings.Contains(back, "tuned.toml was saved\n") || strings.Count(back, "] ok ") != 12 {
		t.Errorf("after a save among trials\n%s", back)
	}
	if code := end(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}
