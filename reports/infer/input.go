package infer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// An Input is everything a report is made of. Build reads it and keeps no reference
// into it.
type Input struct {
	Title      string
	Cells      []study.Cell               // resolved, in plan order: methods × points × seeds
	IDs        []string                   // identities of Cells, parallel to them
	Results    map[string]*engine.Result  // by identity; what is not there was not run
	Failures   map[string]string          // by identity: why a cell has no result, in one line
	Volatile   map[string][]engine.Series // by identity: seconds and the like, of the attempt
	Costs      map[string]*engine.Cost    // by identity: what the run took; nil: not known
	Builds     []string                   // distinct source revisions behind Results
	Report     study.Report
	References []study.Reference
	Claims     []study.Claim       // of the experiment
	Whole      []study.Cell        // of the experiment that Cells are a part of; nil: they are all
	Tuning     *store.Tuning       // how parameters were chosen; nil: they are those of the file
	Compiled   map[string][]string // identities that had it compiled, by its digest
	Strategies map[string]string   // files of the user's code, by their digests
	Unexamined map[string]bool     // by digest: code that was not examined
	Command    string              // that makes this report again
	Origin     string              // that makes the run, if that is another one
	Hash       string              // of the plan
	Look       Look                // of its tables

	// Curves are digests of whole results, by identity: of inputs whose Results lack rounds. Nil:
	// Results are whole.
	Curves map[string]string

	origins []int             // of the last cells, which WithWorst added: whose runs they are
	derived map[string]string // by their identities: at which point of the axis; nil: not added

	// Quantity says what a measure of a cell measures. Nil: every metric reads everything.
	Quantity func(c *study.Cell, m *study.Measure) study.Quantity
}

// Validate refuses an Input whose cells are not those of one run.
func (in *Input) Validate() error {
	if len(in.Cells) == 0 {
		return errors.New("reports: no cells")
	}
	if len(in.IDs) != len(in.Cells) {
		return fmt.Errorf("reports: %d identities for %d cells", len(in.IDs), len(in.Cells))
	}
	for i := range in.Cells {
		if !onAxes(in.Cells[i].Point, in.Cells[0].Point) {
			return fmt.Errorf("reports: cells %s and %s lie on different axes",
				in.IDs[0], in.IDs[i])
		}
	}
	return nil
}

// SetDefaults checks what the report is to be like, and fills in what is left open.
func (in *Input) SetDefaults() error {
	in.Report.Final = max(0, in.Report.Final)
	if in.Report.Spread == "" {
		in.Report.Spread = "sd"
	}
	if !slices.Contains([]string{"sd", "sem", "ci"}, in.Report.Spread) {
		return fmt.Errorf(`reports: spread %q is not "sd", "sem" or "ci"`, in.Report.Spread)
	}
	switch in.Report.Against {
	case "":
		in.Report.Against = "baseline"
	case "baseline":
	case "parent":
		if in.Report.Baseline != "" {
			return errors.New(`reports: a baseline, and against is "parent"`)
		}
	default:
		return fmt.Errorf(`reports: against %q is not "baseline" or "parent"`,
			in.Report.Against)
	}
	if in.Look.Delta && in.Report.Against == "baseline" && in.Report.Baseline == "" {
		return errors.New("reports: differences are asked for, and there is no baseline")
	}
	return nil
}

// onAxes reports whether two cells lie on the same axes, in the same order.
func onAxes(a, b []study.Coordinate) bool {
	return slices.EqualFunc(a, b, func(x, y study.Coordinate) bool { return x.Axis == y.Axis })
}

// A Look is what a table is like besides its numbers.
type Look struct {
	Delta      bool `json:"delta,omitempty"`      // differences stand behind values, not apart
	Argmax     bool `json:"argmax,omitempty"`     // Cell.Best is the best mean, not tested
	Transposed bool `json:"transposed,omitempty"` // it is shown with methods across
}
