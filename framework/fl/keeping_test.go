package fl_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Test rows belong to clients where they come with them or with domains, and where the
// partition tears neither apart. One domain cannot be torn apart.
func TestKeepingAssigns(t *testing.T) {
	one, two := []string{"ink"}, []string{"ink", "neon"}
	for _, c := range []struct {
		keeps fl.Keeping
		shape fl.Shape
		want  bool
	}{
		{"", fl.Shape{Tested: true, Owned: true, Domains: two}, false},
		{"", fl.Shape{Tested: true, Domains: one}, true},
		{"", fl.Shape{Domains: one}, false},
		{fl.KeepsOwners, fl.Shape{Tested: true, Owned: true}, true},
		{fl.KeepsOwners, fl.Shape{Owned: true}, false},
		{fl.KeepsOwners, fl.Shape{Tested: true, Domains: two}, false},
		{fl.KeepsDomains, fl.Shape{Tested: true, Domains: two}, true},
		{fl.KeepsDomains, fl.Shape{Domains: two}, false},
		{fl.KeepsDomains, fl.Shape{Tested: true, Owned: true}, false},
	} {
		if got := c.keeps.Assigns(c.shape); got != c.want {
			t.Errorf("%q assigns test rows of %+v: %t, want %t", c.keeps, c.shape, got, c.want)
		}
	}
}
