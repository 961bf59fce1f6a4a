package table

import (
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A Table is one block of a report: numbers and what is known about them. How it looks is
// a renderer's business.
type Table struct {
	Title    string             `json:"title"`
	Block    []infer.Coordinate `json:"block"` // on the axes that are not across it
	Axes     []string           `json:"axes"`  // across it
	Seeds    []uint64           `json:"seeds"`
	Spread   string             `json:"spread"`   // of cells: "sd", "sem" or "ci"
	Against  string             `json:"against"`  // of Cell.Versus: "baseline" or "parent"
	Baseline string             `json:"baseline"` // row the others are tested against, or ""
	Columns  []Column           `json:"columns"`  // points × metrics
	Rows     []Row              `json:"rows"`     // in plan order, ablations under parents
	Notes    []Note             `json:"notes"`
	Command  string             `json:"command"`          // that makes it again
	Origin   string             `json:"origin,omitempty"` // that makes the run, if another
	Hash     string             `json:"hash"`             // of the plan
	View     View               `json:"view,omitempty"`
	Across   bool               `json:"across,omitempty"` // what is not comparable is ranked, too
	infer.Look

	// Claims are those of the experiment, with their verdicts; of the last table of several.
	Claims []ClaimVerdict `json:"claims,omitempty"`

	Conditions int      `json:"conditions,omitempty"` // over which the cells of a Comparison go
	Ranking    *Ranking `json:"ranking,omitempty"`    // of its rows over them

	seedsWithin []int // of Standings: how many seeds are behind each condition of a row
}

// comparesAblations reports whether ablations are compared with the methods that they change, and
// nothing else is compared.
func (t *Table) comparesAblations() bool { return t.Against == "parent" }

// deltaBehind reports whether differences stand behind the values.
func (t *Table) deltaBehind() bool { return t.Delta || t.comparesAblations() }

// ComparedWith returns the label of the method with which that of a row is compared.
func (t *Table) ComparedWith(r int) string {
	if t.comparesAblations() {
		return t.Rows[r].Parent
	}
	return t.Baseline
}

// A Column is one metric at one point of the sweep.
type Column struct {
	Point     []infer.Coordinate `json:"point"` // on Table.Axes; empty without axes
	Metric    string             `json:"metric"`
	Unit      string             `json:"unit"`           // "%", "B", "s"; empty for a plain number
	Direction infer.Direction    `json:"direction"`      // which values are better
	Primary   bool               `json:"primary"`        // it is the metric that is tested
	Cost      bool               `json:"cost,omitempty"` // what runs took; without Point: anywhere

	// Quantity is what is measured, ingredient by ingredient; Rounds are those of which values
	// are means. Both are of the rows that are compared.
	Quantity study.Quantity `json:"quantity,omitempty"`
	Rounds   *infer.Span    `json:"rounds,omitempty"`

	Notes []int `json:"notes"` // numbers of the footnotes that concern all of it
}

// A Row is one method.
type Row struct {
	Method string `json:"method"`
	Role   string `json:"role"`   // "" when it is ranked
	Parent string `json:"parent"` // of an ablation: the label of the method it changes
	Cells  []Cell `json:"cells"`  // one per column
	Notes  []int  `json:"notes"`  // numbers of the footnotes that concern all of it
}

// A Cell is the final values of one metric for one method at one point.
type Cell struct {
	State   State    `json:"state"`
	Planned int      `json:"planned"`         // seeds the experiment has for it
	Seeds   []uint64 `json:"seeds"`           // those with a value
	Values  []Number `json:"values"`          // one per seed of Seeds
	Mean    Number   `json:"mean"`            // over Values
	SD      Number   `json:"sd"`              // of Values; NaN for fewer than two
	Spread  Number   `json:"spread"`          // what stands behind ±; NaN for fewer than two
	Best    bool     `json:"best"`            // the best mean, or no significant difference from it
	Again   bool     `json:"again,omitempty"` // and so is a row above, the same to the bit

	// Comparable says that it measures what its column measures; Differs says what differs.
	// Else it is neither ranked nor tested, unless Table.Across.
	Comparable bool        `json:"comparable"`
	Differs    []string    `json:"differs,omitempty"`
	Rounds     *infer.Span `json:"rounds,omitempty"` // of its values, if not the column's

	Versus *PairedDifference `json:"versus"` // see Table.Against; nil where nothing is compared
	Paper  *Quote            `json:"paper"`  // a published number; nil for none
	Notes  []int             `json:"notes"`  // numbers of its footnotes

	Standing *Standing    `json:"standing,omitempty"` // over conditions
	Reach    *TargetReach `json:"reach,omitempty"`    // of a target, which Values count up to
	Interval *Interval    `json:"interval,omitempty"` // of Mean, where Values is not what it is of
}

// N returns the number of seeds with a value.
func (c *Cell) N() int { return len(c.Values) }

// A State says what became of a cell of a table.
type State string

// The states of a cell. Only a complete one is ranked and tested.
const (
	Complete   State = "complete"
	Partial    State = "partial"      // fewer seeds than planned
	NotFinite  State = "not finite"   // some value is NaN or infinite
	Failed     State = "failed"       // no value, and a failure says why
	Missing    State = "missing"      // no value yet
	Unmeasured State = "not measured" // results, but without this metric
	Absent     State = "absent"       // not part of the experiment
)

// A PairedDifference is a method against the baseline or against the method that it changes,
// paired over the seeds both have. Detectable is for what is undecided: the smallest
// difference that the first step of Holm's procedure, which one alone must pass, finds with
// power 0.8.
type PairedDifference struct {
	N          int           `json:"n"`          // common seeds
	Delta      Number        `json:"delta"`      // mean difference, in units of the metric
	Low        Number        `json:"low"`        // 95 % interval of Delta, not adjusted
	High       Number        `json:"high"`       //
	Relative   Number        `json:"relative"`   // Delta / |the other|; NaN if that says nothing
	P          Number        `json:"p"`          // paired t test, Holm; NaN when not tested
	Detectable Number        `json:"detectable"` // in units of the metric, of NotSignificant
	Outcome    infer.Outcome `json:"outcome"`

	Tests *TestStatistics `json:"evidence,omitempty"` // of a Comparison only
}

// A Quote is a number from somewhere else, shown and never ranked.
type Quote struct {
	Value  Number `json:"value"`
	Source string `json:"source"`
	Notes  []int  `json:"notes"` // numbers of the footnotes that say where it is from
}
