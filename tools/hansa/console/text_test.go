package console

import (
	"strings"
	"testing"
)

func TestTextIsWrapped(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""}, {"one", 2, "one"}, {"one two", 7, "one two"}, {"one two", 6, "one|two"},
		{"θᵗ⁻¹ → θᵗ", 9, "θᵗ⁻¹ → θᵗ"}, {"a\nb  c", 9, "a|b c"}, {"one\n\ntwo", 3, "one||two"},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// Where a column has no room left it goes below the others.
func TestGridFindsRoom(t *testing.T) {
	rows := [][]string{{"name", "values", strings.Repeat("word ", 12)}, {"n", "v", ""}}
	wide := "  name | values | word word word word word\n" +
		"                  word word word word word\n" +
		"                  word word\n" +
		"  n    | v      |\n"
	if got := Grid(rows, "  ", " | ", 43); got != wide {
		t.Errorf("with room:\n%s\nwant\n%s", got, wide)
	}
	narrow := "  name | values |\n" +
		"     word word word word word word\n" +
		"     word word word word word word\n" +
		"  n    | v      |\n"
	if got := Grid(rows, "  ", " | ", 38); got != narrow {
		t.Errorf("without room:\n%s\nwant\n%s", got, narrow)
	}
}
