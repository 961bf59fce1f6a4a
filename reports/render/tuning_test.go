package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// A method whose parameters were not tuned beside ones that were is marked in every format.
func TestUntunedMethodsAreMarkedInEveryFormat(t *testing.T) {
	in, said := reportstest.PartlyTuned()
	tables, err := table.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := format.Tables(&b, tables, render.TextOptions{Width: 100}); err != nil {
			t.Fatalf("%s: %v", format.Name, err)
		}
		for _, want := range said {
			if text := b.String(); !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", format.Name, want, text)
			}
		}
	}
}
