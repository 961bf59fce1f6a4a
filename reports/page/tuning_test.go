package page

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// The page marks a method whose parameters were not tuned beside ones that were, in its table, and
// says of those what was chosen.
func TestUntunedMethodsAreMarked(t *testing.T) {
	x := reportstest.NewExample("tuned", "Tuned", engine.Series{Key: "accuracy", Higher: true})
	x.Add(study.Cell{Method: "tuned"}, []float64{1, 2, 3})
	x.Add(study.Cell{Method: "not"}, []float64{2, 3, 4})
	in := x.Input
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 3, By: "accuracy", Search: study.SearchGrid},
		Chosen: []store.Choice{{Method: "not"}, {Method: "tuned", Paths: []string{"local.lr"},
			Values: study.Values{0.1}, Tried: 3}}}
	text := string(written(t, &Page{Name: "tuned", Input: in}))
	for _, want := range []string{"not tuned, beside methods that are", "tuned: lr = 0.1, the best of 3 settings",
		"the best mean at the end of a grid search of 3 settings per method"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
