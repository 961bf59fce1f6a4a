package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// claimSets are those of an example, one that has none, and those of a part of an experiment.
func claimSets() []table.ClaimSet {
	return []table.ClaimSet{table.JudgeClaims("claimed", &reportstest.Claimed().Input),
		table.JudgeClaims("figure", &reportstest.Figure().Input),
		table.JudgeClaims("claimed-part", &reportstest.ClaimedPart().Input)}
}

func TestClaimsGolden(t *testing.T) {
	for _, format := range []struct {
		suffix string
		render func(io.Writer, []table.ClaimSet) error
	}{
		{"txt", func(w io.Writer, s []table.ClaimSet) error { return ClaimsText(w, s, TextOptions{}) }},
		{"80.txt", func(w io.Writer, s []table.ClaimSet) error {
			return ClaimsText(w, s, TextOptions{Width: 80})
		}},
		{"md", ClaimsMarkdown}, {"tex", ClaimsLaTeX}, {"html", ClaimsHTML}, {"csv", ClaimsCSV},
		{"json", ClaimsJSON},
	} {
		var b bytes.Buffer
		if err := format.render(&b, claimSets()); err != nil {
			t.Fatal(err)
		}
		golden(t, "claims."+format.suffix, b.Bytes())
		for line := range strings.Lines(b.String()) {
			if format.suffix == "80.txt" && width(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%d columns: %s", width(line), line)
			}
		}
	}
}

// Under its table, a claim is told in every format that shows notes; JSON has all of it.
func TestClaimsUnderTables(t *testing.T) {
	list := reportstest.Tables(t, reportstest.Claimed().Input)
	part := reportstest.Tables(t, reportstest.ClaimedPart().Input)
	for name, render := range map[string]func(io.Writer, []table.Table) error{
		"text": onTerminal(0, false), "Markdown": Markdown, "LaTeX": LaTeX, "HTML": HTML, "JSON": JSON,
	} {
		text := string(reportstest.Written(t, list, render)) +
			string(reportstest.Written(t, part, render))
		told := map[verdict.Outcome]bool{}
		for _, c := range slices.Concat(list[0].Claims, part[len(part)-1].Claims) {
			told[c.Verdict] = strings.Contains(text, "claim "+c.Word()+": ") ||
				strings.Contains(text, `"term": "claim `+c.Word()+`"`)
		}
		for _, o := range verdict.Outcomes() {
			if !told[o] {
				t.Errorf("%s does not tell of a claim that %s", name, o)
			}
		}
		if !strings.Contains(text, "alignment helps on PACS") {
			t.Errorf("%s does not tell of PACS", name)
		}
	}
	golden(t, "claimed.txt", reportstest.Written(t, list, onTerminal(100, false)))
	golden(t, "claimed-part.txt", reportstest.Written(t, part, onTerminal(100, false)))
	var tables []struct{ Claims []table.ClaimVerdict }
	if err := json.Unmarshal(reportstest.Written(t, list, JSON), &tables); err != nil ||
		len(tables[0].Claims) != len(reportstest.Claimed().Claims) {
		t.Errorf("%v: %v", err, tables)
	}
}

// Every claim is a line of CSV and a row of Markdown, with as many fields as the head has.
func TestClaimsKeepTheirFields(t *testing.T) {
	var b bytes.Buffer
	if err := ClaimsCSV(&b, claimSets()); err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(&b).ReadAll(); err != nil || len(lines) != 12 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	b.Reset()
	if err := ClaimsMarkdown(&b, claimSets()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		bare := strings.Count(line, "|") - strings.Count(line, `\|`)
		if strings.HasPrefix(line, "|") && bare != 6 {
			t.Errorf("%d fields: %s", bare-1, line)
		}
	}
}
