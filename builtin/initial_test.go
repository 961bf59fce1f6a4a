package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/weights"
)

// written writes parameters of a layout to a file and returns its path.
func written(t *testing.T, l fl.Layout, params fl.Vector) string {
	t.Helper()
	tensors, err := weights.Tensors(l, params)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := weights.Write(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Training from a file that holds what the model would draw is training from what it draws, bit for
// bit; from another file it ends elsewhere, and is another training run.
func TestInitialParametersOfAFile(t *testing.T) {
	c := personal(descends("sgd"))
	c.Picks["model"] = pick("resnet20", "width", int64(2), "depth", int64(8))
	c.Rounds, c.Every = 2, 2
	drawn, s, _ := ends(t, c)
	first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	c.InitialFile = map[string]any{"file": written(t, s.Model.Layout(), first)}
	same, from, _ := ends(t, c)
	if !slices.Equal(same.Global, drawn.Global) {
		t.Error("the same initial parameters lead elsewhere")
	}
	if s.ID == from.ID || s.FirstKey == from.FirstKey {
		t.Error("training from a file has the identity of training from drawn parameters")
	}
	first[3]++
	c.InitialFile = map[string]any{"file": written(t, s.Model.Layout(), first)}
	if other, _, _ := ends(t, c); slices.Equal(other.Global, drawn.Global) {
		t.Error("other initial parameters lead to the same")
	}
}

// A file that is missing or of another model, names of nothing, and clients that could not share the
// parameters are refused.
func TestInitialParametersThatDoNotFit(t *testing.T) {
	c := personal(descends("sgd"))
	_, s, _ := ends(t, c)
	layout := s.Model.Layout()
	file := written(t, layout, make(fl.Vector, layout.Len()))
	inspected := func(given map[string]any) (all string) {
		c.InitialFile = given
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			return problems[0].Message
		}
		for _, each := range s.Inspectors {
			i := &fl.Inspection{}
			each.Run(i)
			for _, p := range slices.Concat(i.Problems, i.Missing) {
				all += p.Param + ": " + p.Message
			}
		}
		_, err := engine.Start(&s, engine.Options{})
		if (err != nil) != (all != "") {
			t.Errorf("found %q before, and %v then", all, err)
		}
		return all
	}
	good := map[string]any{"file": file}
	if said := inspected(good); said != "" {
		t.Error(said)
	}
	names := func(own string) map[string]any {
		return map[string]any{"file": file, "names": map[string]any{own: "other"}}
	}
	for want, given := range map[string]map[string]any{
		"not found: nowhere.safetensors": {"file": "nowhere.safetensors"},
		"SHA-256":                        {"file": file, "sha256": strings.Repeat("0", 64)},
		`has no tensor "other"`:          names("1.weight"),
		`the model has no tensor "9.w`:   names("9.weight"),
	} {
		if said := inspected(given); !strings.Contains(said, want) {
			t.Errorf("%q, want %s", said, want)
		}
	}
	c.Picks["model"] = pick("mlp", "widths", []any{int64(9)})
	if said := inspected(good); !strings.Contains(said, "the model needs [9 ") {
		t.Error(said)
	}
	c.Initial = "independent"
	if said := inspected(good); !strings.Contains(said, "are shared by all clients") {
		t.Error(said)
	}
	c.Initial, c.Picks["model"] = "shared", pick("mixed", "of", []any{
		map[string]any{"name": "mlp", "widths": []any{int64(4)}}})
	if said := inspected(good); !strings.Contains(said, "clients have different ones") {
		t.Error(said)
	}
}
