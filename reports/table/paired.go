package table

import (
	"math"

	"github.com/hansa-fl/hansa/reports/infer"
)

// compared reports whether the methods of a column are compared: in the metric that is
// tested and, if differences stand behind values, in every other that has a direction.
func (d *draft) compared(c int) bool {
	column := &d.table.Columns[c]
	return column.Primary || d.table.deltaBehind() && column.Direction != infer.None
}

// compare compares every complete method of a column with another complete one: the
// baseline, or the method that it changes. In the primary metric, those that compete are
// tested.
func (d *draft) compare(c int) {
	pairings := make([]infer.Paired, len(d.Methods))
	var family []*infer.Paired
	for r, m := range d.Methods {
		other := d.others[r]
		if other < 0 || other == r || !d.samples[r][c].Comparable() ||
			!d.samples[other][c].Comparable() {
			continue
		}
		pairings[r] = infer.ComparePaired(&d.samples[r][c], &d.samples[other][c])
		if !m.Ranked() || !d.table.Columns[c].Primary {
			pairings[r].ClearTest()
		}
		family = append(family, &pairings[r])
	}
	d.family[c], d.pairs[c] = infer.AdjustFamily(family), pairings
	unit := d.table.Columns[c].Unit
	for r := range pairings {
		if pairings[r].N == 0 {
			continue
		}
		versus := pairedDifference(&pairings[r], unit)
		if versus.Outcome == infer.NotSignificant {
			versus.Detectable = Number(d.DetectableEffect(versus.N, d.family[c]) * pairings[r].SD)
		}
		d.table.Rows[r].Cells[c].Versus = versus
	}
}

// pairedDifference tells a pairing in units of the metric.
func pairedDifference(r *infer.Paired, unit string) *PairedDifference {
	c := &PairedDifference{N: r.N, Delta: Number(r.Mean), Low: Number(r.Low), High: Number(r.High),
		P: Number(r.P), Outcome: r.Outcome,
		Relative: Number(math.NaN()), Detectable: Number(math.NaN())}
	// A share of zero, across zero, or of what is a percentage already, misleads.
	if mean := r.BaseMean + r.Mean; unit != "%" && r.BaseMean != 0 && mean*r.BaseMean >= 0 {
		c.Relative = Number(r.Mean / math.Abs(r.BaseMean))
	}
	return c
}

// rank marks the best of a column.
func (d *draft) rank(c int) {
	var rows []int
	var samples []*infer.Sample
	for r, m := range d.Methods {
		if m.Ranked() && d.samples[r][c].Comparable() {
			rows, samples = append(rows, r), append(samples, &d.samples[r][c])
		}
	}
	mark := infer.BestSet
	if d.table.Argmax {
		mark = infer.Argmax
	}
	for i, best := range mark(samples, d.table.Columns[c].Direction == infer.Up) {
		d.table.Rows[rows[i]].Cells[c].Best = best
	}
}
