package engine

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestFloatsSurviveJSON to the last bit, whatever white space is put between them.
func TestFloatsSurviveJSON(t *testing.T) {
	for _, want := range []Floats{{}, {0}, {math.NaN()}, {math.Inf(-1), 1, math.Inf(1)},
		{0.1, -5e-324, 1.7976931348623157e308, math.Copysign(0, -1), 1e21}} {
		plain, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		spread, err := json.MarshalIndent(want, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{plain, spread} {
			var got Floats
			if err := json.Unmarshal(text, &got); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			if len(got) != len(want) {
				t.Fatalf("%s has %d numbers, not %d", text, len(got), len(want))
			}
			for i, x := range want {
				if math.Float64bits(got[i]) != math.Float64bits(x) && !math.IsNaN(x) ||
					math.IsNaN(x) != math.IsNaN(got[i]) {
					t.Errorf("%s: %v became %v", text, x, got[i])
				}
			}
		}
	}
}

func TestFloatsRefuseWhatIsNoNumber(t *testing.T) {
	for _, text := range []string{`{}`, `"NaN"`, `1`, `[true]`, `[null]`, `[[1],[2]]`, `["1,2"]`,
		`["three"]`, `["]"]`, `[1,{"a":2}]`, `[""]`} {
		var f Floats
		if err := json.Unmarshal([]byte(text), &f); err == nil ||
			!strings.HasPrefix(err.Error(), "engine: ") {
			t.Errorf("%s became %v, %v", text, f, err)
		}
	}
	var f Floats
	if err := json.Unmarshal([]byte(`null`), &f); err != nil || len(f) != 0 {
		t.Errorf("null became %v, %v", f, err)
	}
}

// Counts of numbers, as older results and strategies have them, become bytes; nothing else changes.
func TestNumbersSentBecomeBytes(t *testing.T) {
	for _, c := range []struct{ unit, want string }{{"floats", "B"}, {"B", "B"}, {"%", "%"}, {"", ""}} {
		s := Series{Key: "upload", Unit: c.unit, Values: Floats{0, 30, math.NaN()}}
		s.InBytes()
		s.InBytes()
		want := 30.0
		if c.unit == "floats" {
			want = 120
		}
		if s.Unit != c.want || s.Values[0] != 0 || s.Values[1] != want || !math.IsNaN(s.Values[2]) {
			t.Errorf("unit %q: %v", c.unit, s)
		}
	}
}
