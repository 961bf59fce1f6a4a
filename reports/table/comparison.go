package table

// A Comparison is how methods compare in one metric, over the conditions of an experiment: the
// points of its sweep. Seeds are the unit of replication everywhere but in Blocks: what is
// said of several conditions is averaged over them within each seed first. All methods are
// compared over the same conditions, those that Used marks.
type Comparison struct {
	Each          Table  `json:"each"`    // a column per condition; Versus holds every difference
	Used          []bool `json:"used"`    // by column of Each: complete for all competing methods
	Overall       Table  `json:"overall"` // one column: the mean over the conditions used
	Blocks        *Table `json:"blocks"`  // the same, with conditions as the unit; nil for one
	LearningCurve Table  `json:"course"`  // what training was like: best, area, rounds to a target

	// Ranking is that of Blocks; nil for one condition, or where fewer than two compete.
	Ranking *Ranking `json:"-"`
}

// Tables returns what there is to print, in order: differences overall and, where there are
// several conditions, in each and over them; then the learning curves.
func (c *Comparison) Tables() []Table {
	var list []Table
	several := len(c.Each.Columns) > 1
	if hasComparisons(&c.Overall) {
		list = append(list, c.Overall)
	}
	if several && hasComparisons(&c.Each) {
		list = append(list, c.Each)
	}
	if c.Blocks != nil {
		list = append(list, *c.Blocks)
	}
	return append(list, c.LearningCurve)
}

// hasComparisons reports whether some cell of a table is compared with another.
func hasComparisons(t *Table) bool {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if c.Versus != nil {
				return true
			}
		}
	}
	return false
}

// A View says what a renderer shows of the cells of a table.
type View string

// The views of a table.
const (
	Values         View = ""            // means over seeds, and what they are compared with
	Differences    View = "differences" // Cell.Versus, with its tests
	Standings      View = "standings"   // Cell.Versus over conditions, and Cell.Standing
	LearningCurves View = "courses"     // values, some of them censored or with an interval
)

// TestStatistics is what a comparison rests on beside its p. What cannot be had is NaN.
type TestStatistics struct {
	SD         Number `json:"sd"`         // of the paired differences
	T          Number `json:"t"`          // Student's, paired
	Raw        Number `json:"raw_p"`      // of T, not adjusted
	Family     int    `json:"family"`     // tests among which all p are adjusted by Holm
	Wilcoxon   Number `json:"wilcoxon"`   // exact p, Holm-adjusted
	SignFlip   Number `json:"sign_flip"`  // exact p, Holm-adjusted
	Least      Number `json:"least_p"`    // the smallest that an exact test can have here
	Effect     Number `json:"effect"`     // d_z with Hedges' correction
	Better     Number `json:"better"`     // P(a run is better than one of the other), A₁₂
	Margin     Number `json:"margin"`     // of equivalence, in units of the metric
	Equivalent Number `json:"equivalent"` // p of two one-sided tests, Holm-adjusted
	Detectable Number `json:"detectable"` // see PairedDifference; of what is tested
	Needed     int    `json:"needed"`     // if not significant: infer.SeedsNeeded
}

// A Standing counts the results of a method over conditions. It wins or loses a condition where it
// differs significantly from the other.
type Standing struct {
	Rank   Number `json:"rank"` // mean over conditions, 1 is best; NaN when it does not compete
	Wins   int    `json:"wins"`
	Ties   int    `json:"ties"`
	Losses int    `json:"losses"`
	Tested bool   `json:"tested"` // in all conditions; else wins are not counted
}

// A TargetReach is in how many runs a target was reached within a number of rounds. The values of
// its cell are means restricted to these rounds: a run that did not reach it counts with all
// of them, so that they are too small rather than made of successes alone.
type TargetReach struct {
	Reached int    `json:"reached"`
	Runs    int    `json:"runs"`
	Limit   Number `json:"limit"` // in units of the column: rounds, or bytes sent by then
}

// An Interval is one of 95 % for the mean of a cell.
type Interval struct {
	Low  Number `json:"low"`
	High Number `json:"high"`
}

// A Ranking is how methods rank over conditions, by their means in each. Without at least
// six conditions nothing is tested, and Why says so.
type Ranking struct {
	Methods    []string `json:"methods"`
	Ranks      []Number `json:"ranks"` // mean over conditions, by method; 1 is best
	Conditions int      `json:"conditions"`
	ChiSquare  Number   `json:"chi_square"` // Friedman's, corrected for ties
	F          Number   `json:"f"`          // that of Iman and Davenport
	P          Number   `json:"p"`
	Shuffled   bool     `json:"shuffled"` // P is by random orders, not by the distribution of F
	Critical   Number   `json:"critical"` // Nemenyi's critical difference of mean ranks, at 5 %
	Cliques    [][]int  `json:"cliques"`  // indices of Methods that it does not tell apart
	Why        string   `json:"why"`      // nothing is tested; "" when it is
}
