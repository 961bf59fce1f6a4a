package draft

import (
	"slices"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies

	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// There is a draft of every kind that a strategy can be of, and of no other.
func TestEveryKindHasADraft(t *testing.T) {
	var guarded []string
	for _, k := range plugins.Kinds() {
		guarded = append(guarded, k.Name)
	}
	for _, k := range new(registry.Registry).Kinds() {
		if has := slices.Contains(guarded, k.Name); Has(k.Name) != has {
			t.Errorf("%s: a strategy can be one: %t, there is a draft: %t", k.Name, has, !has)
		}
		stateful := k.Name == "local" || k.Name == "aggregator"
		if HasState(k.Name) != stateful {
			t.Errorf("%s: there is a draft with state: %t", k.Name, !stateful)
		}
		d := Draft{Kind: k.Name, Name: "some"}
		if files, err := d.Files(); Has(k.Name) && (err != nil || files["some.toml"] == "" ||
			files["some.go"] == "" || d.Noun() == "") {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}
