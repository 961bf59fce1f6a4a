package table

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// rowsIdentical reports whether two rows have the same results at all points of a block.
func (d *draft) rowsIdentical(r, other int, b *infer.Block) bool {
	same, all := d.identicalPoints(r, other, b)
	return all && len(same) > 0
}

// noEffectOf says that the settings in which two cells differ have no effect.
func noEffectOf(a, b *study.Cell) string {
	var names []string
	values := map[string]string{}
	for _, s := range infer.Settings(a) {
		values[s.Path] = s.Value
	}
	var paths []string
	for _, s := range infer.Settings(b) {
		if v, known := values[s.Path]; !known || v != s.Value {
			paths = append(paths, s.Path)
		}
		delete(values, s.Path)
	}
	for _, s := range infer.Settings(a) {
		if _, left := values[s.Path]; left {
			paths = append(paths, s.Path)
		}
	}
	for _, path := range paths {
		slot, _, below := strings.Cut(path, ".")
		if slot != "metrics" && !(below && slices.Contains(paths, slot)) {
			names = append(names, study.LastPart(path))
		}
	}
	return noEffect(names)
}

// noEffect says that settings have no effect; "" for none.
func noEffect(names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return ": " + names[0] + " has no effect on what is measured here"
	default:
		return ": " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] +
			" have no effect on what is measured here"
	}
}

// noteIdenticalRows says of rows that their results are those of a row above: at all points of a
// block, or at some where these are columns of the table. Where both are best the row
// above alone is marked: it is one finding.
func (d *draft) noteIdenticalRows(b *infer.Block) {
	marked := false
	for r := range d.Methods {
		for above := range r {
			same, all := d.identicalPoints(r, above, b)
			if len(same) == 0 || !all && b != d.block {
				continue
			}
			i := d.CellsAt(d.Methods[above], b, b.Points[same[0]])[0]
			j := d.CellsAt(d.Methods[r], b, b.Points[same[0]])[0]
			n := d.mark("identical to " + study.OneLine(d.Methods[above].Label) +
				", seed by seed" + noEffectOf(&d.In.Cells[i], &d.In.Cells[j]))
			marked = d.markRepeated(r, above, same, all) || marked
			row := &d.table.Rows[r]
			if all {
				row.Notes = append(row.Notes, n)
				break
			}
			for _, k := range same {
				cell := &row.Cells[k*len(d.Metrics)]
				cell.Notes = append(cell.Notes, n)
			}
			break
		}
	}
	if marked && (d.table.View == Values || d.table.View == LearningCurves) {
		d.explain("", "of rows that are identical the first alone is marked as the best")
	}
}

// identicalPoints lists the points of a block at which two rows have the same results, and says
// whether these are all at which both have results.
func (d *draft) identicalPoints(r, other int, b *infer.Block) (same []int, all bool) {
	all = true
	for k, at := range b.Points {
		cells, others := d.CellsAt(d.Methods[r], b, at), d.CellsAt(d.Methods[other], b, at)
		switch {
		case !d.hasResults(cells) || !d.hasResults(others):
		case d.SameResults(cells, others):
			same = append(same, k)
		default:
			all = false
		}
	}
	return same, all
}

// markRepeated says of cells that they are best as those of a row above are, with the same results:
// at some points, or everywhere.
func (d *draft) markRepeated(r, above int, same []int, all bool) (some bool) {
	row, other := &d.table.Rows[r], &d.table.Rows[above]
	for c := range row.Cells {
		if !all && !slices.Contains(same, c/len(d.Metrics)) {
			continue
		}
		if row.Cells[c].Best && other.Cells[c].Best {
			row.Cells[c].Again, some = true, true
		}
	}
	return some
}
