package reports

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/reports/infer"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// golden compares what was written with testdata/name.golden; a mismatch leaves the
// text in testdata/name.got.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path+".golden", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path + ".golden")
	if err != nil {
		t.Error(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	t.Errorf("%s.golden differs from %s.got; -update accepts it", path, path)
	if err := os.WriteFile(path+".got", got, 0o644); err != nil {
		t.Error(err)
	}
}

// tables builds the tables of an example.
func tables(t *testing.T, in infer.Input) []Table {
	t.Helper()
	list, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// written returns what a renderer writes.
func written(t *testing.T, list []Table, render func(io.Writer, []Table) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// onTerminal is Text with options.
func onTerminal(width int, color bool) func(io.Writer, []Table) error {
	return func(w io.Writer, list []Table) error {
		return Text(w, list, TextOptions{Width: width, Color: color})
	}
}

func TestGolden(t *testing.T) {
	for _, x := range examples() {
		list := tables(t, x.Input)
		for _, format := range []struct {
			suffix string
			render func(io.Writer, []Table) error
		}{
			{".txt", onTerminal(0, false)},
			{".80.txt", onTerminal(80, false)},
			{".color.txt", onTerminal(160, true)},
			{".md", Markdown},
			{".tex", LaTeX},
			{".html", HTML},
			{".csv", CSV},
			{".json", JSON},
		} {
			if format.suffix == ".json" && x.name != "figure" {
				continue // one is enough to see the form, and they are long
			}
			golden(t, x.name+format.suffix, written(t, list, format.render))
		}
	}
}

// near fails the test unless got is within 1e-9 of want, relative to it.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}
