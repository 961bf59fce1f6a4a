package render

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
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

// onTerminal is Text with options.
func onTerminal(width int, color bool) func(io.Writer, []table.Table) error {
	return func(w io.Writer, list []table.Table) error {
		return Text(w, list, TextOptions{Width: width, Color: color})
	}
}

func TestGolden(t *testing.T) {
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		for _, format := range []struct {
			suffix string
			render func(io.Writer, []table.Table) error
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
			if format.suffix == ".json" && x.Name != "figure" {
				continue // one is enough to see the form, and they are long
			}
			golden(t, x.Name+format.suffix, reportstest.Written(t, list, format.render))
		}
	}
}

var nan = math.NaN()

// csvText is what CSV makes of a text.
func csvText(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := export.CSVWriter{Writer: csv.NewWriter(&b)}
	if err := w.Write([]string{text, ""}); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	fields, err := csv.NewReader(&b).Read()
	if err != nil {
		t.Fatal(err)
	}
	return fields[0]
}
