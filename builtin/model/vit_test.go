package model

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Scores, loss and gradient of vision transformers, by the class token and by the mean, are those of
// PyTorch's Conv2d and TransformerEncoderLayer, to 1e-5.
//
//hansa:verifies source model/vit
func TestViTAgainstPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/vit.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name             string
			X, Params, Grads []float64
			Scores           []float64
			Y                []int
			Loss             float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 2 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		d := &fl.Dataset{X: fl.Matrix{Rows: 3, Cols: 192, Data: c.X}, Y: c.Y,
			Shape: fl.Shape{Features: 192, Classes: 4, Image: fl.Image{C: 2, H: 8, W: 12}}}
		m := made(t, ViT, map[string]any{"width": int64(6), "depth": int64(2), "heads": int64(2),
			"mlp_ratio": int64(3), "pool": c.Name}, d.Shape)
		w := m.Worker()
		if m.Layout().Len() != len(c.Params) {
			t.Fatalf("%s: %d parameters, want %d", c.Name, m.Layout().Len(), len(c.Params))
		}
		scores := fl.NewMatrix(3, 4)
		w.Scores(scores, c.Params, d.X)
		agree(t, c.Name+": scores", scores.Data, c.Scores)
		agree(t, c.Name+": loss", fl.Vector{w.Loss(c.Params, d)}, fl.Vector{c.Loss})
		grad := make(fl.Vector, len(c.Params))
		w.Gradient(grad, c.Params, d, nil)
		agree(t, c.Name+": gradient", grad, c.Grads)
	}
}

// The vision transformer of DeiT-Ti has 5,717,416 parameters for 1,000 classes of images of 224×224
// in patches of 16×16: the 5.7 million of the paper. On 32×32 in patches of 4×4, with N = 64
// positions, the patches take (48 + 1)·192 and the positions 65·192.
//
//hansa:verifies theorem model/vit
func TestSizesOfViT(t *testing.T) {
	large := fl.Shape{Features: 3 * 224 * 224, Classes: 1000, Image: fl.Image{C: 3, H: 224, W: 224}}
	small := fl.Shape{Features: 3 * 32 * 32, Classes: 10, Image: fl.Image{C: 3, H: 32, W: 32}}
	block := 2*384 + 192*3*193 + 193*192 + 193*4*192 + (4*192+1)*192
	for _, c := range []struct {
		shape fl.Shape
		patch int64
		want  int
	}{
		{large, 16, 5717416},
		{small, 4, 49*192 + 192 + 65*192 + 12*block + 384 + 193*10},
	} {
		m := made(t, ViT, map[string]any{"patch": c.patch}, c.shape)
		if got := m.Layout().Len(); got != c.want {
			t.Errorf("patches of %d: %d parameters, want %d", c.patch, got, c.want)
		}
	}
}

// Where positions have no vectors of their own, the mean of all does not depend on the order of the
// patches.
//
//hansa:verifies invariance model/vit
func TestViTWithoutPositionsSeesABagOfPatches(t *testing.T) {
	shape := fl.Shape{Features: 32, Classes: 3, Image: fl.Image{C: 1, H: 4, W: 8}}
	m := made(t, ViT, map[string]any{"patch": int64(4), "width": int64(6), "depth": int64(2),
		"heads": int64(3), "pool": "mean"}, shape)
	rng := fl.NewStream(1, "init").Rand()
	theta, x := m.Init(rng), fl.NewMatrix(2, 32)
	for k, l := range m.Layout().Layers {
		if l.Kind == fl.KindPosition {
			clear(m.Layout().Block(k, fl.Weight).Of(theta).Data)
		}
	}
	for r := range 4 { // the second image has the halves of the first one the other way round
		for c := range 8 {
			v := rng.NormFloat64()
			x.Row(0)[8*r+c], x.Row(1)[8*r+(c+4)%8] = v, v
		}
	}
	scores := fl.NewMatrix(2, 3)
	m.Worker().Scores(scores, theta, x)
	agree(t, "scores", scores.Row(0), scores.Row(1))
	same := slices.Clone(scores.Row(0))
	theta = m.Init(rng)
	m.Worker().Scores(scores, theta, x)
	if slices.Equal(same, scores.Row(0)) {
		t.Error("other parameters give the same scores")
	}
}

func TestViTSaysWhatItNeeds(t *testing.T) {
	shape := fl.Shape{Features: 60, Classes: 3, Image: fl.Image{C: 1, H: 6, W: 10}}
	m, err := ViT.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.For(shape); err == nil || !strings.Contains(err.Error(), "do not cover images of 6×10") {
		t.Errorf("%v", err)
	}
	p := fl.NewParams(map[string]any{"heads": int64(5)}, fl.Setting{}, nil)
	if _, err = ViT.New(p); err == nil && len(p.Finish()) == 0 {
		t.Error("5 heads of 192 channels are taken")
	}
}
