package page

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
)

// The claims of an experiment have a section of their own, and are not repeated below the table.
func TestClaims(t *testing.T) {
	text := string(written(t, &Page{Name: "claimed", Input: reportstest.Claimed().Input}))
	for _, want := range []string{`<a href="#claims">`, `<h2 id="claims">Claims</h2>`,
		"7 claims: 2 hold (the direction only), 1 refuted, 2 undecided, 1 cannot be run here, 1 not comparable",
		`<th scope="row">cannot be run here<td>alignment helps on PACS<td>SLOT-Align, Table 1<td><td>`} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the page has %d times %q", strings.Count(text, want), want)
		}
	}
	if strings.Contains(text, "<b>claim ") {
		t.Error("claims are repeated below the table")
	}
	part := string(written(t, &Page{Name: "part", Input: reportstest.ClaimedPart().Input}))
	for _, want := range []string{"4 claims: 2 hold (the direction only), 1 cannot be run here, 1 not judged, at dataset = MNIST",
		"; judged at dataset = MNIST\n", `<th scope="row">not judged<td>and on clothes<td>Table 2<td>`} {
		if !strings.Contains(part, want) {
			t.Errorf("the page of a part lacks %q", want)
		}
	}
	if without := string(written(t, &Page{Name: "figure", Input: reportstest.Figure().Input})); strings.Contains(
		without, "claims\"") {
		t.Error("a page without claims has a section of them")
	}
}
