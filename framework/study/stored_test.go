package study

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// The parameters of a stored cell are read as those of an experiment file: whole numbers are
// integers, exact however large.
func TestStoredCellsAreReadAsFiles(t *testing.T) {
	params := map[string]any{"name": "x", "on": true, "none": []any{},
		"k": int64(1_000_000), "large": int64(math.MaxInt64), "low": int64(-3),
		"third": 1.0 / 3, "huge": 1e300, "tiny": 5e-324, "zero": math.Copysign(0, -1),
		"weights": []any{0.5, int64(1), 2.5}, "inner": map[string]any{"name": "y", "beta": 0.75}}
	c := Cell{Method: "m", Seed: math.MaxUint64, Held: 1, Clients: 2,
		Picks:      map[string]Pick{"local": {Name: "x", Params: params}, "model": {Name: "y"}},
		Preprocess: []Pick{{Name: "p", Params: map[string]any{"share": 0.1}}},
		Measures:   []Measure{{Pick: Pick{Name: "loss", Params: map[string]any{"every": int64(2)}}, Key: "l"}}}
	if back := stored(t, c); !reflect.DeepEqual(back, c) || back.ID() != c.ID() {
		t.Errorf("%+v\ncame back as\n%+v", c, back)
	}
	floats := Cell{Picks: map[string]Pick{"local": {Params: map[string]any{"lr": 1.0, "far": 1e25}}}}
	got := stored(t, floats).Picks["local"].Params
	if want := map[string]any{"lr": int64(1), "far": 1e25}; !reflect.DeepEqual(got, want) {
		t.Errorf("floats that are whole were read as %v", got)
	}
}

// A cell that was stored and read has the same identity when it is stored and read again.
func TestStoredCellsAreStoredAgain(t *testing.T) {
	c := Cell{Picks: map[string]Pick{"dataset": {Name: "quadratics", Params: map[string]any{
		"minima": []float64{-2, 0, 4}, "far": []float64{1e6, 3e7}, "part": []float64{0.5, 1},
		"counts": []int64{1, 2}, "none": []int64(nil), "words": []any{"a", "b"}}}}}
	back := stored(t, c)
	if again := stored(t, back); back.ID() != c.ID() || again.ID() != c.ID() ||
		!reflect.DeepEqual(again, back) {
		t.Errorf("%+v\ncame back as\n%+v\nand\n%+v", c, back, again)
	}
}

// What is no cell is not read as one.
func TestDamagedCellsAreRefused(t *testing.T) {
	for _, text := range []string{`{"Picks": 1}`, `{"Seed": -1}`, `[]`, `{"Picks": {"local": {"Params": 2}}}`} {
		if err := json.Unmarshal([]byte(text), new(Cell)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func stored(t *testing.T, c Cell) (back Cell) {
	t.Helper()
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}
