package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// explainTables titles the tables of a comparison and writes their notes. Blocks is nil where there
// is no such table.
func (c *comparison) explainTables(overall, blocks, curves *draft) {
	metric := study.OneLine(c.options.Metric)
	title := func(d *draft, what string) {
		if d.table.Title != "" {
			what = " — " + what
		}
		d.table.Title += what
		d.table.Conditions = len(c.used)
	}
	c.table.Notes = []Note{}
	c.explainDraft()
	c.plannedNotes()
	c.noteIdenticalRows(c.block)
	c.explainOverall(overall)
	overall.plannedNotes()
	overall.noteIdenticalRows(c.block)
	title(overall, "differences in "+metric)
	if blocks != nil {
		c.explainBlocks(blocks)
		title(blocks, metric+" over conditions")
	}
	c.explainLearningCurve(curves, overall)
	curves.plannedNotes()
	curves.noteIdenticalRows(c.block)
	title(curves, "course of "+metric)
	title(c.draft, "differences in "+metric+" by condition")
	c.table.Conditions = 0
	for _, d := range []*draft{c.draft, overall, curves, blocks} {
		if d != nil {
			d.table.sortMarks()
		}
	}
	first := curves
	if hasComparisons(overall.table) {
		first = overall
	} else if blocks != nil {
		first = blocks
	}
	c.explainChoice(first)
}

// explainChoice says what is compared with what, where that is not all with the baseline in
// all conditions.
func (c *comparison) explainChoice(d *draft) {
	for _, text := range c.options.Remarks {
		d.explain("", "%s", text)
	}
	name := c.In.Report.Baseline
	switch {
	case c.table.comparesAblations() || c.table.Baseline != "":
		if c.lacksCounterpart() {
			d.explain("", "a row that is not complete, or whose counterpart is not, is not "+
				"compared")
		}
	case name != "":
		d.explain("", "the baseline, %s, is not part of this: nothing is compared with it", name)
	default:
		d.explain("", "no baseline is declared: methods are not compared with one")
	}
	var never []string
	for r, m := range c.Methods {
		apart := func(s infer.Sample) bool { return s.Incomparable } // of which a footnote speaks
		if m.Ranked() && !c.competes(r) && !slices.ContainsFunc(c.samples[r], apart) {
			never = append(never, m.Label)
		}
	}
	if len(never) > 0 {
		d.explain("", "complete in no condition, and left out of all comparisons: %s",
			strings.Join(never, ", "))
	}
	for k, used := range c.result.Used {
		if used || len(c.result.Used) == 1 {
			continue
		}
		var lacking []string
		why := "complete"
		for r, m := range c.Methods {
			if c.competes(r) && !c.samples[r][k].Comparable() {
				lacking = append(lacking, m.Label)
			}
			if c.competes(r) && c.samples[r][k].Incomparable {
				why = "complete or not comparable"
			}
		}
		d.explain("", "%s is left out, as all must be compared over the same conditions: not "+
			"%s there: %s", infer.Label(c.table.Columns[k].Point), why, strings.Join(lacking, ", "))
	}
}

// explainDraft writes the notes of the differences in each condition.
func (c *comparison) explainDraft() {
	c.roleNotes()
	c.explain("Δ", "mean over seeds of the difference from %s at the same seed", c.counterpart())
	if most := slices.Max(c.family); most > 0 {
		c.explain("*, **, ***", "p < 0.05, 0.01, 0.001: paired t test over seeds, Holm-adjusted "+
			"within a condition")
	}
	c.explainOutcomes()
	c.explainSeeds()
}

// counterpart names that with which rows are compared.
func (c *comparison) counterpart() string {
	if c.table.comparesAblations() {
		return "the method that the row changes"
	}
	return study.OneLine(c.table.Baseline)
}

// explainOverall writes the notes of the differences over all conditions.
func (c *comparison) explainOverall(d *draft) {
	d.roleNotes()
	d.explainWindows(c.windows())
	within := ""
	if len(c.used) > 1 {
		within = fmt.Sprintf(", each averaged over the %s first: it is about these, not about "+
			"others", Counted(len(c.used), "condition"))
	}
	d.explain("Δ", "mean over seeds of the difference from %s at the same seed%s", c.counterpart(),
		within)
	c.explainTest(d, "seed")
	if e := d.someTests(); e != nil {
		d.explain("d_z", "Δ in standard deviations of the paired differences, with Hedges' "+
			"correction")
		d.explain("P(better)", "probability that a training run is better than one of %s; a tie "+
			"counts half (A₁₂)",
			c.counterpart())
	}
	d.explainOutcomes()
	c.explainNeeded(d)
	d.explainSeeds()
	c.explainBestPair(d)
}

