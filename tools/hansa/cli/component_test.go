package cli

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A parameter is without effect where its meaning begins with options of a choice, and the default
// is none of them.
func TestUnused(t *testing.T) {
	choice := fl.Spec{Name: "how", Kind: "choice", Options: []string{"a", "b", "c"}, Default: "a"}
	for doc, want := range map[string]bool{"b: x": true, "b, c: x": true, "a, b: x": false,
		"note: b": false, "x": false, "b, x: y": false} {
		p := fl.Spec{Name: "p", Doc: doc, Default: 1}
		if unused(p, []fl.Spec{choice, p}) != want {
			t.Errorf("%q: %v, want %v", doc, !want, want)
		}
	}
}
