package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Ranges of ranges span them all, and lists of clients are left out where they differ.
func TestTextsThatDifferInNumbers(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"3 of 9 came", "5 of 9 came"}, "3 … 5 of 9 came"},
		{[]string{"3 … 5 of 9 came", "2 of 9 came", "4 … 8 of 9 came"}, "2 … 8 of 9 came"},
		{[]string{"8 of 9 failed", "29 of 93 failed"}, "29 of 93 … 8 of 9 failed"},
		{[]string{"29 of 93 … 8 of 9 failed", "1 of 4 failed"}, "1 of 4 … 8 of 9 failed"},
		{[]string{"3 … 5 of 9 came", "2 of 8 came"}, "2 of 8 … 5 of 9 came"},
		{[]string{"0 of 0 came", "2 of 8 came"}, "0 of 0 … 2 of 8 came"},
		{[]string{"2 clients (1, 4) stay", "2 clients (1, 4) stay"}, "2 clients (1, 4) stay"},
		{[]string{"2 clients (1, 4) stay", "6 clients (0, 1, 2, 3, 4, …) stay"}, "2 … 6 clients stay"},
		{[]string{"at −1e-3 (2 to 4)", "at −1e-2 (2 to 4)"}, "at −1e-3 … 1e-2 (2 to 4)"},
	} {
		if got := spanned(c.texts); got != c.want {
			t.Errorf("%q became %q, want %q", c.texts, got, c.want)
		}
	}
	var remarks []remark
	for seed, list := range []string{"(1, 4)", "(0, 2, 3, 5, 6, …)"} {
		remarks = append(remarks, remark{uint64(seed), "clients " + list + " stay"})
	}
	if got := merge(remarks); len(got) != 1 || got[0].text != "clients stay" {
		t.Errorf("%+v", got)
	}
}

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
	table := &tables(t, x.Input)[0]
	var numbered []Note
	for _, n := range table.Notes {
		if n.Number > 0 {
			numbered = append(numbered, n)
		}
	}
	const want = "infeasible: some clients hold 0.500 of the importance but are met with " +
		"probability 0.360 to 0.400 only, so 0.100 to 0.140 of p is out of reach; realised at " +
		"0.100 to 0.140 (all 5 seeds)"
	if len(numbered) != 1 || numbered[0].Text != want {
		t.Errorf("footnotes %+v, want one: %s", numbered, want)
	}
	for c, cell := range row(t, table, "FedAVOT").Cells {
		if (len(cell.Notes) == 1) != (c > 0) {
			t.Errorf("column %d has the marks %v", c, cell.Notes)
		}
	}
}

// The marks of a place ascend, each stands once, and they are told apart in every format.
func TestMarksAreSortedAndSeparated(t *testing.T) {
	table := Table{Columns: []Column{{Metric: "loss", Point: []infer.Coordinate{}, Notes: []int{}}},
		Rows: []Row{{Method: "Krum", Notes: []int{4, 2, 4}, Cells: []Cell{{State: Complete,
			Planned: 1, Seeds: []uint64{0}, Values: []Number{1}, Mean: 1, Notes: []int{12, 3}}}}},
		Notes: []Note{{2, "", "two"}, {3, "", "three"}, {4, "", "four"}, {12, "", "twelve"}}}
	table.sortMarks()
	if row := table.Rows[0]; !slices.Equal(row.Notes, []int{2, 4}) ||
		!slices.Equal(row.Cells[0].Notes, []int{3, 12}) {
		t.Errorf("marks %v and %v", row.Notes, row.Cells[0].Notes)
	}
	list := []Table{table}
	for name, said := range map[string][]string{
		string(written(t, list, onTerminal(0, false))): {"Krum ²,⁴", "1.000 ± 0 ³,¹²"},
		string(written(t, list, Markdown)):             {"Krum ²,⁴", "1.000 ± 0 ³,¹²"},
		string(written(t, list, HTML)):                 {"Krum<sup>b, d</sup>", "<sup>c,&nbsp;l</sup>"},
		string(written(t, list, LaTeX)): {`Krum\textsuperscript{b,\,d}`,
			`\textsuperscript{c,\,l}`},
	} {
		for _, want := range said {
			if !strings.Contains(name, want) {
				t.Errorf("there is no %q:\n%s", want, name)
			}
		}
	}
}
