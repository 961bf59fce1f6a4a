package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// spreadNames say what ± is.
var spreadNames = map[string]string{
	"sd":  "standard deviation",
	"sem": "standard error of the mean",
	"ci":  "half the 95 % confidence interval of the mean (Student's t)",
}

// Terms of the table that notes explain and renderers know.
const (
	Bold       = "bold"
	versusHead = "vs baseline"
	partial    = "(n/m)"
)

// explain adds a note that concerns the table as a whole, or one of its signs.
func (d *draft) explain(term, format string, args ...any) {
	d.table.Notes = append(d.table.Notes, Note{Term: term, Text: fmt.Sprintf(format, args...)})
}

// explains reports whether a note explains a term.
func (d *draft) explains(term string) bool {
	return slices.ContainsFunc(d.table.Notes, func(n Note) bool { return n.Term == term })
}

// legend explains the table as a whole.
func (d *draft) legend() {
	d.explainValues()
	switch name := d.In.Report.Baseline; {
	case d.table.comparesAblations(), d.table.Delta && d.table.Baseline != "":
		d.explainDifferences()
	case d.table.Baseline != "":
		d.explainTests()
	case name != "":
		d.explain("", "the baseline, %s, is not part of this table: nothing is compared", name)
	}
	switch best := d.anyCell(func(c *Cell) bool { return c.Best }); {
	case best && d.table.Argmax:
		d.explain(Bold, "the best mean: argmax, not tested")
	case best:
		d.explain(Bold, bestTerm)
	}
	d.explainSeeds()
	if builds := d.In.Builds; len(builds) > 1 {
		d.explain("", "results of %d source revisions: %s", len(builds), strings.Join(builds, ", "))
	}
}

// anyCell reports whether some cell has a property.
func (d *draft) anyCell(has func(*Cell) bool) bool {
	return slices.ContainsFunc(d.table.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Cells, func(c Cell) bool { return has(&c) })
	})
}

func (d *draft) explainValues() {
	if d.anyCell(func(c *Cell) bool { return c.N() > 1 }) {
		which := CountedRange(d.table.planned(), "seed")
		if !slices.ContainsFunc(d.In.Cells, func(c study.Cell) bool { return !c.SameData }) {
			which += ", which share their data"
		}
		d.explain("±", "%s over %s", spreadNames[d.In.Report.Spread], which)
	}
	d.explainWindows(d.windows())
}

// Counted writes how many there are of something.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// explainTests says how the comparisons with the baseline were made.
func (d *draft) explainTests() {
	test := ""
	if most := slices.Max(d.family); most > 0 && d.onePoint() {
		test = fmt.Sprintf("; p from a paired t test over seeds, Holm-adjusted for %s",
			Counted(most, "method"))
	}
	compared := d.anyCell(func(c *Cell) bool { return c.Versus != nil })
	if d.onePoint() && compared {
		d.explain(versusHead, "change of the mean against %s%s", d.table.Baseline, test)
	} else if compared && slices.Max(d.family) > 0 {
		d.explain("*, **, ***", "p < 0.05, 0.01, 0.001 against %s: paired t test over seeds, "+
			"Holm-adjusted for the methods of a %s", d.table.Baseline, d.columnWord())
	}
	if d.lacksCounterpart() {
		d.explain("", "where the baseline, %s, is not complete nothing is compared with it",
			d.table.Baseline)
	}
	d.explainOutcomes()
}

// columnWord is what a reader of the table calls a Column.
func (d *draft) columnWord() string {
	if d.table.Transposed {
		return "row"
	}
	return "column"
}

// rowWord is what a reader of the table calls a Row.
func (d *draft) rowWord() string {
	if d.table.Transposed {
		return "column"
	}
	return "row"
}

// explainDifferences says how methods were compared where differences stand behind values.
func (d *draft) explainDifferences() {
	compared := d.anyCell(func(c *Cell) bool { return c.Versus != nil })
	other, those, change := d.table.Baseline, "methods", ""
	if d.table.comparesAblations() {
		other, those = "the method that the "+d.rowWord()+" changes", "ablations"
		change = " for that difference"
	}
	if compared {
		points := ""
		if d.inPoints() {
			points = "; of percentages, in percentage points"
		}
		d.explain("( )", "difference from %s%s", other, points)
	}
	if slices.Max(d.family) > 0 {
		rest := ""
		if len(d.Metrics) > 1 {
			rest = "; only " + study.OneLine(d.Metrics[0]) + " is tested"
		}
		d.explain("*, **, ***", "p < 0.05, 0.01, 0.001%s: paired t test over "+
			"seeds, Holm-adjusted for the %s of a %s%s", change, those, d.columnWord(), rest)
	}
	switch {
	case d.lacksCounterpart() && d.table.comparesAblations():
		d.explain("", "where the method that a %[1]s changes is not complete, or not part of "+
			"this table, the %[1]s is not compared", d.rowWord())
	case d.lacksCounterpart():
		d.explain("", "where %s is not complete nothing is compared with it", other)
	case !compared && d.table.comparesAblations():
		d.explain("", "no complete row changes the method of another: nothing is compared")
	}
	d.explainOutcomes()
}

// onePoint reports whether there is one point.
func (d *draft) onePoint() bool { return len(d.block.Points) == 1 }

// inOwnColumn reports whether comparisons have a column to themselves.
func (d *draft) inOwnColumn() bool {
	return d.onePoint() && !d.table.deltaBehind() && d.table.View == Values
}

// unit is what a comparison has one difference of.
func (d *draft) unit() string {
	if d.table.View == Standings {
		return "condition"
	}
	return "seed"
}

