package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A costColumn is one part of what runs take.
type costColumn struct {
	name, unit string
	metric     string // the built-in metric that is the same; empty for none
	of         func(c *engine.Cost) float64
}

func costColumns() []costColumn {
	return []costColumn{
		{"upload", fl.Bytes, "upload", func(c *engine.Cost) float64 { return c.Upload() }},
		{"download", fl.Bytes, "download", func(c *engine.Cost) float64 { return c.Download() }},
		{"virtual time", fl.Hours, "virtual-time",
			func(c *engine.Cost) float64 { return c.Hours }},
		{"clients", "s", "", timed(func(c *engine.Cost) float64 { return c.Clients })},
		{"server", "s", "", timed(func(c *engine.Cost) float64 { return c.Server })},
		{"preprocessing", "s", "", func(c *engine.Cost) float64 { return c.Preprocess }},
	}
}

// timed returns a number that is NaN where seconds were not taken.
func timed(seconds func(c *engine.Cost) float64) func(c *engine.Cost) float64 {
	return func(c *engine.Cost) float64 {
		if !c.Timed {
			return math.NaN()
		}
		return seconds(c)
	}
}

// addCosts appends columns of what the runs of a block took: one for each part, a mean over the
// points of the block, as most of it is the same at all of them.
func (d *draft) addCosts() {
	if !d.showsCosts() {
		return
	}
	var at infer.Point
	if d.onePoint() {
		at = d.block.Points[0]
	}
	first := len(d.table.Columns)
	for _, part := range costColumns() {
		samples := make([]infer.Sample, len(d.Methods))
		some := false
		for r, m := range d.Methods {
			var cells []int
			for _, point := range d.block.Points {
				cells = append(cells, d.CellsAt(m, d.block, point)...)
			}
			samples[r] = d.Collect(cells, func(i int) (float64, bool) { return d.costOf(i, part) })
			positive := func(x float64) bool { return x > 0 }
			some = some || slices.ContainsFunc(samples[r].Values, positive)
		}
		if !some || d.measuresCost(part) {
			continue
		}
		d.table.Columns = append(d.table.Columns, Column{Point: nonNil([]infer.Coordinate(at)),
			Metric: part.name, Unit: part.unit, Cost: true, Notes: []int{}})
		for r := range d.Methods {
			d.table.Rows[r].Cells = append(d.table.Rows[r].Cells, d.costCell(&samples[r]))
		}
	}
	if len(d.table.Columns) > first {
		d.explainCosts(first)
	}
}

// showsCosts reports whether the block has columns of costs: what the report says, or else whether
// some method has one round.
func (d *draft) showsCosts() bool {
	if d.In.Report.Cost != nil {
		return *d.In.Report.Cost
	}
	for _, m := range d.Methods {
		for _, at := range d.block.Points {
			for _, i := range d.CellsAt(m, d.block, at) {
				if d.In.Cells[i].Rounds == 1 {
					return true
				}
			}
		}
	}
	return false
}

// costOf returns a part of what a run took, if that is known.
func (d *draft) costOf(i int, part costColumn) (float64, bool) {
	c := d.In.Costs[d.In.IDs[i]]
	if c == nil || d.In.Results[d.In.IDs[i]] == nil {
		return 0, false
	}
	x := part.of(c)
	return x, !math.IsNaN(x)
}

// measuresCost reports whether the table has a column of a metric that is the same.
func (d *draft) measuresCost(part costColumn) bool {
	return part.metric != "" && slices.ContainsFunc(d.In.Cells[0].Measures,
		func(m study.Measure) bool {
			return m.Name == part.metric && slices.Contains(d.Metrics, m.Key)
		})
}

// costCell summarises what the runs of a method took.
func (d *draft) costCell(s *infer.Sample) Cell {
	c := d.cell(s, nil)
	switch {
	case len(s.Planned) == 0:
		c.State = Absent
	case len(s.Values) == 0:
		c.State = Unmeasured
	case len(s.Values) < len(s.Planned):
		c.State = Partial
	default:
		c.State = Complete
	}
	return c
}

// costHeading stands above columns of costs that are of no point.
const costHeading = "cost"

// costHeadings returns the headings above columns of costs: those of their point, or, over all
// points, one next to the columns.
func costHeadings(t *Table, point []string) []string {
	if len(point) == len(t.Axes) {
		return point
	}
	headings := make([]string, len(t.Axes))
	headings[len(headings)-1] = costHeading
	return headings
}

// explainCosts says what the columns of costs are.
func (d *draft) explainCosts(first int) {
	var names []string
	units := map[string]bool{}
	text := "bytes of all rounds and of preprocessing"
	for _, c := range d.table.Columns[first:] {
		names, units[c.Unit] = append(names, c.Metric), true
	}
	if units[fl.Hours] {
		text += "; hours that all rounds lasted, by the completion model"
	}
	if units["s"] {
		text += "; seconds of local training over all clients, of aggregation and of " +
			"preprocessing by the clock, no part of results"
	}
	term := strings.Join(names, ", ")
	if n := len(d.block.Points); n > 1 {
		term, text = costHeading, fmt.Sprintf("mean over the %s of the table; ",
			Counted(n, "point"))+text
	}
	d.explain(term, "%s; neither ranked nor tested", text)
	if d.anyCell(func(c *Cell) bool { return c.State == Partial }) && !d.explains(partial) {
		d.explain(partial, "known of n of m planned seeds")
	}
}
