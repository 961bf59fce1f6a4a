package leaderboard

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// The page of claims has every claim with its verdict, estimate, interval, number of seeds and
// command; a board with claims alone has that page and an index that leads to it.
func TestClaims(t *testing.T) {
	x := reportstest.Claimed()
	set := table.JudgeClaims(x.Name, &x.Input)
	texts := siteOf(t, &Board{Title: "Board", Claims: []table.ClaimSet{{}, set}})
	if len(texts) != 2 || !strings.Contains(texts["index.html"], `href="claims.html"`) {
		t.Errorf("%d pages", len(texts))
	}
	page := texts["claims.html"]
	for _, c := range set.Claims {
		r := newClaimRow(c)
		for _, part := range []string{r.Says, r.Source, r.Mark + " " + r.Word(), r.Place(), r.Of,
			r.Estimate, r.Range, r.N, r.PValue} {
			if !strings.Contains(page, escaped(part)) {
				t.Errorf("the claim %q has no %q", c.Says, part)
			}
		}
		if r.Estimate != "" && strings.Contains(r.Of, "[") || !strings.HasPrefix(r.Of, c.Of) {
			t.Errorf("%q is an estimate of %q", c.Says, r.Of)
		}
		if (r.N == "—") != (r.Estimate == "") || r.Estimate != "" && r.Range == "—" &&
			c.Verdict == verdict.Holds {
			t.Errorf("%q: estimate %q, range %q, n %s", c.Says, r.Estimate, r.Range, r.N)
		}
	}
	for _, part := range []string{set.Summary(), set.Command} {
		if !strings.Contains(page, escaped(part)) {
			t.Errorf("the page has no %q", part)
		}
	}
	board := example(2)
	board.Claims = []table.ClaimSet{set}
	if texts := siteOf(t, board); len(texts) != 1+2+6+1 ||
		!strings.Contains(texts["index.html"], `href="claims.html"`) {
		t.Errorf("%d pages with claims and methods", len(texts))
	}
}

// escaped is a text as HTML has it.
func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "+", "&#43;", `"`, "&#34;", "'",
		"&#39;").Replace(text)
}
