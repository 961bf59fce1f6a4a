package table

import (
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// shortenPaths shortens the paths in the notes of a table, and in what it says of what is measured.
func shortenPaths(t *Table, n *infer.PathNames) {
	for i := range t.Notes {
		t.Notes[i].Text = n.In(t.Notes[i].Text)
	}
	for i := range t.Columns {
		q := slices.Clone(t.Columns[i].Quantity)
		for k := range q {
			q[k].Settings = slices.Clone(q[k].Settings)
			for j := range q[k].Settings {
				q[k].Settings[j].Value = n.In(q[k].Settings[j].Value)
			}
		}
		t.Columns[i].Quantity = q
	}
	for r := range t.Rows {
		for c := range t.Rows[r].Cells {
			cell := &t.Rows[r].Cells[c]
			cell.Differs = slices.Clone(cell.Differs)
			for k := range cell.Differs {
				cell.Differs[k] = n.In(cell.Differs[k])
			}
		}
	}
}
