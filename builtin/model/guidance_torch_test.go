package model

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// congruence makes the numbers of testdata/guidance.py, between −1 and 1.
type congruence uint64

func (c *congruence) take(v fl.Vector) {
	for i := range v {
		*c = (1103515245**c + 12345) % (1 << 31)
		v[i] = float64(*c)/(1<<30) - 1
	}
}

// fill makes parameters as the script does: block by block, in the order of the layout.
func (c *congruence) fill(theta fl.Vector, layout fl.Layout) {
	c.take(theta)
	for _, b := range layout.Blocks {
		part, scale, offset := theta[b.Offset:][:b.Rows*b.Cols], 0.1, 0.0
		switch b.Name {
		case fl.Weight:
			scale = 1 / math.Sqrt(float64(b.Cols))
		case fl.NormScale:
			offset = 1
		}
		part.Scale(scale)
		part.AddConst(offset)
	}
}

// byTorch is what PyTorch makes of a loss: the loss, the norm of its gradient, and every so many
// elements of that.
type byTorch struct {
	Loss, Norm float64
	Step       int
	Grad       []float64
}

// Losses and gradients by soft targets, and by a penalty on features, are those of PyTorch, to 1e-5
// of the largest element.
//
//hansa:verifies source model/mlp model/cnn model/resnet9
func TestGuidanceIsPyTorchs(t *testing.T) {
	text, err := os.ReadFile("testdata/guidance.json")
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Cases []struct {
			Name             string
			Targets, Penalty byTorch
		}
	}
	if err := json.Unmarshal(text, &content); err != nil || len(content.Cases) != 3 {
		t.Fatal(err, len(content.Cases))
	}
	flat := fl.Shape{Features: 12, Classes: 4}
	models := map[string]fl.Model{
		"mlp": build(t, MLP, map[string]any{"widths": []any{int64(9), int64(7)}}, flat),
		"cnn": nets(t)["cnn"], "resnet9": nets(t)["resnet9"],
	}
	const rows, classes = 6, 4
	for _, c := range content.Cases {
		m := models[c.Name]
		w, shape := m.Worker().(fl.GuidedWorker), shapeOf(m)
		numbers, d := congruence(12345), fl.Dataset{Shape: shape}
		d.X, d.Y = fl.NewMatrix(rows, shape.Features), []int{0, 1, 2, 3, 0, 1}
		numbers.take(d.X.Data)
		p := fl.NewMatrix(rows, classes)
		numbers.take(p.Data)
		for r := range rows {
			row := fl.Vector(p.Row(r))
			row.Scale(2)
			toProbabilities(row)
		}
		theta := make(fl.Vector, m.Layout().Len())
		numbers.fill(theta, m.Layout())
		near := fl.NewMatrix(rows, w.FeatureLen())
		numbers.take(near.Data)
		for what, want := range map[string]byTorch{"targets": c.Targets, "penalty": c.Penalty} {
			g := fl.Guidance{Targets: fl.SoftTargets{Prob: p, Temperature: 2.5, Weight: 0.7}}
			if what == "penalty" {
				g = fl.Guidance{Penalty: nearby{}, Beside: [2]fl.Matrix{near}}
			}
			grad := make(fl.Vector, len(theta))
			if loss := w.GuidedGradient(grad, theta, &d, nil, &g); math.Abs(loss-want.Loss) > 1e-5 {
				t.Errorf("%s, %s: loss %v, PyTorch has %v", c.Name, what, loss, want.Loss)
			}
			if norm := grad.Norm(); math.Abs(norm-want.Norm) > 1e-5*want.Norm {
				t.Errorf("%s, %s: norm %v, PyTorch has %v", c.Name, what, norm, want.Norm)
			}
			largest := fl.Vector(want.Grad).NormInf()
			for k, g := range want.Grad {
				if got := grad[k*want.Step]; math.Abs(got-g) > 1e-5*largest {
					t.Errorf("%s, %s: element %d is %v, PyTorch has %v", c.Name, what,
						k*want.Step, got, g)
				}
			}
		}
	}
}
