package study

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A search is stored in the plan of a run, and read as it was.
func TestStoredSearchesAreReadAsFiles(t *testing.T) {
	spec, err := Read("testdata/tune.toml", Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(spec.Tune)
	if err != nil {
		t.Fatal(err)
	}
	var back Tune
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	want := *spec.Tune
	want.At, want.BudgetAt, want.ByAt, want.RequiredAt = Span{}, Span{}, Span{}, Span{}
	want.Space = append([]Range(nil), want.Space...)
	for i := range want.Space {
		want.Space[i].At = Span{}
	}
	want.Space[3].Values = Values{0.001, int64(1), int64(10), "none"} // whole floats are integers
	if !reflect.DeepEqual(back, want) {
		t.Errorf("%+v\ncame back as\n%+v", want, back)
	}
}

// A range of a method alone takes the place of the one for all methods.
func TestRangesOfAMethodComeFirst(t *testing.T) {
	spec, err := Read("testdata/tune.toml", Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string][]string{
		"FedAvg":     {"local.lr log", "local.batch integer"},
		"FedProx: 2": {"local.lr linear", "local.batch integer", "local.mu list"},
	} {
		var got []string
		for _, p := range spec.Tune.For(method) {
			got = append(got, p.Path+" "+p.Scale)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, want %v", method, got, want)
		}
	}
}
