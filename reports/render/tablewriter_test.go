package render

import (
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// laidOut is what tablewriter makes of a table by itself.
func laidOut(t *testing.T, header, row tw.CellConfig, lines ...[]any) string {
	t.Helper()
	var b strings.Builder
	header.Formatting.AutoFormat = tw.Off
	w := tablewriter.NewTable(&b,
		tablewriter.WithConfig(tablewriter.Config{Header: header, Row: row}))
	w.Header(lines[0]...)
	for _, line := range lines[1:] {
		if err := w.Append(line...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Render(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Headings of several levels stay ours: tablewriter merges cells of a header that are the same as
// a whole, and so not MNIST over IID and Dir(1).
func TestTablewriterMergesNoLevels(t *testing.T) {
	merged := tw.CellConfig{Merging: tw.CellMerging{Mode: tw.MergeHorizontal}}
	line := []any{"FedAvg", 1, 2}
	if one := laidOut(t, merged, tw.CellConfig{}, []any{"", "MNIST", "MNIST"},
		line); strings.Count(one, "MNIST") != 1 {
		t.Errorf("headings of one level are not merged:\n%s", one)
	}
	if two := laidOut(t, merged, tw.CellConfig{}, []any{"", "MNIST\nIID", "MNIST\nDir(1)"},
		line); strings.Count(two, "MNIST") != 2 {
		t.Errorf("headings of two levels are merged; drop booktabs.headings:\n%s", two)
	}
}

// Lining up at the decimal point, at ± and before marks stays ours: tablewriter aligns cells as a
// whole, and a footnote shifts the number that has it.
func TestTablewriterAlignsNoPoints(t *testing.T) {
	right := tw.CellConfig{Alignment: tw.CellAlignment{Global: tw.AlignRight}}
	text := laidOut(t, tw.CellConfig{}, right, []any{"", "loss"},
		[]any{"FedAvg", "10.5 ± 1.2 ¹"}, []any{"FedAVOT", "9.2 ± 0.4"})
	var points []int
	for line := range strings.Lines(text) {
		if before, _, ok := strings.Cut(line, "."); ok {
			points = append(points, width(before))
		}
	}
	if len(points) != 2 || points[0] == points[1] {
		t.Errorf("points stand at %d; drop columnLines:\n%s", points, text)
	}
}
