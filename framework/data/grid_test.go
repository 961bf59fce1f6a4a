package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file of numbers, with a header and a column before them or without.
func TestReadGrid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("day,a,b\nmonday, 1 ,2.5\ntuesday,0,1e3\n")
	g, err := ReadGrid(path, 1, nil)
	if err != nil || g.Columns != 2 || g.Lines() != 2 ||
		!slices.Equal(g.Values, []float64{1, 2.5, 0, 1000}) || g.At(1, 1) != 1000 {
		t.Errorf("%+v, %v", g, err)
	}
	for text, want := range map[string]string{
		"1,2\n3\n":       "grid.csv:2: 1 cells, want 2 as in line 1",
		"1,2\n3,x\n":     "grid.csv:2: cell 2 is \"x\", want a number",
		"1,2\n3,-1\n":    "grid.csv:2: cell 2 is -1, want a finite number",
		"1,2\n3,NaN\n":   "want a number",
		"1,2\n3,1e999\n": "want a finite number",
		"1,2\n3,\n":      "grid.csv:2: cell 2 is \"\"",
		"a,b\n":          "there are no numbers",
		"":               "there are no numbers",
	} {
		write(text)
		if _, err := ReadGrid(path, 0, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want …%s…", text, err, want)
		}
		m := new(Mistakes)
		if _, err := ReadGrid(path, 0, m); err == nil && !m.Any() {
			t.Errorf("%q: no mistake is collected", text)
		}
	}
}