// undecidedUnits counts the units behind comparisons without a significant difference.
func (d *draft) undecidedUnits() string {
	return CountedRange(d.table.pairs(infer.NotSignificant), d.unit())
}

// lacksCounterpart reports whether something has nothing to be compared with.
func (d *draft) lacksCounterpart() bool {
	for r, other := range d.others {
		for c := range d.table.Columns {
			if d.table.ComparedWith(r) != "" && d.compared(c) && len(d.samples[r][c].Planned) > 0 &&
				!d.samples[r][c].Incomparable && (other < 0 || !d.samples[other][c].Complete()) {
				return true
			}
		}
	}
	return false
}

// explainOutcomes explains the signs that comparisons print.
func (d *draft) explainOutcomes() {
	has := func(o infer.Outcome) bool {
		return d.anyCell(func(c *Cell) bool { return c.Versus != nil && c.Versus.Outcome == o })
	}
	if has(infer.NotSignificant) {
		d.explain("~", "no significant difference, which does not mean equal: with 5 %% shared by "+
			"the methods tested, %s detect with 80 %% power a difference of %s",
			d.undecidedUnits(), d.detectables())
	}
	always, identical, from := "†", "=", " from the baseline"
	if d.inOwnColumn() {
		always, identical = "always", "identical"
	}
	if d.table.comparesAblations() {
		from = ""
	}
	if has(infer.Constant) {
		d.explain(always, "the same difference%s in every %s: there is nothing for a test to "+
			"estimate", from, d.unit())
	}
	if has(infer.Identical) {
		d.explain(identical, "no difference%s in any %s", from, d.unit())
	}
	if d.inOwnColumn() && d.anyCell(func(c *Cell) bool { return c.Versus.isMultiple() }) {
		d.explain("×", "times the baseline")
	}
	if d.inPoints() && !(d.table.View == Values && d.table.deltaBehind()) {
		d.explain("pp", "percentage points")
	}
}

// inPoints reports whether a comparison tells percentage points.
func (d *draft) inPoints() bool {
	for c, column := range d.table.Columns {
		for r := range d.table.Rows {
			v := d.table.Rows[r].Cells[c].Versus
			if d.inOwnColumn() && v.inPoints(column.Unit) ||
				!d.inOwnColumn() && v != nil && column.Unit == "%" &&
					(d.table.deltaBehind() || d.table.View != Values) {
				return true
			}
		}
	}
	return false
}

// detectables tells the smallest detectable differences of what is undecided: by method
// where there is one column, else the range they lie in.
func (d *draft) detectables() string {
	var list []string
	low, high := math.Inf(1), 0.0
	unit := d.table.Columns[0].Unit // of the primary metric, which is the same at all points
	for c := range d.table.Columns {
		for r := range d.table.Rows {
			v := d.table.Rows[r].Cells[c].Versus
			if v == nil || v.Outcome != infer.NotSignificant {
				continue
			}
			x := float64(v.Detectable)
			low, high = min(low, x), max(high, x)
			which := d.table.Rows[r].Method
			if Uneven(d.table.pairs(infer.NotSignificant)) {
				which += ", " + Counted(v.N, d.unit())
			}
			list = append(list, fmt.Sprintf("%s (%s)", quantity(x, unit), which))
		}
	}
	if d.onePoint() {
		return strings.Join(list, ", ")
	}
	if from, to := quantity(low, unit), quantity(high, unit); from != to {
		return from + " to " + to
	}
	return quantity(low, unit)
}

// explainSeeds says what could not be ranked or tested for want of seeds.
func (d *draft) explainSeeds() {
	most := 0
	for r, m := range d.Methods {
		for c := range d.table.Columns {
			if s := &d.samples[r][c]; m.Ranked() && s.Comparable() {
				most = max(most, len(s.Values))
			}
		}
	}
	if most > 0 && most < infer.FewestSeeds {
		rank := " or rank"
		if d.table.Argmax {
			rank = ""
		}
		d.explain("", "%s: too few to test%s, which takes %d",
			Counted(most, "seed"), rank, infer.FewestSeeds)
	}
	d.explainPower()
	if d.anyCell(func(c *Cell) bool { return c.State == Partial }) {
		d.explain(partial, "n of m planned seeds are there: shown, neither ranked nor tested")
	}
}

// explainPower says how little tests over few seeds find, where there are such: of comparisons, or
// of the best.
func (d *draft) explainPower() {
	n, tests := 0, 1 // those of a column
	for r := range d.table.Rows {
		for c := range d.table.Rows[r].Cells {
			cell := &d.table.Rows[r].Cells[c]
			if cell.Best && !d.table.Argmax && cell.N() <= infer.FewSeeds {
				n = cell.N()
			}
			v := cell.Versus
			if v != nil && v.N <= infer.FewSeeds && (v.Outcome == infer.Significant ||
				v.Outcome == infer.NotSignificant) {
				n, tests = v.N, max(tests, d.family[c])
			}
		}
	}
	if n > 0 {
		d.explain("", "%s are few: a paired t test finds with 80 %% power differences of %.1f of "+
			"their standard deviations or more, and p of a Wilcoxon test cannot be below %s",
			Counted(n, d.unit()), d.DetectableEffect(n, tests), exactPText(infer.SmallestExactP(n)))
		d.explainIntervals()
	}
}

// bestTerm says what is bold; see infer.BestSet.
const bestTerm = "best, and not significantly different from the best (paired t over seeds, " +
	"Holm, 5 %%)"
