package page

import (
	"strings"
	"testing"
)

// Texts of models stand on the page, as they are but for what HTML reads; a page of others has no
// such section.
func TestTexts(t *testing.T) {
	p := example(shape{2, 1, 1, 5})
	if strings.Contains(string(written(t, p)), "Sample text") {
		t.Error("a page without texts has the section")
	}
	p.Texts = []Text{{Cell: "FedAvg", Prompt: "To be, ", Text: "or <not>\nto be"}}
	got := string(written(t, p))
	for _, want := range []string{"Sample text", "To be, ", "or &lt;not&gt;\nto be"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
