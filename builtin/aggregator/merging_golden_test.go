package aggregator

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A mergingCase is one of the reference vectors of merging.py.
type mergingCase struct {
	Models, Fisher []fl.Vector
	Samples        []int
	Alpha          float64
	Grams          [][][]fl.Vector
	X              []fl.Vector
	Y, Members     []int
	Want           fl.Vector
}

// round returns the round of a case, of a perceptron with one hidden layer of seven.
func (c *mergingCase) round(t *testing.T) *fl.Round {
	net := perceptron(t, judged, 7)
	r := oneShot(make(fl.Vector, len(c.Models)), []fl.Model{net}, c.Models)
	for k := range r.Updates {
		r.Updates[k].Model, r.Updates[k].Payload = nil, fl.Tensors{}
		if c.Samples != nil {
			r.Updates[k].Samples = c.Samples[k]
		}
	}
	return r
}

// Fisher merging, RegMean without ridge and the greedy soup agree with NumPy's, from the papers'
// formulas: 1e-12, 1e-9 (an inverse) and the same models.
//
//hansa:verifies golden aggregator/fisher-merging aggregator/regmean aggregator/model-soup
func TestGoldenMerging(t *testing.T) {
	text, err := os.ReadFile("testdata/merging.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Fisher, RegMean, Soup []mergingCase }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Fisher) != 2 || len(all.RegMean) != 3 || len(all.Soup) != 3 {
		t.Fatalf("%d, %d and %d cases", len(all.Fisher), len(all.RegMean), len(all.Soup))
	}
	for n, c := range all.Fisher {
		r := c.round(t)
		for k, f := range c.Fisher {
			r.Updates[k].Payload["fisher"] = fl.Matrix{Rows: 1, Cols: len(f), Data: f}
		}
		got := fused(t, server(t, FisherMerging, map[string]any{"floor": 0.0}), r)
		if d := got.Distance(c.Want); d > 1e-12 {
			t.Errorf("Fisher merging %d: %g away", n, d)
		}
	}
	for n, c := range all.RegMean {
		r := c.round(t)
		for k, own := range c.Grams {
			for l, g := range own {
				full := fl.Matrix{Rows: len(g), Cols: len(g), Data: slices.Concat(g...)}
				packed := fl.NewMatrix(1, tensor.Packed(len(g)))
				full.Pack(packed.Data)
				r.Updates[k].Payload[fmt.Sprintf("gram %d", l)] = packed
			}
		}
		got := fused(t, server(t, RegMean, map[string]any{"alpha": c.Alpha, "ridge": 0.0}), r)
		if d := got.Distance(c.Want); d > 1e-9*(1+c.Want.Norm()) {
			t.Errorf("RegMean %d: %g away", n, d)
		}
	}
	for n, c := range all.Soup {
		r := c.round(t)
		r.Validation = &fl.Dataset{Shape: judged, Y: c.Y,
			X: fl.Matrix{Rows: len(c.X), Cols: judged.Features, Data: slices.Concat(c.X...)}}
		out := outcome(t, server(t, ModelSoup, nil), r)
		var members []int
		for k, w := range out.Weights {
			if w > 0 {
				members = append(members, k)
			}
		}
		if d := out.Params.Distance(c.Want); d > 1e-12 || !slices.Equal(members, c.Members) {
			t.Errorf("soup %d: of %v, want %v, %g away", n, members, c.Members, d)
		}
	}
}
