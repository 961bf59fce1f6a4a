package plugins

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

const gathering = `seeds = 2
[setting]
clients    = 6
rounds     = 3
dataset    = { name = "glyphs", train = 120, test = 40 }
partition  = "iid"
preprocess = [{ name = "pca", components = 8 }, { name = "gather", slowly = true }]
importance = "uniform"
model      = { name = "mlp", widths = [5] }
local      = { name = "sgd", epochs = 3, batch = 6, lr = 0.05 }
aggregator = "fedavg"
metrics    = ["accuracy", "loss", "upload"]
[[method]]
label = "x"
`

// An interpreted preprocessor that moves rows epoch by epoch is asked while clients train, several
// at once, and gives the compiled one's bits.
func TestBlendingInterpreted(t *testing.T) {
	s := load(t, "testdata/kinds")
	ours, theirs := menu(t, s.Register), menu(t, compiled)
	for _, cell := range cellsOf(t, gathering) {
		want, err := run(theirs, cell, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 4} {
			got, err := run(ours, cell, workers)
			if err != nil {
				t.Fatal(err)
			}
			for k, series := range want.Series {
				if !sameBits(series.Values, got.Series[k].Values) {
					t.Errorf("seed %d, %d workers: %s is %v interpreted, %v compiled",
						cell.Seed, workers, series.Key, got.Series[k].Values, series.Values)
				}
			}
			notes := strings.Join(got.Notes, "\n")
			if notes != strings.Join(want.Notes, "\n") || !strings.Contains(notes, "6 clients gather") {
				t.Errorf("seed %d: notes %s", cell.Seed, notes)
			}
			if o := got.Observed[0]; o.Name != "way" || o.Rounds != 6 || o != want.Observed[0] {
				t.Errorf("seed %d: observed %+v, compiled %+v", cell.Seed, got.Observed, want.Observed)
			}
		}
	}
}

// What an interpreted preprocessor returns is looked at before it is used.
func TestWhatMovesIsChecked(t *testing.T) {
	in := fl.Shape{Features: 4, Classes: 2, Owned: true}
	but := func(change func(s *fl.Shape)) error {
		out := in
		change(&out)
		return checkShape(in, out)
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"the same":     {but(func(*fl.Shape) {}), ""},
		"narrower":     {but(func(s *fl.Shape) { s.Features = 1 }), ""},
		"an image":     {but(func(s *fl.Shape) { s.Image = fl.Image{C: 1, H: 2, W: 2} }), ""},
		"other image":  {but(func(s *fl.Shape) { s.Image = fl.Image{C: 1, H: 3, W: 2} }), "6 pixels in rows of 4"},
		"classes":      {but(func(s *fl.Shape) { s.Classes = 3 }), "only Features and Image"},
		"nothing":      {but(func(s *fl.Shape) { s.Features = 0 }), "0 features"},
		"no tensors":   {checkTensors(nil), ""},
		"tensors":      {checkTensors(fl.Tensors{"a": fl.NewMatrix(2, 3)}), ""},
		"short tensor": {checkTensors(fl.Tensors{"a": {Rows: 2, Cols: 3}}), `"a": returned a matrix of 2×3 with 0 numbers`},
		"negative":     {checkMatrix(fl.Matrix{Rows: -1, Cols: -1, Data: []float64{1}}), "-1×-1"},
		"not finite": {checkMatrix(fl.Matrix{Rows: 2, Cols: 2, Data: []float64{0, 0, 0, math.Inf(1)}}),
			"returned +Inf in row 1, column 1"},
	} {
		if c.want == "" != (c.err == nil) || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}
