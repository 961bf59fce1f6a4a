package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// No page about a component is wider than its terminal.
func TestPagesFit(t *testing.T) {
	c := &command{Console: &console.Console{Color: "never"}}
	pages := 0
	for _, width := range []int{60, 80, console.WidestText} {
		for _, k := range toolbox.Menu() {
			for _, e := range k.Entries {
				pages++
				for line := range strings.Lines(c.page(e, width)) {
					if line = strings.TrimSuffix(line, "\n"); phrase.Width(line) > width {
						t.Errorf("%s %s: %d columns, at most %d:\n%s", e.Kind, e.Name, phrase.Width(line),
							width, line)
					}
				}
			}
		}
	}
	if pages < 60 {
		t.Errorf("%d pages only", pages)
	}
}

func TestTextIsWrapped(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""}, {"one", 2, "one"}, {"one two", 7, "one two"}, {"one two", 6, "one|two"},
		{"θᵗ⁻¹ → θᵗ", 9, "θᵗ⁻¹ → θᵗ"}, {"a\nb  c", 9, "a|b c"}, {"one\n\ntwo", 3, "one||two"},
	} {
		if got := strings.Join(console.Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestTextIsClipped(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"FedAVOT", 7, "FedAVOT"}, {"FedAVOT", 6, "FedAV…"}, {"Hájek · ρ", 8, "Hájek ·…"},
		{"連邦学習", 8, "連邦学習"}, {"連邦学習", 7, "連邦学…"}, {"連邦学習", 6, "連邦…"},
	} {
		got := phrase.Clip(c.text, c.width)
		if got != c.want || phrase.Width(got) > c.width {
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
	if got := console.Grid(rows, "  ", " | ", 43); got != wide {
		t.Errorf("with room:\n%s\nwant\n%s", got, wide)
	}
	narrow := "  name | values |\n" +
		"     word word word word word word\n" +
		"     word word word word word word\n" +
		"  n    | v      |\n"
	if got := console.Grid(rows, "  ", " | ", 38); got != narrow {
		t.Errorf("without room:\n%s\nwant\n%s", got, narrow)
	}
}

// A table that goes to no terminal is as wide as $COLUMNS says, and every line of it fits.
func TestTablesAreAsWideAsColumnsSays(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("wide.toml", []byte(fusion), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "wide.toml")
	for _, columns := range []string{"80", "60"} {
		t.Setenv("COLUMNS", columns)
		limit, _ := strconv.Atoi(columns)
		printed, _ := try(t, exitOK, "table", "wide")
		for line := range strings.Lines(printed) {
			if n := phrase.Width(strings.TrimRight(line, "\n")); n > limit {
				t.Errorf("%d columns of %d: %s", n, limit, line)
			}
		}
	}
	t.Setenv("COLUMNS", "none")
	if w := console.TextWidth(new(strings.Builder)); w != 0 {
		t.Errorf("a width that is no number is %d", w)
	}
}
