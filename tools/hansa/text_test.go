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
