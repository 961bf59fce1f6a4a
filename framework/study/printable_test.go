package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What a terminal would obey is escaped, in the form of JSON, and all else stays.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"": "", "θ ± 1\n\tx": "θ ± 1\n\tx",
		"\x1b[2J": `\u001b[2J`, "a\u202eb": `a\u202eb`, "\u0085\x7f\r": `\u0085\u007f\u000d`,
		"\U000e0041": `\udb40\udc41`, "a\u200db": "a\u200db", "\xffa": "\ufffda",
		"\u2066\u2069\u061c\u200e\u2028\ufeff": `\u2066\u2069\u061c\u200e\u2028\ufeff`} {
		got := Printable(text)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if Printable(got) != got {
			t.Errorf("%q becomes another text when it is printed again", got)
		}
	}
	text := "\U000e0041\u202e\u009b"
	var back string
	if err := json.Unmarshal([]byte(`"`+Printable(text)+`"`), &back); err != nil || back != text {
		t.Errorf("JSON reads %q as %q: %v", Printable(text), back, err)
	}
}

// Titles and labels that hide or turn round what is read are refused, with their place.
func TestHiddenCharactersAreRefused(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{`label      = "FedAVOT"`, `label      = "Fed%sAVOT"`},
		{`label      = "FedAvg"`, `label      = "%sFedAvg"`},
		{`[setting]`, "title = \"a%sb\"\n[setting]"},
	} {
		for _, hidden := range []string{`\u202E`, `\u2066`, `\u200F`, `\u001B`, `\u009B`, `\u2028`,
			"\u202e", "\ufeff"} {
			source := strings.Replace(sample, c.from, fmt.Sprintf(c.to, hidden), 1)
			if source == sample {
				t.Fatalf("the sample has no %s", c.from)
			}
			_, err := Parse("x.toml", []byte(source), Overrides{})
			var problems Problems
			if !errors.As(err, &problems) {
				t.Errorf("%s with %q is accepted", c.to, hidden)
				continue
			}
			p := problems[0]
			if p.Pos.Line == 0 || !strings.Contains(p.Message, "character") {
				t.Errorf("%s with %q: %v", c.to, hidden, p)
			}
			var b strings.Builder
			if err := problems.Render(&b, false); err != nil {
				t.Fatal(err)
			}
			if b.String() != Printable(b.String()) {
				t.Errorf("the problem is shown with what is hidden: %q", b.String())
			}
		}
	}
}
