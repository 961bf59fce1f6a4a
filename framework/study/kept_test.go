package study

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// A cell that goes through JSON has the identity that it had, whatever numbers are in it.
func TestStoredCellsKeepTheirIdentity(t *testing.T) {
	c := Cell{Method: "FedAvg", Seed: math.MaxUint64, Rounds: 10, Picks: map[string]Pick{
		"local": {"sgd", map[string]any{"lr": 0.1, "steps": int64(5), "large": 1e6, "many": int64(1e6),
			"larger": 1.5e300, "least": 5e-324, "zero": math.Copysign(0, -1), "whole": 3.0,
			"list":  []float64{1, 2e7, 0.5},
			"inner": map[string]any{"name": "cosine", "to": 1e-7}, "most": int64(math.MaxInt64), "widths": []int64{4, 1e7}, "none": []int64(nil), "empty": []any{},
			"words": []any{"a", "b"}, "whole list": []float64{1, 2}, "models": []any{
				map[string]any{"name": "mlp", "widths": []int64{3}}}}},
		"model": {Name: "linear"},
	}, Measures: []Measure{{Pick{"loss", map[string]any{"p": 1e9}}, "loss", true, false}},
		Preprocess: []Pick{{"scale", map[string]any{"by": 1e22}}}}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Cell
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.ID() != c.ID() || !back.Is(c.ID()) {
		t.Errorf("\n%s\ncame back as\n%s", c.Canonical(), back.Canonical())
	}
	if back.Measures[0].Key != "loss" || !back.Measures[0].Average || back.Method != "FedAvg" {
		t.Errorf("was read as %+v", back)
	}
}

// Cells that were stored with whole floats written as integers are found by their identity.
func TestCellsOfBeforeAreKnown(t *testing.T) {
	c := Cell{Picks: map[string]Pick{"local": {"sgd", map[string]any{
		"a": 1e6, "b": int64(2e6), "c": 3e9, "d": 0.25, "e": int64(7), "f": []float64{1, 2}, "g": []int64{1, 2}}}}}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.NewReplacer("1e+06", "1000000", "3e+09", "3000000000", "1.0", "1", "2.0", "2").Replace(string(text))
	var back Cell
	if err := json.Unmarshal([]byte(old), &back); err != nil {
		t.Fatal(err)
	}
	if back.ID() == c.ID() || !back.Is(c.ID()) {
		t.Errorf("%s is not known as\n%s", old, c.Canonical())
	}
	back.Seed++
	if back.Is(c.ID()) {
		t.Error("a cell of another seed has the same identity")
	}
}
