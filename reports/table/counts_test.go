package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

func TestAmong(t *testing.T) {
	for want, numbers := range map[string][]int{"0 seeds": nil, "1 seed": {1}, "5 seeds": {5, 5},
		"5 or 6 seeds": {6, 5, 6}, "3 to 6 seeds": {6, 3, 5}, "3 to 7 seeds": {3, 7}} {
		if got := table.CountedRange(numbers, "seed"); got != want {
			t.Errorf("%v is %q, want %q", numbers, got, want)
		}
	}
}

// unevenly unites two runs over two conditions: the first has 6 seeds, and the second 5 with its
// method FedAVOT.
func unevenly(t *testing.T) infer.Input {
	t.Helper()
	run := func(n int, methods ...string) infer.Input {
		x := reportstest.NewExample("uneven", "Uneven", reportstest.Loss)
		for _, part := range []string{"IID", "Dir(1)"} {
			for _, method := range methods {
				x.Add(study.Cell{Method: method, Point: reportstest.At("partition", part)},
					reportstest.Around(uint64(len(method)+10*len(part)), n, 3, 1, 0.5))
			}
		}
		return x.Input
	}
	in, _, err := infer.Pool([]infer.Run{{Name: "one", Input: run(6, "FedAvg", "FedProx")}, {Name: "two", Input: run(5, "FedAVOT")}})
	if err != nil {
		t.Fatal(err)
	}
	in.Report.Baseline = "FedAvg"
	return in
}

// Wherever seeds or differences are counted, the number is that of the row or the pair.
func TestCountsAreThoseOfTheRow(t *testing.T) {
	in := unevenly(t)
	made := reportstest.Compared(t, in, table.ComparisonOptions{})
	for _, tab := range []table.Table{made.Overall, made.Each} {
		for _, row := range tab.Rows[1:] {
			want := map[string]int{"FedProx": 6, "FedAVOT": 5}[row.Method]
			for _, cell := range row.Cells {
				if cell.State != table.Complete || cell.N() != want || cell.Versus == nil ||
					cell.Versus.N != want {
					t.Errorf("%s: %d values (%s), compared %+v; want %d", row.Method, cell.N(),
						cell.State, cell.Versus, want)
				}
			}
		}
		text := string(reportstest.Written(t, []table.Table{tab}, onTerminal(0, false)))
		for _, said := range []string{"5 or 6 seeds", "FedAVOT ¹", "¹ over 5 seeds", "  n  "} {
			if !strings.Contains(text, said) {
				t.Errorf("it does not say %q:\n%s", said, text)
			}
		}
		if strings.Contains(text, "· 6 seeds") || strings.Contains(text, "over 6 seeds") {
			t.Errorf("it says that all have 6 seeds:\n%s", text)
		}
	}
	tables := reportstest.Tables(t, in)
	text := string(reportstest.Written(t, tables, onTerminal(0, false)))
	if !strings.Contains(text, "±: standard deviation over 5 or 6 seeds") ||
		!strings.Contains(text, "5 or 6 seeds · mean ± s.d.") {
		t.Errorf("the table does not tell how many seeds there are:\n%s", text)
	}
	for _, tab := range made.Tables() {
		for _, note := range tab.Notes {
			if strings.Contains(note.Text, "6 differences") &&
				!strings.Contains(note.Text, "5 or 6 differences") {
				t.Errorf("a row has 5 differences: %s", note.Text)
			}
		}
	}
	c, err := chart.Forest(in, "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Note, "over 5 or 6 seeds") ||
		!slices.Equal(c.Panels[0].Y.Names, []string{"FedProx (n = 6)", "FedAVOT (n = 5)"}) {
		t.Errorf("the chart says %q and names %q", c.Note, c.Panels[0].Y.Names)
	}
}
