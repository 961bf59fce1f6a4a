package study

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The schema has every key of the form, in its place, and no other.
func TestSchemaHasEveryKey(t *testing.T) {
	s := Schema([]Kind{{Name: "aggregator", Components: []Component{{Name: "mean",
		Params: map[string]any{"step": object{"type": "number"}}}}}})
	keys := func(of any) []string {
		return slices.Sorted(maps.Keys(of.(object)["properties"].(object)))
	}
	sorted := func(list ...string) []string { return slices.Sorted(slices.Values(list)) }
	defs := s["$defs"].(object)
	path := "aggregator.step"
	for name, c := range map[string]struct {
		of   any
		want []string
	}{
		"the file":      {s, sorted(topKeys...)},
		"[report]":      {defs["report"], sorted(reportKeys...)},
		"[[reference]]": {defs["reference"], sorted(referenceKeys...)},
		"[[claim]]":     {defs["claim"], sorted(claimKeys...)},
		"[setting]":     {defs["setting"], sorted(append(slices.Clone(settingKeys), path)...)},
		"[[method]]":    {defs["method"], sorted(append(slices.Clone(settingKeys), path, "label", "role")...)},
		"[sweep]":       {defs["sweep"], sorted(append(slices.Clone(settingKeys), path, "method", "seed")...)},
	} {
		if got := keys(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s has %v, want %v", name, got, c.want)
		}
	}
}

// The same components give the same text.
func TestSchemaIsReproducible(t *testing.T) {
	kinds := []Kind{{Name: "model", Components: []Component{
		{Name: "a", Params: map[string]any{"x": object{"type": "number"}, "y": ref("model")}, Nested: map[string]bool{"y": true}},
		{Name: "b", Params: map[string]any{"x": object{"type": "string"}}},
		{Name: "c", Params: map[string]any{"x": object{"type": "boolean"}}}}}}
	var texts []string
	for range 3 {
		b, err := json.Marshal(Schema(kinds))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	if len(slices.Compact(texts)) != 1 {
		t.Error("it differs from time to time")
	}
	want := `"x":{"anyOf":[{"$ref":"#/$defs/model.a/properties/x"},{"$ref":"#/$defs/model.b/properties/x"},` +
		`{"$ref":"#/$defs/model.c/properties/x"}]}`
	if !strings.Contains(texts[0], want) {
		t.Errorf("what several components call x is not any of theirs")
	}
}
