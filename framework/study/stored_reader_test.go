package study

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A Reader reads each cell as one that has read nothing: components of the same text are shared,
// those that differ in one number or key are not, and what is damaged is an error each time.
func TestReaderReadsAsNew(t *testing.T) {
	pick := func(x any) map[string]Pick {
		return map[string]Pick{"model": {Name: "m", Params: map[string]any{"x": x}}}
	}
	measure := func(key string) []Measure {
		return []Measure{{Pick: Pick{Name: "accuracy"}, Key: key}}
	}
	cells := []Cell{
		{Seed: 1, Picks: pick(int64(1)), Measures: measure("a")},
		{Seed: 2, Picks: pick(int64(1)), Measures: measure("a"), Preprocess: []Pick{{Name: "m"}}},
		{Seed: 3, Picks: pick(1e6), Measures: measure("b")},
		{Seed: 4, Picks: pick([]float64{1, 2})},
		{Seed: 5, Measures: []Measure{}, Preprocess: []Pick{}},
	}
	shared := NewReader()
	var read []Cell
	for i, c := range cells {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got, alone Cell
		if err := shared.Read(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &alone); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, alone) || got.ID() != c.ID() {
			t.Errorf("cell %d: %+v, alone %+v", i, got, alone)
		}
		read = append(read, got)
	}
	same := func(i, j int) bool {
		return reflect.ValueOf(read[i].Picks["model"].Params).Pointer() ==
			reflect.ValueOf(read[j].Picks["model"].Params).Pointer()
	}
	if !same(0, 1) || same(0, 2) {
		t.Error("components are not shared by those that have them in common alone")
	}
	for range 2 {
		c := Cell{Seed: 9}
		bad := `{"Seed": 8, "Picks": {"model": {"Name": 7}}}`
		if err := shared.Read([]byte(bad), &c); err == nil || c.Seed != 9 {
			t.Errorf("%v, %+v", err, c)
		}
	}
}
