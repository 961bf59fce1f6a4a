package store

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// TestParseIsUnmarshal: it reads what encoding/json reads, also where strings look like series.
func TestParseIsUnmarshal(t *testing.T) {
	odd := `a "values":[1] b "values":[` + "]"
	for _, want := range []engine.Result{
		{},
		{ID: "x", Seed: 3, Rounds: []int{0, 1}, Series: []engine.Series{{Key: odd}}},
		{ID: odd, Notes: []string{odd, `"values":[`}, Series: []engine.Series{
			{Key: "a", Unit: odd, Higher: true, Values: engine.Floats{1, -0.5}},
			{Key: "b", Values: engine.Floats{math.Inf(1)}, Describes: true},
			{Key: "c", Values: engine.Floats{}}},
			Observed: []fl.Observation{{Name: odd, Rounds: 2, Mean: 1}}},
	} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var plain engine.Result
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatal(err)
		}
		if got, err := parse(text); err != nil || !reflect.DeepEqual(*got, plain) {
			t.Errorf("%s reads %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{`{"series":[{"values":[1`, `{"series":[{"values":["x"]}]}`,
		`{"series":[],"values":[1]}`, `{`} {
		if got, err := parse([]byte(text)); err == nil {
			t.Errorf("%s reads %+v", text, got)
		}
	}
}
