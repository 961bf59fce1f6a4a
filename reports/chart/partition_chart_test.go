package chart

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/fl"
)

func TestPartition(t *testing.T) {
	c := Partition([]ClientCounts{{"iid", [][]int{{4, 4}, {4, 4}}}, {"skewed", [][]int{{8, 0}, {0, 8}}}})
	if len(c.Panels) != 2 || len(c.Panels[0].X.Names) != 2 || len(c.Panels[0].Y.Names) != 2 {
		t.Fatalf("%+v", c)
	}
	if m := c.Panels[0].Marks[0]; !alike(m.Size, []float64{0.5, 0.5, 0.5, 0.5}) {
		t.Errorf("areas are %v: they have one measure in all panels", m.Size)
	}
	m := c.Panels[1].Marks[0]
	if !alike(m.Size, []float64{1, 0, 0, 1}) || !alike(m.X, []float64{0, 0, 1, 1}) ||
		!alike(m.Y, []float64{0, 1, 0, 1}) {
		t.Errorf("%+v", m)
	}
	if c = Partition(nil); len(c.Panels) != 0 {
		t.Errorf("%+v", c)
	}
}

func found() []audit.Finding {
	p := fl.Vector{0.5, 0.3, 0.2}
	return []audit.Finding{
		{Method: "full", Role: "upper-bound", Clients: 3, Importance: p,
			Inclusion: fl.Vector{1, 1, 1}, Realised: p},
		{Method: "FedAvg", Clients: 3, Importance: p, Inclusion: fl.Vector{0.2, 0.4, 0.6},
			Realised: fl.Vector{0.2, 0.3, 0.5}, TV: 0.3},
		{Method: "median", Clients: 3, Importance: p, Inclusion: fl.Vector{0.2, 0.4, 0.6},
			Why: "it is no weighted mean of updates, so it has no p̃"},
	}
}

func TestParticipation(t *testing.T) {
	c, err := Participation(found())
	if err != nil || len(c.Panels) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if n := len(c.Panels[0].Marks); n != 2 {
		t.Errorf("%d laws are shown of two", n)
	}
	weights := c.Panels[1].Marks
	if len(weights) != 3 || c.Legend[weights[0].Entry].Label != "importance p" ||
		!alike(weights[2].Y, []float64{0.2, 0.3, 0.5}) || !alike(weights[2].X, []float64{0, 1, 2}) {
		t.Errorf("%+v", weights)
	}
	if _, err := Participation([]audit.Finding{{Clients: 1_000_000}}); err == nil {
		t.Error("a million clients are shown")
	}
}

func TestWeights(t *testing.T) {
	c, err := Weights(found())
	if err != nil || len(c.Panels) != 2 || !c.Square {
		t.Fatalf("%+v, %v", c, err)
	}
	if p := c.Panels[1]; p.Title != "FedAvg (TV\u00a00.300)" ||
		!alike(p.Marks[1].X, []float64{0.5, 0.3, 0.2}) {
		t.Errorf("%+v", p)
	}
	if _, err := Weights(found()[2:]); err == nil || !strings.Contains(err.Error(), "median") {
		t.Errorf("without any p̃: %v", err)
	}
}

// Clients are joined by a line in no chart but where p ascends or descends along it.
func TestUnorderedClientsAreNotJoined(t *testing.T) {
	many := make(fl.Vector, 60)
	for i := range many {
		many[i] = float64((i*37)%60+1) / 1830
	}
	list := []audit.Finding{{Method: "a", Clients: 60, Importance: many, Inclusion: many,
		Realised: many}}
	c, err := Participation(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Panels {
		for _, m := range p.Marks {
			if m.Shape != Dots {
				t.Errorf("%s: %d unordered clients are shown as %s", p.Y.Label, len(m.X), m.Shape)
			}
		}
	}
	slices.Sort(many)
	if c, err = Participation(list); err != nil || c.Panels[1].Marks[0].Shape != Line {
		t.Errorf("%+v, %v: p ascends", c, err)
	}
}

// Where p has fewer than three values, weights are shown side by side, in the order of p and p̃.
func TestWeightsOfUniformImportanceAreNoColumn(t *testing.T) {
	third := 1.0 / 3
	list := []audit.Finding{{Method: "a", Clients: 3, Realised: fl.Vector{0.5, 0.2, 0.3},
		Importance: fl.Vector{third, 1 - 2*third, third}}}
	c, err := Weights(list)
	if err != nil || c.Square || len(c.Panels) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	p, given := c.Panels[0].Marks[0], c.Panels[0].Marks[1]
	if p.Shape != Line || given.Shape != Dots || !alike(given.X, []float64{0, 1, 2}) ||
		len(p.Y) != 3 || given.Y[2] == given.Y[0] {
		t.Errorf("%+v, %+v", p, given)
	}
	list[0].Importance = fl.Vector{0.25, 0.5, 0.25}
	c, err = Weights(append(list, found()[1]))
	if err != nil || !c.Square || !strings.Contains(c.Note, "fewer than three values") {
		t.Fatalf("%+v, %v", c, err)
	}
	given = c.Panels[0].Marks[1]
	if !alike(given.Y, []float64{0.3, 0.5, 0.2}) || !alike(c.Panels[1].Marks[1].X,
		[]float64{0.5, 0.3, 0.2}) {
		t.Errorf("%+v", c.Panels)
	}
}
