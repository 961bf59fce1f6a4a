package reports

import (
	"slices"
	"strings"
)

// sameSweep says of every axis of the sweep, of the table, at rows or at cells, where its points
// have the same results.
func (d *draft) sameSweep() {
	if len(d.in.Cells[0].Point) == 0 {
		return
	}
	by := d.byPlace()
	for k := range d.in.Cells[0].Point {
		a := &sweptAxis{draft: d, by: by, index: k}
		a.look()
		a.tell()
	}
}

// byPlace returns the cells by method and point of the whole sweep.
func (p *plan) byPlace() map[string][]int {
	by := map[string][]int{}
	for i := range p.in.Cells {
		c := &p.in.Cells[i]
		key := placeKey(c.Method, coordinates(c.Point))
		by[key] = append(by[key], i)
	}
	return by
}

func placeKey(method string, at point) string { return method + "\x01" + at.key() }

// A sweptAxis is one axis of the sweep, with what is the same along it.
type sweptAxis struct {
	*draft
	by     map[string][]int
	index  int // among the coordinates of a point
	labels []string
	rows   []alongAxis
}

// An alongAxis is what is the same along an axis in one row.
type alongAxis struct {
	ran, all bool           // it has results that the axis could change; no point differs
	first    map[int]string // by point of the block: the first label with the same results
}

// look compares every point of every row with those before it on the axis.
func (a *sweptAxis) look() {
	for _, c := range a.in.Cells {
		if label := c.Point[a.index].Label; !slices.Contains(a.labels, label) {
			a.labels = append(a.labels, label)
		}
	}
	for _, m := range a.methods {
		row := alongAxis{all: true, first: map[int]string{}}
		for b := range a.blocks {
			for k, at := range a.blocks[b].points {
				cells := a.at(m, &a.blocks[b], at)
				if !a.ran(cells) {
					continue
				}
				first, concerned := a.earliest(m, cells)
				row.ran = row.ran || concerned
				row.all = row.all && (!concerned || first == a.labels[0])
				if first != "" && a.block == &a.blocks[b] {
					row.first[k] = first
				}
			}
		}
		a.rows = append(a.rows, row)
	}
}

// earliest returns the first label on the axis at which a method has the results that it has in
// some cells of a point, "" where there is none before it; and whether there is a point before it
// whose cells are other experiments.
func (a *sweptAxis) earliest(m method, cells []int) (first string, concerned bool) {
	here := coordinates(a.in.Cells[cells[0]].Point)
	for _, label := range a.labels {
		if label == here[a.index].Label {
			break
		}
		there := slices.Clone(here)
		there[a.index].Label = label
		others := a.by[placeKey(m.label, there)]
		if !a.ran(others) || a.in.IDs[others[0]] == a.in.IDs[cells[0]] {
			continue
		}
		concerned = true
		if a.twins(cells, others) {
			return label, true
		}
	}
	return "", concerned
}

// tell writes the notes.
func (a *sweptAxis) tell() {
	name := lastPart(a.in.Cells[0].Point[a.index].Axis)
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
		for k := range a.block.points {
			if first, ok := row.first[k]; ok {
				cell := &a.table.Rows[r].Cells[k*len(a.metrics)]
				cell.Notes = append(cell.Notes, a.mark("identical to "+first+
					", seed by seed: "+name+" has no effect between them"))
			}
		}
	}
}
