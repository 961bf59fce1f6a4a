package study

// The slots of a setting that hold one component each, in the order in which a reader
// meets them. "metrics" holds a list and stands apart.
var slots = []string{
	"dataset", "partition", "importance", "model", "local",
	"availability", "selection", "aggregator",
}

// Slots returns the names of the slots that hold one component each.
func Slots() []string { return append([]string(nil), slots...) }

// A Pick is a component as an experiment names it, with the parameters given to it.
type Pick struct {
	Name   string
	Params map[string]any // int64, float64, bool, string, []any, map[string]any
}

// A Measure is a metric to be taken while a cell runs.
type Measure struct {
	Pick
	Key     string // what its series is called: its label, or else its name
	Average bool   // of the mean of θ¹ … θᵗ instead of the last iterate θᵗ
}

// A Coordinate is where a cell lies on one axis of the sweep.
type Coordinate struct{ Axis, Label string }

// A Cell is one method in one setting with one seed.
type Cell struct {
	Method   string // label of the method or ablation
	Role     string // "" when it is ranked, else "upper-bound", "lower-bound" or "literature"
	Parent   string // of an ablation: the label of the method it changes
	Point    []Coordinate
	Seed     uint64
	Clients  int             // N
	Rounds   int             //
	Every    int             // metrics are taken before round 1 and after every Every-th round
	Law      bool            // the server knows the law of cohorts
	Picks    map[string]Pick // by slot
	Measures []Measure
	Origins  map[string]Span // path ("availability.k", "metrics[1].weighting") → where it was written
}

// A Report says what the tables of an experiment show.
type Report struct {
	Columns  []string // axes across the table; the others become blocks
	Metrics  []string // keys of measures, the first is the one that is tested
	Baseline string   // label of the method the others are tested against; empty for none
	Final    int      // a final value is the mean of the last Final evaluations
	Spread   string   // what ± is: "sd", "sem" or "ci"
}

// A Reference is a number from somewhere else, shown beside ours and never ranked.
type Reference struct {
	Row    string   // label of a method
	Col    string   // key of a measure
	Point  []string // labels on the axes it belongs to; empty: all
	Value  float64
	Source string
}
