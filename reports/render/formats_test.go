package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// cellsOf splits a row of a Markdown table where a bar is not escaped.
func cellsOf(line string) []string {
	var cells []string
	cell := ""
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			cells = append(cells, cell)
			cell = ""
			continue
		}
		cell += string(r)
	}
	return append(cells, cell)
}

var escape = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// read undoes the escapes of Markdown and HTML.
func read(s string) string {
	return html.UnescapeString(escape.ReplaceAllString(s, "$1"))
}

// TestMarkdownRowsHaveAllCells: every line of a table has as many cells as its header, and
// labels read back as they were.
func TestMarkdownRowsHaveAllCells(t *testing.T) {
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		text := string(reportstest.Written(t, list, Markdown))
		lines := strings.Split(text, "\n")
		found := 0
		for i, line := range lines {
			if !strings.HasPrefix(line, "|:--|") {
				continue
			}
			want := len(cellsOf(line))
			for k := i - 1; strings.HasPrefix(lines[k], "|"); k++ {
				if got := len(cellsOf(lines[k])); got != want {
					t.Errorf("%s: %d cells instead of %d in %s", x.Name, got, want, lines[k])
				}
			}
			for k, r := range list[found].Rows {
				if list[found].Transposed {
					break // its rows are headed by metrics
				}
				label := strings.TrimSpace(read(cellsOf(lines[i+1+k])[1]))
				if !strings.HasPrefix(label, r.Method) {
					t.Errorf("%s: %q reads %q", x.Name, r.Method, label)
				}
			}
			found++
		}
		if found != len(list) {
			t.Errorf("%s: %d tables instead of %d", x.Name, found, len(list))
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	for _, s := range []string{"", "a|b", `\|`, "**x**", "_y_", "`z`", "<b>", "&amp;", "~~s~~",
		"[a](b)", "# h", "$x$", "{y}", "^%", "θ ± 联邦", "1. x"} {
		if got := read(escapeMarkdown(s)); got != s {
			t.Errorf("%q reads %q", s, got)
		}
		if len(cellsOf(escapeMarkdown(s))) != 1 {
			t.Errorf("%q ends its cell", s)
		}
	}
}

// TestProvenanceStaysAComment even where a command would end it.
func TestProvenanceStaysAComment(t *testing.T) {
	list := reportstest.Tables(t, reportstest.Labels().Input)
	line, _, _ := strings.Cut(string(reportstest.Written(t, list, Markdown)), "\n")
	if !strings.HasPrefix(line, "<!--") || strings.Index(line, "-->") != len(line)-3 {
		t.Errorf("Markdown begins %q", line)
	}
	line, _, _ = strings.Cut(string(reportstest.Written(t, list, HTML)), "\n")
	if !strings.HasPrefix(line, "<!--") || strings.Index(line, "-->") != len(line)-3 {
		t.Errorf("HTML begins %q", line)
	}
	line, _, _ = strings.Cut(string(reportstest.Written(t, list, LaTeX)), "\n")
	if !strings.HasPrefix(line, "% hansa table") || !strings.Contains(line, "sha256:41c0d9") {
		t.Errorf("LaTeX begins %q", line)
	}
}

func TestCSVReadsBack(t *testing.T) {
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		records, err := csv.NewReader(bytes.NewReader(reportstest.Written(t, list, CSV))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		index := map[string]int{}
		for i, name := range records[0] {
			index[name] = i
		}
		next := 1
		for i := range list {
			for _, r := range list[i].Rows {
				for c, cell := range r.Cells {
					record := records[next]
					next++
					field := func(name string) string { return record[index[name]] }
					if field("method") != csvText(t, r.Method) || field("n") != strconv.Itoa(cell.N()) ||
						field("metric") != list[i].Columns[c].Metric {
						t.Errorf("%s: %q", x.Name, record)
					}
					sameNumber(t, field("mean"), cell.Mean)
					sameNumber(t, field("sd"), cell.SD)
					for _, axis := range list[i].Columns[c].Point {
						if field(axis.Axis) != axis.Label {
							t.Errorf("%s: %s is %q", x.Name, axis.Axis, field(axis.Axis))
						}
					}
					if cell.Versus != nil {
						sameNumber(t, field("p"), cell.Versus.P)
						sameNumber(t, field("delta"), cell.Versus.Delta)
					}
				}
			}
		}
		if next != len(records) {
			t.Errorf("%s: %d lines instead of %d", x.Name, len(records), next)
		}
	}
}

// sameNumber fails unless a field reads back as the same bits.
func sameNumber(t *testing.T, field string, want table.Number) {
	t.Helper()
	if field == "" && math.IsNaN(float64(want)) {
		return
	}
	if got, err := strconv.ParseFloat(field, 64); err != nil || got != float64(want) {
		t.Errorf("%q, want %v", field, want)
	}
}

var nullList = regexp.MustCompile(
	`"(block|axes|seeds|columns|rows|notes|point|cells|values)": null`)

func TestJSONReadsBack(t *testing.T) {
	for _, x := range reportstest.Examples() {
		first := reportstest.Written(t, reportstest.Tables(t, x.Input), JSON)
		var list []table.Table
		if err := json.Unmarshal(first, &list); err != nil {
			t.Fatal(err)
		}
		if second := reportstest.Written(t, list, JSON); !bytes.Equal(first, second) {
			t.Errorf("%s does not read back", x.Name)
		}
		if null := nullList.Find(first); null != nil {
			t.Errorf("%s: a list that is empty reads %s", x.Name, null)
		}
	}
}

func TestNumberSurvivesJSON(t *testing.T) {
	for _, x := range []float64{0, -1.5, 0.1, 1e300, 5e-324, math.Inf(1), math.Inf(-1), nan} {
		text, err := json.Marshal(table.Number(x))
		if err != nil {
			t.Fatal(err)
		}
		var back table.Number
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(float64(back)) != math.Float64bits(x) && !math.IsNaN(x) ||
			math.IsNaN(x) != math.IsNaN(float64(back)) {
			t.Errorf("%v became %s and %v", x, text, back)
		}
	}
	var x table.Number
	if err := json.Unmarshal([]byte(`"three"`), &x); err == nil {
		t.Error("a word is not a number")
	}
}
