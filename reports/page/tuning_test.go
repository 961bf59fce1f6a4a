package page

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
)

// The page marks a method whose parameters were not tuned beside ones that were, in its table, and
// says of those what was chosen.
func TestUntunedMethodsAreMarked(t *testing.T) {
	in, said := reportstest.PartlyTuned()
	text := string(written(t, &Page{Name: "tuned", Input: in}))
	for _, want := range append(said, "the best mean at the end of a grid search of 3 settings per method") {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
