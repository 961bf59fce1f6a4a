package session

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Components that are planned never play: what components keep of rounds, so as to allocate nothing
// in the next one, is gone when a training run ends, and not kept for every one of thousands.
func TestPlannedComponentsNeverPlay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.toml")
	const text = `title = "kept"
seeds = 2

[setting]
clients    = 4
rounds     = 2
dataset    = { name = "regression", features = 2, samples_per_client = 4 }
partition  = "natural"
importance = "uniform"
model      = "linear"
metrics    = ["loss"]

[[method]]
label      = "SCAFFOLD"
local      = { name = "scaffold", steps = 2, lr = 0.1 }
aggregator = "scaffold"

[[method]]
label      = "FedCM"
local      = { name = "fedcm", steps = 2, lr = 0.1 }
aggregator = "fedcm"

[[method]]
label      = "median"
local      = { name = "sgd", steps = 2, lr = 0.1 }
aggregator = "coordinate-median"
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := new(Session)
	x, err := s.Load(t.Context(), file, new(Overrides))
	if err != nil {
		t.Fatal(err)
	}
	job, err := s.RunExperiment(t.Context(), x, filepath.Join(t.TempDir(), "run"), Options{})
	if err != nil || len(job.Reasons) > 0 {
		t.Fatal(err, job)
	}
	for i := range x.setups {
		fresh, err := x.Setup(i)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x.setups[i].Aggregator, fresh.Aggregator) ||
			!reflect.DeepEqual(x.setups[i].Local, fresh.Local) {
			t.Errorf("%s: components that were planned have played", x.Cells[i].Label())
		}
	}
}
