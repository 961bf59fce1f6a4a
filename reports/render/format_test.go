package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
)

// Every format has a name and an ending of its own, is found by its name, and shows all methods,
// and all claims, in the same bytes every time.
func TestFormatsShowAllMethodsAndClaims(t *testing.T) {
	taken := map[string]bool{}
	example := reportstest.Figure()
	for i, f := range Formats() {
		for _, word := range []string{"name " + f.Name, "title " + f.Title, "ending " + f.Ending} {
			if taken[word] || strings.HasSuffix(word, " ") {
				t.Errorf("%s: another format has the %s", f.Name, word)
			}
			taken[word] = true
		}
		if found, ok := FormatNamed(f.Name); !ok || found.Ending != f.Ending ||
			FormatNames()[i] != f.Name {
			t.Errorf("%s is not found by its name", f.Name)
		}
		var tables, again, claims bytes.Buffer
		list := reportstest.Tables(t, example.Input)
		for _, b := range []*bytes.Buffer{&tables, &again} {
			if err := f.Tables(b, list, TextOptions{}); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		if !bytes.Equal(tables.Bytes(), again.Bytes()) {
			t.Errorf("%s: the same tables are written differently", f.Name)
		}
		for _, cell := range example.Input.Cells {
			if name, _, _ := strings.Cut(cell.Method, ","); !strings.Contains(tables.String(), name) {
				t.Errorf("%s lacks %s:\n%s", f.Name, cell.Method, &tables)
			}
		}
		if err := f.Claims(&claims, claimSets(), TextOptions{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, c := range claimSets()[0].Claims {
			says, _, _ := strings.Cut(c.Says, " by ") // what follows has letters that formats escape
			if !strings.Contains(claims.String(), string(c.Verdict)) ||
				!strings.Contains(claims.String(), says) {
				t.Errorf("%s lacks the claim %q:\n%s", f.Name, c.Says, &claims)
			}
		}
	}
	if f, ok := FormatNamed("word"); ok {
		t.Errorf("a format that does not exist is %s", f.Name)
	}
}
