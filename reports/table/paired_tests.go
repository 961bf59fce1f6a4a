package table

import (
	"math"

	"github.com/hansa-fl/hansa/reports/infer"
)

// addTestStatistics adds to the comparisons of a column what they rest on. Margin is that of
// equivalence, 0 for none; better returns the probability that a run of one row is better than one
// of another.
func (d *draft) addTestStatistics(k int, margin float64, better func(r, other int) float64) {
	nan := Number(math.NaN())
	for r := range d.pairs[k] {
		p, v := &d.pairs[k][r], d.table.Rows[r].Cells[k].Versus
		if v == nil {
			continue
		}
		e := &TestStatistics{SD: Number(p.SD), T: Number(p.T), Raw: nan, Wilcoxon: nan,
			SignFlip: nan, Least: nan, Effect: nan, Margin: nan, Equivalent: nan,
			Detectable: nan, Better: Number(better(r, d.others[r]))}
		v.Tests = e
		if margin > 0 {
			e.Margin = Number(margin)
		}
		if !p.IsTested() {
			continue
		}
		e.Raw, e.Family = Number(p.RawP), d.family[k]
		e.Effect = Number(infer.EffectSize(p.Mean, p.SD, p.N))
		e.Detectable = Number(d.DetectableEffect(p.N, e.Family) * p.SD)
		if p.Outcome == infer.NotSignificant {
			e.Needed = infer.SeedsNeeded(p.Mean, p.SD, infer.Alpha/float64(e.Family))
		}
		e.Least = Number(infer.SmallestExactP(infer.CountNonzero(p.Differences, p.Tolerance)))
	}
	d.addExactTests(k, margin)
}

// addExactTests adds the tests beside the t test, each Holm-adjusted among its own. Where one of a
// kind is impossible, the kind is left out.
func (d *draft) addExactTests(k int, margin float64) {
	var family []*TestStatistics
	var ranks, flips, same []float64
	for r := range d.pairs[k] {
		if p := &d.pairs[k][r]; p.IsTested() {
			_, ranked := infer.Wilcoxon(p.Differences, p.Tolerance)
			family = append(family, d.table.Rows[r].Cells[k].Versus.Tests)
			ranks = append(ranks, ranked)
			flips = append(flips, infer.SignFlip(p.Differences, p.Tolerance))
			same = append(same, infer.Equivalence(p.Mean, p.SD, p.N, margin))
		}
	}
	ranks, flips, same = infer.Holm(ranks), infer.Holm(flips), infer.Holm(same)
	for i, e := range family {
		e.Wilcoxon, e.SignFlip = Number(ranks[i]), Number(flips[i])
		if margin > 0 {
			e.Equivalent = Number(same[i])
		}
	}
}

// superiority returns the probability that a run of one row is better than one of another, both of
// which are complete, by the direction of the metric, averaged over conditions.
func (c *comparison) superiority(r, other int, columns []int) float64 {
	sum := 0.0
	for _, k := range columns {
		x, y := &c.samples[r][k], &c.samples[other][k]
		if c.table.Columns[k].Direction == infer.Down {
			x, y = y, x
		}
		sum += infer.Superiority(x.Values, y.Values)
	}
	return sum / float64(len(columns))
}
