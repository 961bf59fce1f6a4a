package table

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// noteIdenticalPoints says of every axis of the sweep, of the table, at rows or at cells, where its
// points have the same results.
func (d *draft) noteIdenticalPoints() {
	if len(d.In.Cells[0].Point) == 0 {
		return
	}
	by := d.ByPlace()
	for k := range d.In.Cells[0].Point {
		a := &sweepAxis{draft: d, by: by, index: k}
		a.compareAlong()
		a.writeNotes()
	}
}

// A sweepAxis is one axis of the sweep, with what is the same along it.
type sweepAxis struct {
	*draft
	by     map[string][]int
	index  int // among the coordinates of a point
	labels []string
	rows   []axisRow
}

// An axisRow is what is the same along an axis in one row.
type axisRow struct {
	ran, all bool           // it has results that the axis could change; no point differs
	first    map[int]string // by point of the block: the first label with the same results
}

// compareAlong compares every point of every row with those before it on the axis.
func (a *sweepAxis) compareAlong() {
	for _, c := range a.In.Cells {
		if infer.PointOf(c.Point).IsWorst(a.In.Report.Worst) {
			continue
		}
		if label := c.Point[a.index].Label; !slices.Contains(a.labels, label) {
			a.labels = append(a.labels, label)
		}
	}
	for _, m := range a.Methods {
		row := axisRow{all: true, first: map[int]string{}}
		for b := range a.Blocks {
			for k, at := range a.Blocks[b].Points {
				cells := a.CellsAt(m, &a.Blocks[b], at)
				if !a.hasResults(cells) {
					continue
				}
				first, concerned := a.firstIdentical(m, cells)
				row.ran = row.ran || concerned
				row.all = row.all && (!concerned || first == a.labels[0])
				if first != "" && a.block == &a.Blocks[b] {
					row.first[k] = first
				}
			}
		}
		a.rows = append(a.rows, row)
	}
}

// firstIdentical returns the first label on the axis at which a method has the results that it has
// in some cells of a point, "" where there is none before it; and whether there is a point before
// it whose cells are other experiments.
func (a *sweepAxis) firstIdentical(m infer.Method, cells []int) (first string, concerned bool) {
	here := infer.PointOf(a.In.Cells[cells[0]].Point)
	for _, label := range a.labels {
		if label == here[a.index].Label || here.IsWorst(a.In.Report.Worst) {
			break // the worst is one of the others
		}
		there := slices.Clone(here)
		there[a.index].Label = label
		others := a.by[infer.PlaceKey(m.Label, there)]
		if !a.hasResults(others) || a.In.IDs[others[0]] == a.In.IDs[cells[0]] {
			continue
		}
		concerned = true
		if a.SameResults(cells, others) {
			return label, true
		}
	}
	return "", concerned
}

// writeNotes writes the notes.
func (a *sweepAxis) writeNotes() {
	name := study.LastPart(a.In.Cells[0].Point[a.index].Axis)
	all := name + " has no effect on what is measured here: " + strings.Join(a.labels, ", ") +
		" have identical results, seed by seed"
	concerned, same := 0, 0
	for _, row := range a.rows {
		if row.ran {
			if concerned++; row.all {
				same++
			}
		}
	}
	if same > 0 && same == concerned {
		a.table.Notes = append(a.table.Notes, Note{Text: all})
		return
	}
	for r, row := range a.rows {
		if row.ran && row.all {
			a.table.Rows[r].Notes = append(a.table.Rows[r].Notes, a.mark(all))
			continue
		}
		for k := range a.block.Points {
			if first, ok := row.first[k]; ok {
				cell := &a.table.Rows[r].Cells[k*len(a.Metrics)]
				cell.Notes = append(cell.Notes, a.mark("identical to "+first+
					", seed by seed: "+name+" has no effect between them"))
			}
		}
	}
}