// someTests returns that of some comparison that was tested; nil for none.
func (d *draft) someTests() *TestStatistics {
	for _, row := range d.table.Rows {
		for _, cell := range row.Cells {
			if v := cell.Versus; v != nil && v.Tests != nil && v.Tests.Family > 0 {
				return v.Tests
			}
		}
	}
	return nil
}

// explainTest says how differences of a unit — seeds, conditions — were tested, and what that
// assumes.
func (c *comparison) explainTest(d *draft, unit string) {
	e := d.someTests()
	if e == nil {
		return
	}
	n := d.table.tested()
	d.explain("95 % CI", "of Δ by Student's t, not adjusted for the number of comparisons")
	d.explain("p", "paired t test over %s, Holm-adjusted for %s; *, **, ***: p < 0.05, 0.01, "+
		"0.001. It assumes differences that are independent and near to normal",
		CountedRange(n, unit), Counted(e.Family, "comparison"))
	least := infer.SmallestExactP(slices.Max(n))
	switch adjusted := least * float64(e.Family); {
	case d.exactTestsDecide():
		nearly := ""
		if slices.Max(n) > infer.MostRanked {
			nearly = fmt.Sprintf("; that of Wilcoxon is within 1 %% where there are more than %d "+
				"differences", infer.MostRanked)
		}
		d.explain("Wilcoxon, sign flip", "exact p, Holm-adjusted, which assume symmetric "+
			"differences only; none can be below %s%s", exactPText(min(1, adjusted)), nearly)
	default:
		after := ""
		if e.Family > 1 {
			after = ", or " + exactPText(min(1, adjusted)) + " after Holm"
		}
		d.explain("", "exact tests (Wilcoxon, sign flip) are left out, as they cannot decide: "+
			"with %s the least possible p is %s%s", CountedRange(n, "difference"),
			exactPText(least), after)
	}
	if c.options.Margin > 0 {
		d.explain("≈", "p of two one-sided paired t tests, Holm-adjusted, of |Δ| being %s or "+
			"more; ≈ where it is less: p < 0.05", marginText(c.options.Margin,
			d.table.Columns[0].Unit))
	}
}

// exactTestsDecide reports whether the exact tests of some comparison can find something.
func (d *draft) exactTestsDecide() bool {
	return slices.ContainsFunc(d.table.Rows, func(row Row) bool {
		return slices.ContainsFunc(row.Cells, func(c Cell) bool {
			return c.Versus != nil && c.Versus.Tests != nil && exactTestsDecide(c.Versus.Tests)
		})
	})
}

// explainNeeded says how many seeds would do.
func (c *comparison) explainNeeded(d *draft) {
	var list []string
	for _, row := range d.table.Rows {
		v := row.Cells[0].Versus
		if v == nil || v.Outcome != infer.NotSignificant || v.Tests == nil {
			continue
		}
		n := "more than " + fmt.Sprint(infer.MaxSeedsNeeded)
		if v.Tests.Needed > 0 {
			n = fmt.Sprint(v.Tests.Needed)
		}
		list = append(list, n+" ("+study.OneLine(row.Method)+")")
	}
	if len(list) > 0 {
		d.explain("", "seeds that it would take to detect a Δ that is not significant, if that "+
			"were the true one: %s", strings.Join(list, ", "))
	}
}

// explainBestPair compares the best competing method with the next.
func (c *comparison) explainBestPair(d *draft) {
	var rows []int
	for r := range c.Methods {
		if c.competes(r) && d.samples[r][0].Comparable() {
			rows = append(rows, r)
		}
	}
	if len(rows) < 2 {
		return
	}
	column := &d.table.Columns[0]
	slices.SortStableFunc(rows, func(a, b int) int {
		return infer.CompareMeans(&d.samples[a][0], &d.samples[b][0], column.Direction == infer.Up)
	})
	first := rows[0]
	rows = slices.DeleteFunc(rows[1:], func(r int) bool {
		return c.rowsIdentical(r, first, c.block)
	})
	if len(rows) == 0 {
		return
	}
	next := rows[0]
	tested := func(r int) bool { return d.table.Rows[r].Cells[0].Versus != nil }
	if tested(first) != tested(next) { // one is the baseline, with which the other is tested
		return
	}
	p := infer.ComparePaired(&d.samples[first][0], &d.samples[next][0])
	s := styleOf(column.Unit, []*Cell{{Mean: Number(p.Mean), Spread: Number((p.High - p.Low) / 2)}})
	text := fmt.Sprintf("best and next: %s − %s = %s", study.OneLine(c.Methods[first].Label),
		study.OneLine(c.Methods[next].Label), s.entry(p.Mean, math.NaN()))
	if infer.Finite(p.Low) && p.High > p.Low {
		text += " " + s.interval(p.Low, p.High)
	}
	d.explain("", "%s, a pair that was selected post hoc: not tested", text)
}

