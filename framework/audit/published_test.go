package audit_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// published is a case of testdata/masked_ot.json that stands for a published experiment.
type published struct {
	Name   string
	Inputs struct{ P fl.Vector }
	Want   struct {
		Deficiency float64
		Inclusion  fl.Vector `json:"inclusion_probabilities"`
		Realised   fl.Vector `json:"p_tilde"`
		Total      float64   `json:"mean_total_weight_of_scaled_fedavg"`
	} `json:"expected"`
}

// The four settings of FedAVOT's experiments, as the text and as the code have them, are
// all infeasible: by so much, and this is what the method realises instead.
func TestPublishedSettings(t *testing.T) {
	const small = "clients = 100\n" +
		"dataset = { name = \"regression\", features = 1, samples_per_client = 1, test_samples_per_client = 0 }\n"
	settings := map[string]struct {
		lines      string
		deficiency float64 // to three digits
	}{
		"n100_paper_regression": {"importance = \"linear\"\n" +
			`availability = { k = 2, prior = { name = "linear", direction = "increasing" } }`, 0.340},
		"n100_power08": {"importance = { name = \"power\", exponent = 0.8 }\navailability = { k = 2, " +
			`prior = { name = "power", exponent = 0.8, direction = "increasing" } }`, 0.252},
		"n100_paper_coordinated": {"importance = { name = \"exponential\", scale = 10 }\n" +
			"availability = \"always\"\n" + `selection = { name = "uniform-k", k = 2 }`, 0.506},
		"n100_power4_uniform": {"importance = { name = \"power\", exponent = 4 }\n" +
			"availability = \"always\"\n" + `selection = { name = "uniform-k", k = 2 }`, 0.322},
	}
	text, err := os.ReadFile("testdata/masked_ot.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []published }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	examined := 0
	for _, g := range file.Cases {
		s, ok := settings[g.Name]
		if !ok {
			continue
		}
		examined++
		f := examine(t, small+s.lines+"\n"+`aggregator = { name = "fedavot", on_infeasible = "nearest" }`+"\n")
		c := f.Feasibility
		if math.Abs(c.Deficiency-s.deficiency) > 0.0005 || math.Abs(c.Deficiency-g.Want.Deficiency) > 1e-9 {
			t.Errorf("%s: deficiency %v, want %v", g.Name, c.Deficiency, s.deficiency)
		}
		if c.Feasible || c.Bound || math.Abs(f.TV-c.Deficiency) > 1e-8 {
			t.Errorf("%s: TV %v, certificate %+v", g.Name, f.TV, c)
		}
		if !within(f.Importance, g.Inputs.P, 1e-15) || !within(f.Inclusion, g.Want.Inclusion, 1e-12) {
			t.Errorf("%s: another p or another law", g.Name)
		}
		if !within(f.Realised, g.Want.Realised, 1e-6) {
			t.Errorf("%s: p̃ is %v from the reference in total variation",
				g.Name, distance(f.Realised, g.Want.Realised))
		}
		scaled := examine(t, small+s.lines+"\n"+`aggregator = { weights = "scaled", of = "params" }`+"\n")
		if e := scaled.Effective; math.Abs(e.Total-g.Want.Total) > 1e-9 || !e.Exact {
			t.Errorf("%s: scaled weights sum to %v in the mean, want %v", g.Name, e.Total, g.Want.Total)
		}
	}
	if examined != len(settings) {
		t.Errorf("%d settings were examined", examined)
	}
}
