package main

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/weights"
)

// PyTorch loads what hansa exported of two runs of ResNet-18, with group norm and with batch norm,
// and has the same scores to 1e-4.
func TestPyTorchLoadsExportedModels(t *testing.T) {
	python := datatest.Torch(t)
	networks, err := filepath.Abs("../../builtin/model/testdata")
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Abs("testdata/torch")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "torch.toml")
	try(t, exitOK, "export", "torch", "--to", "safetensors")
	image := fl.Image{C: 1, H: 32, W: 32}
	if err := writeSamples("x.safetensors", 5, &image); err != nil {
		t.Fatal(err)
	}
	for method, kind := range map[string]string{"group": "32", "batch": "batch"} {
		files, err := filepath.Glob("export/torch/*" + method + "*.safetensors")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		out, err := exec.Command(python, "load.py", networks, kind, files[0], "x.safetensors").Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", method, err, out)
		}
		var theirs []float64
		if err := json.Unmarshal(out, &theirs); err != nil {
			t.Fatal(err)
		}
		norm := method
		ours := scoresOf(t, files[0], "x.safetensors", map[string]any{"norm": norm}, &image)
		if len(ours) != len(theirs) {
			t.Fatalf("%s: %d scores, PyTorch has %d", method, len(ours), len(theirs))
		}
		for i := range ours {
			if math.Abs(ours[i]-theirs[i]) > 1e-4 {
				t.Errorf("%s: score %d is %v, PyTorch has %v", method, i, ours[i], theirs[i])
			}
		}
	}
}

// writeSamples writes random images, channels first.
func writeSamples(path string, n int, image *fl.Image) error {
	rng := rand.New(rand.NewPCG(1, 2))
	x := weights.Tensor{Name: "x", Shape: []int{n, image.C, image.H, image.W}}
	for range n * image.C * image.H * image.W {
		x.Data = append(x.Data, rng.Float32())
	}
	return host.Replace(path, func(w io.Writer) error {
		return weights.Write(w, []weights.Tensor{x}, nil)
	})
}

// scoresOf returns what the model of a file makes of samples.
func scoresOf(t *testing.T, file, samples string, given map[string]any, image *fl.Image) fl.Vector {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
	m, err := model.ResNet18.New(p)
	if err != nil {
		t.Fatal(err)
	}
	shape := fl.Shape{Features: image.C * image.H * image.W, Classes: 10, Image: *image}
	if m, err = m.For(shape); err != nil {
		t.Fatal(err)
	}
	params := make(fl.Vector, m.Layout().Len())
	saved, err := weights.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.Fill(params, m.Layout(), saved, nil); err != nil {
		t.Fatal(err)
	}
	held, err := weights.Read(samples)
	if err != nil {
		t.Fatal(err)
	}
	x, err := held.Floats("x")
	if err != nil {
		t.Fatal(err)
	}
	scores := fl.NewMatrix(len(x)/shape.Features, 10)
	m.Worker().Scores(scores, params, fl.Matrix{Rows: scores.Rows, Cols: shape.Features, Data: x})
	return scores.Data
}
