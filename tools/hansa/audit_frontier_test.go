package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/table"
)

// frontierFile is an experiment of a plan of least variance and others; more is added to [report].
func frontierFile(t *testing.T, more string) string {
	t.Helper()
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
[[method]]
label = "mean"
aggregator = { name = "fedavg", weights = "uniform" }
[[method]]
label = "FedAVOT"
aggregator = "fedavot"
[[method]]
label = "least"
aggregator = { name = "minimum-variance", on_infeasible = "least-variance" }
[report]
metric = "objective"
` + more
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// The frontier is shown where the flag or the file asks for it, with every method beside it, and is
// drawn in the formats of figures, the same bytes each time.
func TestAuditDrawsTheFrontier(t *testing.T) {
	run := func(args ...string) (string, string, int) {
		var out, errs bytes.Buffer
		code := hansa(context.Background(), &out, &errs, args)
		return out.String(), errs.String(), code
	}
	plain, asked := frontierFile(t, ""), frontierFile(t, "frontier = true\n")
	without, _, _ := run("audit", plain)
	byFlag, _, _ := run("audit", plain, "--frontier")
	byFile, errs, code := run("audit", asked)
	if code != 0 || strings.Contains(without, "least TV") || byFlag != byFile ||
		!strings.Contains(byFile, "least, any weights") {
		t.Fatalf("%s%s\n%s", errs, byFlag, byFile)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.svg", "b.svg", "c.png", "d.pdf"} {
		if _, errs, code := run("audit", plain, "-o", filepath.Join(dir, name)); code != 0 ||
			!strings.Contains(errs, "a point is a method") {
			t.Fatalf("%s: %s", name, errs)
		}
	}
	a, err := os.ReadFile(filepath.Join(dir, "a.svg"))
	b, again := os.ReadFile(filepath.Join(dir, "b.svg"))
	if err != nil || again != nil || !bytes.Equal(a, b) || !bytes.Contains(a, []byte("frontier, convex weights")) {
		t.Errorf("the figure: %v, %v", err, again)
	}
	if _, errs, code := run("audit", plain, "-o", "x.gif"); code != exitUsage || !strings.Contains(errs, ".svg") {
		t.Errorf("x.gif: %d %s", code, errs)
	}
	text, _, _ := run("audit", plain, "--frontier", "--format", "json")
	var found table.Audit
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	least := found.Findings[2]
	points := least.Frontier.Convex.Points
	last := points[len(points)-1]
	if math.Abs(last.TV-least.TV)+math.Abs(last.Variance-least.Effective.Variance) > 1e-5 {
		t.Errorf("least variance is at %v, %v, the frontier ends at %+v", least.Effective.Variance, least.TV, last)
	}
}
