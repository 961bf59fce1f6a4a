package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// A method whose parameters were not tuned beside ones that were is marked in every format.
func TestUntunedMethodsAreMarkedInEveryFormat(t *testing.T) {
	x := reportstest.NewExample("tuned", "Tuned", engine.Series{Key: "accuracy", Higher: true})
	x.Add(study.Cell{Method: "tuned"}, []float64{1, 2, 3})
	x.Add(study.Cell{Method: "not"}, []float64{2, 3, 4})
	in := x.Input
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 3, By: "accuracy", Search: study.SearchGrid},
		Chosen: []store.Choice{{Method: "not"}, {Method: "tuned", Paths: []string{"local.lr"},
			Values: study.Values{0.1}, Tried: 3}}}
	tables, err := table.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := format.Tables(&b, tables, render.TextOptions{Width: 100}); err != nil {
			t.Fatalf("%s: %v", format.Name, err)
		}
		for _, want := range []string{"not tuned, beside methods that are", "tuned: lr = 0.1, the best of 3 settings"} {
			if text := b.String(); !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format.Name, want, text)
			}
		}
	}
}
