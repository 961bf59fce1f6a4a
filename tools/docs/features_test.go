package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// What the README exports by PyTorch, its experiment reads: NumPy writes the file, with something
// in the place of an encoder.
func TestExportedFeaturesRun(t *testing.T) {
	stand, err := filepath.Abs("testdata/torch.py")
	if err != nil {
		t.Fatal(err)
	}
	program := "exec(open(" + `"` + stand + `"` + ").read())\n" + blocks(t, "python", "experiments/README.md")[0]
	for _, block := range blocks(t, "toml", "experiments/README.md") {
		if !strings.Contains(block, "features.npz") {
			continue
		}
		file := write(t, "features.toml", block)
		export := exec.Command(datatest.NumPy(t), "-c", program)
		export.Dir = filepath.Dir(file)
		if out, err := export.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		run := exec.Command(hansa(t), "run", file, "--data", export.Dir,
			"--dir", filepath.Join(export.Dir, "runs"))
		run.Dir = top
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "the partition leaves out") {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	t.Error("no experiment of the README reads features.npz")
}
