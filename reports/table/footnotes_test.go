package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// One kind of note is one footnote over seeds and points, whichever clients it names: of several
// texts those numbers that differ are ranges, and the clients are some.
func TestOneFootnoteForEachKindOfNote(t *testing.T) {
	x := swarm([]string{"FedAvg", "FedAVOT"}, []string{"IID", "Dir(1)", "Dir(0.1)"}, nil)
	holders := [][]int{{7}, {0, 1, 2}, {1, 3, 5, 7, 9, 11}, {2, 4}, {0}}
	for k, c := range x.Cells {
		if c.Method != "FedAVOT" || c.Point[0].Label == "IID" {
			continue
		}
		missing := 0.1 + 0.01*float64(c.Seed)
		x.Results[x.IDs[k]].Notes = []string{fmt.Sprintf("infeasible: %v; realised at %.3f",
			ot.Certificate{Mass: 0.5, Reach: 0.5 - missing, Deficiency: missing,
				Minimal: holders[c.Seed]}, missing)}
	}
	tab := &reportstest.Tables(t, x.Input)[0]
	var numbered []table.Note
	for _, n := range tab.Notes {
		if n.Number > 0 {
			numbered = append(numbered, n)
		}
	}
	const want = "infeasible: some clients hold 0.500 of the importance, but a cohort includes one of them with " +
		"probability 0.360 to 0.400 only, so 0.100 to 0.140 of p is unattainable; realised at " +
		"0.100 to 0.140 (all 5 seeds)"
	if len(numbered) != 1 || numbered[0].Text != want {
		t.Errorf("footnotes %+v, want one: %s", numbered, want)
	}
	for c, cell := range reportstest.Row(t, tab, "FedAVOT").Cells {
		if (len(cell.Notes) == 1) != (c > 0) {
			t.Errorf("column %d has the marks %v", c, cell.Notes)
		}
	}
}

// The marks of a place ascend, each stands once, and they differ in every format.
func TestMarksAreSortedAndSeparated(t *testing.T) {
	tab := table.Table{Columns: []table.Column{{Metric: "loss", Point: []infer.Coordinate{}, Notes: []int{}}},
		Rows: []table.Row{{Method: "Krum", Notes: []int{4, 2, 4}, Cells: []table.Cell{{State: table.Complete,
			Planned: 1, Seeds: []uint64{0}, Values: []table.Number{1}, Mean: 1, Notes: []int{12, 3}}}}},
		Notes: []table.Note{{Number: 2, Term: "", Text: "two"}, {Number: 3, Term: "", Text: "three"}, {Number: 4, Term: "", Text: "four"}, {Number: 12, Term: "", Text: "twelve"}}}
	table.SortMarks(&tab)
	if row := tab.Rows[0]; !slices.Equal(row.Notes, []int{2, 4}) ||
		!slices.Equal(row.Cells[0].Notes, []int{3, 12}) {
		t.Errorf("marks %v and %v", row.Notes, row.Cells[0].Notes)
	}
	list := []table.Table{tab}
	for name, said := range map[string][]string{
		string(reportstest.Written(t, list, onTerminal(0, false))): {"Krum ²,⁴", "1.000 ± 0 ³,¹²"},
		string(reportstest.Written(t, list, render.Markdown)):      {"Krum ²,⁴", "1.000 ± 0 ³,¹²"},
		string(reportstest.Written(t, list, render.HTML)):          {"Krum<sup>b, d</sup>", "<sup>c,&nbsp;l</sup>"},
		string(reportstest.Written(t, list, render.LaTeX)): {`Krum\textsuperscript{b,\,d}`,
			`\textsuperscript{c,\,l}`},
	} {
		for _, want := range said {
			if !strings.Contains(name, want) {
				t.Errorf("there is no %q:\n%s", want, name)
			}
		}
	}
}
