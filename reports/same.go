package reports

import (
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// sameResults reports whether two results agree to the last bit in every metric that both have, in
// every round that both measured, up to the same last one.
func sameResults(a, b *engine.Result) bool {
	if len(a.Rounds) == 0 || len(b.Rounds) == 0 ||
		a.Rounds[len(a.Rounds)-1] != b.Rounds[len(b.Rounds)-1] {
		return false
	}
	shared := false
	for _, s := range a.Series {
		k := slices.IndexFunc(b.Series, func(o engine.Series) bool { return o.Key == s.Key })
		if k < 0 {
			continue
		}
		shared = true
		if !sameCurve(a.Rounds, b.Rounds, s.Values, b.Series[k].Values) {
			return false
		}
	}
	return shared
}

// sameCurve compares two curves from their ends, where they differ first, if at all.
func sameCurve(rounds, others []int, values, those []float64) bool {
	i, j := min(len(rounds), len(values))-1, min(len(others), len(those))-1
	if i < 0 || j < 0 {
		return false
	}
	for i >= 0 && j >= 0 {
		switch {
		case rounds[i] > others[j]:
			i--
		case rounds[i] < others[j]:
			j--
		case math.Float64bits(values[i]) != math.Float64bits(those[j]):
			return false
		default:
			i, j = i-1, j-1
		}
	}
	return true
}

// twins reports whether two lists of cells, which are different experiments, have the same
// results in every seed that both have a result of.
func (p *plan) twins(a, b []int) bool {
	shared, others := false, false
	for _, i := range a {
		for _, j := range b {
			if p.in.Cells[i].Seed != p.in.Cells[j].Seed {
				continue
			}
			one, other := p.in.Results[p.in.IDs[i]], p.in.Results[p.in.IDs[j]]
			if one == nil || other == nil {
				continue
			}
			others = others || p.in.IDs[i] != p.in.IDs[j]
			if shared = true; p.in.IDs[i] != p.in.IDs[j] && !sameResults(one, other) {
				return false
			}
		}
	}
	return shared && others
}

// sameAll reports whether two rows are twins at all points of a block.
func (d *draft) sameAll(r, other int, b *block) bool {
	same, all := d.samePoints(r, other, b)
	return all && len(same) > 0
}

// without says that the settings in which two cells differ have no effect.
func without(a, b *study.Cell) string {
	var names []string
	values := map[string]string{}
	for _, s := range settings(a) {
		values[s.path] = s.value
	}
	var paths []string
	for _, s := range settings(b) {
		if v, known := values[s.path]; !known || v != s.value {
			paths = append(paths, s.path)
		}
		delete(values, s.path)
	}
	for _, s := range settings(a) {
		if _, left := values[s.path]; left {
			paths = append(paths, s.path)
		}
	}
	for _, path := range paths {
		slot, _, below := strings.Cut(path, ".")
		if slot != "metrics" && !(below && slices.Contains(paths, slot)) {
			names = append(names, path[strings.LastIndexByte(path, '.')+1:])
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

// sameRows says of rows that their results are those of a row above: at all points of a block, or
// at some where these are columns of the table. Where both are best the row
// above alone is marked: it is one finding.
func (d *draft) sameRows(b *block) {
	marked := false
	for r := range d.methods {
		for above := range r {
			same, all := d.samePoints(r, above, b)
			if len(same) == 0 || !all && b != d.block {
				continue
			}
			i := d.at(d.methods[above], b, b.points[same[0]])[0]
			j := d.at(d.methods[r], b, b.points[same[0]])[0]
			n := d.mark("identical to " + study.OneLine(d.methods[above].label) +
				", seed by seed" + without(&d.in.Cells[i], &d.in.Cells[j]))
			marked = d.unmark(r, above, same, all) || marked
			row := &d.table.Rows[r]
			if all {
				row.Notes = append(row.Notes, n)
				break
			}
			for _, k := range same {
				cell := &row.Cells[k*len(d.metrics)]
				cell.Notes = append(cell.Notes, n)
			}
			break
		}
	}
	if marked && (d.table.View == Values || d.table.View == Courses) {
		d.explain("", "of rows that are identical the first alone is marked as the best")
	}
}

// samePoints lists the points of a block at which two rows are twins, and says whether these are
// all at which both have results.
func (d *draft) samePoints(r, other int, b *block) (same []int, all bool) {
	all = true
	for k, at := range b.points {
		cells, others := d.at(d.methods[r], b, at), d.at(d.methods[other], b, at)
		switch {
		case !d.ran(cells) || !d.ran(others):
		case d.twins(cells, others):
			same = append(same, k)
		default:
			all = false
		}
	}
	return same, all
}

// unmark says of cells that they are best as those of a row above are, with the same results: at
// some points, or everywhere.
func (d *draft) unmark(r, above int, same []int, all bool) (some bool) {
	row, other := &d.table.Rows[r], &d.table.Rows[above]
	for c := range row.Cells {
		if !all && !slices.Contains(same, c/len(d.metrics)) {
			continue
		}
		if row.Cells[c].Best && other.Cells[c].Best {
			row.Cells[c].Again, some = true, true
		}
	}
	return some
}
