package reports

import (
	"encoding/json"
	"math"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Table is one block of a report: numbers and what is known about them. How it looks is
// a renderer's business.
type Table struct {
	Title    string       `json:"title"`
	Block    []Coordinate `json:"block"` // where it lies on the axes that are not across it
	Axes     []string     `json:"axes"`  // across it
	Seeds    []uint64     `json:"seeds"`
	Spread   string       `json:"spread"`   // what Cell.Spread is: "sd", "sem" or "ci"
	Against  string       `json:"against"`  // what Cell.Versus is against: "baseline" or "parent"
	Baseline string       `json:"baseline"` // the row the others are tested against; "" for none
	Columns  []Column     `json:"columns"`  // points × metrics
	Rows     []Row        `json:"rows"`     // methods in plan order, ablations under their parent
	Notes    []Note       `json:"notes"`
	Command  string       `json:"command"`          // that makes it again
	Origin   string       `json:"origin,omitempty"` // that makes the run, if that is another one
	Hash     string       `json:"hash"`             // of the plan
	View     View         `json:"view,omitempty"`
	Across   bool         `json:"across,omitempty"` // what is not comparable is ranked, too
	Look

	Conditions int      `json:"conditions,omitempty"` // over which the cells of a Contest go
	Ranking    *Ranking `json:"ranking,omitempty"`    // of its rows over them

	within []int // of Standings: how many seeds are behind each condition of a row
}

// A Look is what a table is like besides its numbers.
type Look struct {
	Delta      bool `json:"delta,omitempty"`      // differences stand behind values, not apart
	Argmax     bool `json:"argmax,omitempty"`     // Cell.Best is the best mean, not tested
	Transposed bool `json:"transposed,omitempty"` // it is shown with methods across
}

// ablates reports whether ablations are compared with the methods that they change, and
// nothing else is compared.
func (t *Table) ablates() bool { return t.Against == "parent" }

// behind reports whether differences stand behind the values.
func (t *Table) behind() bool { return t.Delta || t.ablates() }

// other returns the label of the method with which that of a row is compared.
func (t *Table) other(r int) string {
	if t.ablates() {
		return t.Rows[r].Parent
	}
	return t.Baseline
}

// A Coordinate is a place on one axis of the sweep.
type Coordinate struct {
	Axis  string `json:"axis"`
	Label string `json:"label"`
}

// A Column is one metric at one point of the sweep.
type Column struct {
	Point     []Coordinate `json:"point"` // on Table.Axes; empty without axes
	Metric    string       `json:"metric"`
	Unit      string       `json:"unit"`      // "%", "floats", "s"; empty for a plain number
	Direction Direction    `json:"direction"` // which values are better
	Primary   bool         `json:"primary"`   // it is the metric that is tested

	// Quantity is what is measured, ingredient by ingredient; Rounds are those of which values
	// are means. Both are of the rows that are compared.
	Quantity study.Quantity `json:"quantity,omitempty"`
	Rounds   *Span          `json:"rounds,omitempty"`

	Notes []int `json:"notes"` // numbers of the footnotes that concern all of it
}

// A Direction says which values of a metric are better.
type Direction string

// The directions of a metric. Costs such as floats sent have none: they are not ranked.
const (
	Up   Direction = "up"
	Down Direction = "down"
	None Direction = ""
)

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
	Best    bool     `json:"best"`            // it has the best mean or cannot be told from it
	Again   bool     `json:"again,omitempty"` // and so is a row above, the same to the bit

	// Comparable says that it measures what its column measures; Differs says what differs.
	// Else it is neither ranked nor tested, unless Table.Across.
	Comparable bool     `json:"comparable"`
	Differs    []string `json:"differs,omitempty"`
	Rounds     *Span    `json:"rounds,omitempty"` // that values are means of, if not the column's

	Versus *Comparison `json:"versus"` // see Table.Against; nil where nothing is compared
	Paper  *Quote      `json:"paper"`  // somebody else's number; nil for none
	Notes  []int       `json:"notes"`  // numbers of its footnotes

	Standing *Standing `json:"standing,omitempty"` // over conditions
	Reach    *Reach    `json:"reach,omitempty"`    // of a target, which Values count up to
	Interval *Interval `json:"interval,omitempty"` // of Mean, where Values is not what it is of
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

// A Comparison is a method against the baseline or against the method that it changes,
// paired over the seeds both have. Detectable is for what is undecided: the smallest
// difference that the first step of Holm's procedure, which one alone must pass, finds with
// power 0.8.
type Comparison struct {
	N          int     `json:"n"`          // common seeds
	Delta      Number  `json:"delta"`      // mean difference, in units of the metric
	Low        Number  `json:"low"`        // 95 % confidence interval of Delta, not adjusted
	High       Number  `json:"high"`       //
	Relative   Number  `json:"relative"`   // Delta / |the other|; NaN where that says nothing
	P          Number  `json:"p"`          // paired t test, Holm-adjusted; NaN when not tested
	Detectable Number  `json:"detectable"` // in units of the metric; NaN unless undecided
	Outcome    Outcome `json:"outcome"`

	Evidence *Evidence `json:"evidence,omitempty"` // of a Contest only
}

// An Outcome says what a comparison found.
type Outcome string

// The outcomes of a comparison.
const (
	Untested  Outcome = "untested"  // too few seeds, a bound, or not the metric that is tested
	Decided   Outcome = "decided"   // p < 0.05
	Undecided Outcome = "undecided" // p ≥ 0.05: not told apart, which is not the same as equal
	Always    Outcome = "always"    // the same difference in every seed: nothing to estimate
	Identical Outcome = "identical" // no difference in any seed
)

// A Quote is a number from somewhere else, shown and never ranked.
type Quote struct {
	Value  Number `json:"value"`
	Source string `json:"source"`
	Notes  []int  `json:"notes"` // numbers of the footnotes that say where it is from
}

// A Note is a footnote. It either explains a sign of the table, or concerns the places
// that carry its number, or the table as a whole.
type Note struct {
	Number int    `json:"number"` // 0 when it concerns no place in particular
	Term   string `json:"term"`   // the sign it explains: "±", "bold", "~" …; "" for none
	Text   string `json:"text"`   // lower case, no full stop
}

// A Number survives JSON: NaN, which stands for "there is none", is null, and ±Inf are
// strings.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	switch f := float64(x); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Inf"`), nil
	default:
		return json.Marshal(f)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*x = Number(math.NaN())
	case `"+Inf"`:
		*x = Number(math.Inf(1))
	case `"-Inf"`:
		*x = Number(math.Inf(-1))
	default:
		return json.Unmarshal(b, (*float64)(x))
	}
	return nil
}
