package plugins

import (
	"regexp"
	"strings"
	"testing"
)

var expectation = regexp.MustCompile(`^// (refused|says): (.*)\n`)

// What the interpreter silently computes wrongly is refused, or written in the core, of which
// it gets all right.
// The numbers are those of a list of such errors; each was seen in yaegi v0.16.1.
func TestSilentErrors(t *testing.T) {
	rows := map[string]bool{}
	for _, s := range sections(t, "testdata/silent.txt") {
		want := expectation.FindStringSubmatch(s.text)
		if want == nil {
			t.Fatalf("%s does not say what it expects", s.name)
		}
		row, _, _ := strings.Cut(s.name, " ")
		rows[row] = true
		said, refused := interpret(t.Context(), s.name, program{s.text, "Run"})
		switch {
		case want[1] == "refused" && !strings.Contains(refused, want[2]):
			t.Errorf("%s: refused with %q, says %q; want it refused with %q",
				s.name, refused, said, want[2])
		case want[1] == "says" && (refused != "" || oneLine(said) != want[2]):
			t.Errorf("%s: says %q, refused with %q; want %q", s.name, said, refused, want[2])
		}
	}
	if len(rows) != 37 {
		t.Errorf("%d of 37 kinds of errors are looked at", len(rows))
	}
}

// oneLine returns a text whose lines stand beside each other.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", " / ")
}
