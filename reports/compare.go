package reports

import "math"

// compared reports whether the methods of a column are compared: in the metric that is
// tested and, if differences stand behind values, in every other that has a direction.
func (d *draft) compared(c int) bool {
	column := &d.table.Columns[c]
	return column.Primary || d.table.behind() && column.Direction != None
}

// compare compares every complete method of a column with another complete one: the
// baseline, or the method that it changes. In the primary metric, those that compete are
// tested.
func (d *draft) compare(c int) {
	pairings := make([]pairing, len(d.methods))
	var family []*pairing
	for r, m := range d.methods {
		other := d.others[r]
		if other < 0 || other == r || !d.samples[r][c].comparable() ||
			!d.samples[other][c].comparable() {
			continue
		}
		pairings[r] = pair(&d.samples[r][c], &d.samples[other][c])
		if !m.ranked() || !d.table.Columns[c].Primary {
			pairings[r].untested()
		}
		family = append(family, &pairings[r])
	}
	d.family[c], d.pairs[c] = adjust(family), pairings
	unit := d.table.Columns[c].Unit
	for r := range pairings {
		if pairings[r].n == 0 {
			continue
		}
		versus := comparison(&pairings[r], unit)
		if versus.Outcome == Undecided {
			versus.Detectable = Number(d.effect(versus.N, d.family[c]) * pairings[r].sd)
		}
		d.table.Rows[r].Cells[c].Versus = versus
	}
}

// untested forgets all but the difference.
func (r *pairing) untested() {
	r.t, r.p, r.low, r.high = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	r.outcome = Untested
}

// comparison tells a pairing in units of the metric.
func comparison(r *pairing, unit string) *Comparison {
	c := &Comparison{N: r.n, Delta: Number(r.mean), Low: Number(r.low), High: Number(r.high),
		P: Number(r.p), Outcome: r.outcome,
		Relative: Number(math.NaN()), Detectable: Number(math.NaN())}
	// A share of zero, across zero, or of what is a percentage already, misleads.
	if mean := r.base + r.mean; unit != "%" && r.base != 0 && mean*r.base >= 0 {
		c.Relative = Number(r.mean / math.Abs(r.base))
	}
	return c
}

// rank marks the best of a column.
func (d *draft) rank(c int) {
	var rows []int
	var samples []*sample
	for r, m := range d.methods {
		if m.ranked() && d.samples[r][c].comparable() {
			rows, samples = append(rows, r), append(samples, &d.samples[r][c])
		}
	}
	mark := tied
	if d.table.Argmax {
		mark = foremost
	}
	for i, best := range mark(samples, d.table.Columns[c].Direction == Up) {
		d.table.Rows[rows[i]].Cells[c].Best = best
	}
}
