package builtin

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The parameter that an aggregator names for an unattainable p is a choice, and what an audit
// compares are options of it.
func TestPoliciesAreOptionsOfAChoice(t *testing.T) {
	r := menu(t)
	named := 0
	for _, name := range r.Aggregators.Names() {
		e, _ := r.Aggregators.Get(name)
		p := fl.NewParams(nil, fl.Setting{}, nil)
		if _, err := e.New(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for param, values := range fl.TraitsOf[fl.AggregatorTraits](e).Policies {
			named++
			i := slices.IndexFunc(p.Specs(), func(s fl.Spec) bool { return s.Name == param })
			if i < 0 || len(values) < 2 {
				t.Errorf("%s: %q with %q", name, param, values)
				continue
			}
			for _, v := range values {
				if !slices.Contains(p.Specs()[i].Options, v) {
					t.Errorf("%s: %s has no option %q", name, param, v)
				}
			}
		}
	}
	if named == 0 {
		t.Error("no aggregator names one")
	}
}