// explainBlocks writes the notes of the differences with conditions as the unit.
func (c *comparison) explainBlocks(d *draft) {
	d.roleNotes()
	if hasComparisons(d.table) {
		d.explain("Δ", "mean over conditions of the difference from %s; it is about conditions "+
			"like these, which have equal weights", c.counterpart())
		c.explainTest(d, "condition")
		d.explain("W/T/L", "conditions in which the method is significantly better than, does not "+
			"differ significantly from, or is significantly worse than %s; — where some cannot "+
			"be tested", c.counterpart())
		d.explainOutcomes()
		if len(c.used) < infer.FewestSeeds {
			d.explain("", "%s: too few to test over them, which takes %d",
				Counted(len(c.used), "condition"), infer.FewestSeeds)
		}
	}
	k := c.result.Ranking
	if k == nil {
		return
	}
	d.explain("rank", "mean over conditions of the rank by the mean over seeds, 1 is best")
	if k.Why != "" {
		d.explain("", "%s", k.Why)
		return
	}
	how := "by the distribution of F"
	if k.Shuffled {
		how = fmt.Sprintf("by %d random orders, as conditions are few", shuffles)
	}
	verdict := "ranks differ"
	if float64(k.P) >= infer.Alpha {
		verdict = "ranks do not differ significantly"
	}
	f := fixed(float64(k.F), math.NaN(), 2).String()
	if math.IsInf(float64(k.F), 1) {
		f = "∞"
	}
	d.explain("", "%s: Friedman's χ² = %s, corrected for ties, F = %s (Iman, Davenport), %s %s",
		verdict, fixed(float64(k.ChiSquare), math.NaN(), 2), f, pValueText(float64(k.P)), how)
	var groups []string
	for _, clique := range k.Cliques {
		var names []string
		for _, i := range clique {
			names = append(names, study.OneLine(k.Methods[i]))
		}
		groups = append(groups, strings.Join(names, " ~ "))
	}
	apart := "all are further apart"
	if len(groups) > 0 {
		apart = "not further apart: " + strings.Join(groups, "; ")
	}
	d.explain("", "critical difference of mean ranks: %s (Nemenyi, 5 %%); %s",
		fixed(float64(k.Critical), math.NaN(), 2), apart)
}

// explainLearningCurve writes the notes of the learning curves, which follow those of what is
// overall, if anything is.
func (c *comparison) explainLearningCurve(d, overall *draft) {
	d.roleNotes()
	if d.anyCell(func(cell *Cell) bool { return cell.N() > 1 }) {
		d.explain("±", "%s over seeds", spreadNames[c.In.Report.Spread])
	}
	if !hasComparisons(overall.table) {
		d.explainWindows(c.windows())
	}
	d.explain(middleHead, "interquartile mean of the final values of seeds; in brackets its 95 %% "+
		"interval (Tukey, McLaughlin)")
	d.explain(bestHead, "the best evaluation of each training run, which is optimistic, the more "+
		"so the more evaluations there are; not ranked")
	d.explain(areaHead, "mean height of the curve over rounds (trapezoidal rule)")
	if c.thinned(true) {
		d.explain("", "curves are taken in the rounds in which all methods were measured")
	}
	c.explainBudgets(d)
	if d.anyCell(func(cell *Cell) bool { return cell.Reach != nil }) {
		d.explain("", "a target is reached with the first evaluation at or past it")
	}
	if d.anyCell(func(cell *Cell) bool {
		return cell.Reach != nil && cell.Reach.Reached < cell.Reach.Runs
	}) {
		d.explain("> x (n/m)", "n of m training runs reached it, the others not by x")
	}
	if d.anyCell(func(cell *Cell) bool { return cell.Reach != nil && cell.Reach.partial() }) {
		d.explain("restricted mean", "a training run that did not reach the target counts with "+
			"what it had taken by the last evaluation. So the mean is too small, but not one of "+
			"successes alone. It is what is ranked")
	}
	if slices.ContainsFunc(d.table.Columns, func(c Column) bool { return c.Unit == fl.Bytes }) {
		d.explain("B, kB, MB", "bytes and powers of 1000 of them; each number that is sent takes "+
			"4, as in single precision")
	}
	if d.anyCell(func(cell *Cell) bool { return cell.Best }) {
		d.explain(Bold, bestTerm)
	}
	d.explainSeeds()
}

// exactPText writes a p-value that is known exactly.
func exactPText(p float64) string { return fmt.Sprintf("%.3g", p) }

// marginText writes a margin in the unit of its metric.
func marginText(x float64, unit string) string {
	text := fmt.Sprintf("%g", x)
	if unit == "%" {
		return text + " pp"
	}
	return text + Before(" ", unit)
}
