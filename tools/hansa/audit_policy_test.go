package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/reports/table"
)

// An audit compares the policies of a method whose p is unattainable, and of no other. What it says
// of a policy is what it finds of a row that has it. A server optimizer without
// momentum over such a method leaves all that.
func TestAuditComparesPolicies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.toml")
	text := `title = "x"
seeds = 1
[setting]
clients      = 6
rounds       = 20
dataset      = { name = "regression", features = 2, samples_per_client = 9 }
partition    = "natural"
importance   = { name = "linear", direction = "decreasing" }
model        = "linear"
local        = { name = "sgd", lr = 0.01 }
availability = { name = "k-subset", k = 2, prior = { name = "linear", direction = "increasing" } }
metrics      = ["objective"]
`
	for _, row := range []string{
		"nearest\"\naggregator = \"fedavot",
		"soft\"\naggregator = { name = \"fedavot\", on_infeasible = \"soft\" }\nrole = \"upper-bound",
		"project\"\naggregator = { name = \"fedavot\", on_infeasible = \"project\" }\nrole = \"upper-bound",
		"feasible\"\naggregator = \"fedavot\"\nimportance = \"uniform\"\navailability = \"always",
		"learnt\"\naggregator = { name = \"fedavot\", learn = true }\nrole = \"upper-bound",
		"mean\"\naggregator = \"fedavg",
		"within\"\naggregator = { name = \"fedavgm\", inner = \"fedavot\", momentum = 0 }\nrole = \"upper-bound",
	} {
		text += fmt.Sprintf("[[method]]\nlabel = \"%s\"\n", row)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"audit", file, "--format", "json"}
	if code := hansa(context.Background(), &out, &errs, args); code != 0 {
		t.Fatal(errs.String())
	}
	var a table.Audit
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	tv := map[string]float64{}
	for _, f := range a.Findings {
		tv[f.Method] = f.TV
	}
	both := []string{"nearest", "soft"}
	want := map[string][]string{"nearest": both, "soft": both, "within": both,
		"project": {"project", "nearest", "soft"}}
	for _, f := range a.Findings {
		var values []string
		for _, p := range f.Policies {
			values = append(values, p.Value)
			param := "on_infeasible"
			if f.Method == "within" {
				param = "inner.on_infeasible"
			}
			if p.Param != param || math.Abs(p.TV-tv[p.Value]) > 1e-12 || p.Speaking < 1 {
				t.Errorf("%s: %+v, its row has %v", f.Method, p, tv[p.Value])
			}
			if p.Prediction == nil || p.Prediction.Level == nil {
				t.Errorf("%s: %s has no level", f.Method, p.Value)
			}
		}
		if !slices.Equal(values, want[f.Method]) {
			t.Errorf("%s: %q, want %q", f.Method, values, want[f.Method])
		}
	}
	if len(a.Findings) != 7 || tv["soft"] < tv["nearest"]+0.001 {
		t.Errorf("%v", tv)
	}
}
