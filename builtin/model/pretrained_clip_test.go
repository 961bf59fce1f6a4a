package model

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/weights"
)

// Encoders of images of CLIP make the features that PyTorch makes, from files with the names of
// OpenAI and with those of Hugging Face.
func TestCLIPIsPyTorchs(t *testing.T) {
	var want struct {
		X        []float32
		Files    map[string][]weights.Tensor
		Features map[string][]float64
	}
	text, err := os.ReadFile("testdata/clip.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	gelus := map[string]nn.Layer{"vit-b32-clip": nn.QuickGELU(), "vit-b32-openclip": nn.GELU()}
	for naming, tensors := range want.Files {
		for name, gelu := range gelus {
			v := clipped{patch: 4, width: 6, depth: 2, heads: 2, features: 5, gelu: gelu}
			a := &Pretrained{name, 8, v.features, besideCLIP, v.layers, v.rename}
			params, err := a.Load(written(t, tensors))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, naming, err)
			}
			net, err := a.Net()
			if err != nil {
				t.Fatal(err)
			}
			single := make([]float32, len(params))
			for i, p := range params {
				single[i] = float32(p)
			}
			got := net.Tape(3).Forward(single, want.X, 3)
			for i, f := range want.Features[name] {
				if off := math.Abs(float64(got[i]) - f); !(off < 1e-5) {
					t.Errorf("%s, %s: feature %d is %v, PyTorch has %v", name, naming, i, got[i], f)
				}
			}
		}
	}
}

// A file that lacks a tensor of CLIP, or has one of another shape, is refused by its name.
func TestOtherFilesAreNoCLIP(t *testing.T) {
	clip := Architectures()[3]
	for _, c := range []struct{ name, want string }{
		{"visual.proj", `has no tensor "visual.transformer.resblocks.0.attn.in_proj_weight"`},
		{"vision_model.embeddings.class_embedding",
			`has no tensor "vision_model.encoder.layers.0.self_attn.q_proj.weight"`},
	} {
		_, err := clip.Load(written(t, []weights.Tensor{{Name: c.name, Shape: []int{1}, Data: []float32{1}}}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// written returns a file of tensors.
func written(t *testing.T, tensors []weights.Tensor) *weights.File {
	t.Helper()
	var b bytes.Buffer
	if err := weights.Write(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}
