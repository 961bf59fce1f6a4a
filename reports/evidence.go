package reports

import "math"

// weigh adds to the comparisons of a column what they rest on. Margin is that of equivalence,
// 0 for none; better returns the probability that a run of one row is better than one of
// another.
func (d *draft) weigh(k int, margin float64, better func(r, other int) float64) {
	nan := Number(math.NaN())
	for r := range d.pairs[k] {
		p, v := &d.pairs[k][r], d.table.Rows[r].Cells[k].Versus
		if v == nil {
			continue
		}
		e := &Evidence{SD: Number(p.sd), T: Number(p.t), Raw: nan, Wilcoxon: nan, SignFlip: nan,
			Least: nan, Effect: nan, Margin: nan, Equivalent: nan, Detectable: nan,
			Better: Number(better(r, d.others[r]))}
		v.Evidence = e
		if margin > 0 {
			e.Margin = Number(margin)
		}
		if !p.tested() {
			continue
		}
		e.Raw, e.Family, e.Effect = Number(p.raw), d.family[k], Number(hedges(p.mean, p.sd, p.n))
		e.Detectable = Number(d.effect(p.n, e.Family) * p.sd)
		if p.outcome == Undecided {
			e.Needed = needed(p.mean, p.sd, level/float64(e.Family))
		}
		e.Least = Number(attainable(nonzero(p.differences, p.same)))
	}
	d.exact(k, margin)
}

// tested reports whether a t test was made.
func (r *pairing) tested() bool { return r.outcome == Decided || r.outcome == Undecided }

// exact adds the tests beside the t test, each Holm-adjusted among its own. Where one of a
// kind cannot be made, none of it is told.
func (d *draft) exact(k int, margin float64) {
	var family []*Evidence
	var ranks, flips, same []float64
	for r := range d.pairs[k] {
		if p := &d.pairs[k][r]; p.tested() {
			_, ranked := wilcoxon(p.differences, p.same)
			family = append(family, d.table.Rows[r].Cells[k].Versus.Evidence)
			ranks = append(ranks, ranked)
			flips = append(flips, signFlip(p.differences, p.same))
			same = append(same, equivalence(p.mean, p.sd, p.n, margin))
		}
	}
	ranks, flips, same = holm(ranks), holm(flips), holm(same)
	for i, e := range family {
		e.Wilcoxon, e.SignFlip = Number(ranks[i]), Number(flips[i])
		if margin > 0 {
			e.Equivalent = Number(same[i])
		}
	}
}

// better returns the probability that a run of one row is better than one of another, both of
// which are complete, by the direction of the metric, averaged over conditions.
func (c *contest) better(r, other int, columns []int) float64 {
	sum := 0.0
	for _, k := range columns {
		x, y := &c.samples[r][k], &c.samples[other][k]
		if c.table.Columns[k].Direction == Down {
			x, y = y, x
		}
		sum += superiority(x.values, y.values)
	}
	return sum / float64(len(columns))
}
