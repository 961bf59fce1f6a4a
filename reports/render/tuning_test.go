package render_test

import (
	"bytes"
	"io"
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
	for format, write := range map[string]func(w io.Writer) error{
		"text":     func(w io.Writer) error { return render.Text(w, tables, render.TextOptions{Width: 100}) },
		"markdown": func(w io.Writer) error { return render.Markdown(w, tables) },
		"latex":    func(w io.Writer) error { return render.LaTeX(w, tables) },
		"html":     func(w io.Writer) error { return render.HTML(w, tables) },
		"csv":      func(w io.Writer) error { return render.CSV(w, tables) },
		"json":     func(w io.Writer) error { return render.JSON(w, tables) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		for _, want := range []string{"not tuned, beside methods that are", "tuned: lr = 0.1, the best of 3 settings"} {
			if text := b.String(); !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
}
