package study

import (
	"slices"
	"testing"
)

// measured is a cell with a dataset, a partition, p, a model and a preprocessor.
func measured() *Cell {
	return &Cell{Clients: 4, Rounds: 20, Every: 1, Picks: map[string]Pick{
		"dataset": {Name: "features", Params: map[string]any{"train": "a", "test": "b",
			"of": map[string]any{"name": "inner", "rows": int64(3)}}},
		"partition":  {Name: "iid"},
		"importance": {Name: "uniform"},
		"enrollment": {Name: "everyone"},
		"model":      {Name: "softmax", Params: map[string]any{"l2": 0.5}},
		"aggregator": {Name: "fedavg"},
	}, Preprocess: []Pick{{Name: "pca"}, {Name: "pca"}}}
}

// A quantity changes with what the metric reads, and with nothing else.
func TestQuantitiesChangeWithWhatIsRead(t *testing.T) {
	names := []string{OfTest, OfTraining, OfPopulation, OfImportance, OfEnrollment, OfLoss, OfOptimum}
	for change, readers := range map[string][]string{
		"test":       {OfTest, OfTraining, OfImportance, OfEnrollment, OfOptimum},
		"train":      {OfTraining, OfImportance, OfEnrollment, OfOptimum},
		"partition":  {OfTraining, OfPopulation, OfImportance, OfEnrollment, OfOptimum},
		"importance": {OfImportance, OfOptimum},
		"enrollment": {OfEnrollment},
		"loss":       {OfLoss, OfOptimum},
		"model":      {OfOptimum},
		"preprocess": {OfOptimum},
		"aggregator": {},
		"every":      {},
		"seed":       {},
		"rounds":     names,
		"metric":     names,
	} {
		for _, name := range names {
			traits := Traits{Reads: []string{name}, Untested: []string{"train", "clients"},
				Loss: []Setting{{"loss", "x"}}}
			m := Measure{Pick: Pick{Name: "loss"}, Key: "loss"}
			before := measured().Quantity(&m, traits)
			c, other := measured(), traits
			switch change {
			case "test", "train":
				c.Picks["dataset"].Params[change] = "else"
			case "every":
				c.Every = 7
			case "seed":
				c.Seed, c.DataSeed = 3, 3
			case "rounds":
				c.Rounds++
			case "metric":
				m.Average = true
			case "loss":
				other.Loss = []Setting{{"loss", "y"}}
			case "preprocess":
				c.Preprocess[1].Name = "whiten"
			default:
				c.Picks[change] = Pick{Name: "else"}
			}
			changed := c.Quantity(&m, other).Digest() != before.Digest()
			if changed != slices.Contains(readers, name) {
				t.Errorf("other %s, and the metric reads %s: other quantity = %t", change, name, changed)
			}
		}
	}
}

// Values that a file may write in two ways are one, what a component is called counts, and
// what a series is called does not.
func TestQuantitiesAreCanonical(t *testing.T) {
	m := Measure{Pick: Pick{Name: "loss", Params: map[string]any{"a": int64(2)}}, Key: "loss"}
	before := measured().Quantity(&m, Traits{All: true}).Digest()
	m.Key, m.Params = "other label", map[string]any{"a": 2.0}
	if measured().Quantity(&m, Traits{All: true}).Digest() != before {
		t.Error("a label, or how a number is written, makes another quantity")
	}
	c := measured()
	c.Picks["dataset"].Params["of"].(map[string]any)["name"] = "else"
	if c.Quantity(&m, Traits{All: true}).Digest() == before {
		t.Error("another component within a component makes no other quantity")
	}
}
