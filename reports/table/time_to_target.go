package table

import (
	"math"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// timeToTarget adds to a sheet how many rounds it takes to reach a target, and what that costs.
func (c *comparison) timeToTarget(d *draft, t Target) {
	s := c.AnySeries(t.Metric)
	sign := "≤"
	if s.Higher {
		sign = "≥"
	}
	goal := study.OneLine(t.Metric) + " " + sign + " " + strconv.FormatFloat(t.Value, 'g', -1, 64) +
		Before(" ", s.Unit)
	limit := c.commonHorizon(t.Metric)
	c.addTimeToTarget(d, t, limit, Column{Metric: "rounds to " + goal, Direction: infer.Down},
		func(r *engine.Result, k int) (float64, bool) { return float64(r.Rounds[k]), true })
	for _, cost := range c.measuredMetrics() {
		if s := c.AnySeries(cost); s != nil && fl.Cumulative(s.Unit) {
			c.addTimeToTarget(d, t, limit, Column{Metric: cost + " to " + goal, Unit: s.Unit,
				Direction: infer.Down},
				func(r *engine.Result, k int) (float64, bool) {
					if s := c.Series(r.ID, cost); s != nil {
						return s.Values[k], true
					}
					return 0, false
				})
		}
	}
}

// commonHorizon returns the last round in which all runs of the conditions used were measured by.
func (c *comparison) commonHorizon(metric string) int {
	last := -1
	for r, m := range c.Methods {
		for _, k := range c.used {
			for _, i := range c.CellsAt(m, c.block, c.block.Points[k]) {
				rounds, _ := c.Curve(i, metric)
				if !c.competes(r) || len(rounds) == 0 {
					continue
				}
				if end := rounds[len(rounds)-1]; last < 0 || end < last {
					last = end
				}
			}
		}
	}
	return last
}

// addTimeToTarget adds to a sheet what a reading says of the evaluation at which a target is
// reached; of a run that does not reach it in limit rounds, what it says of the last evaluation by
// then.
// Evaluations are those in rounds in which all runs that are compared were measured.
func (c *comparison) addTimeToTarget(d *draft, t Target, limit int, column Column,
	read func(r *engine.Result, k int) (float64, bool),
) {
	reach := make([]TargetReach, len(c.Methods))
	for r := range reach {
		reach[r].Limit = Number(math.NaN())
	}
	list := make([]infer.Sample, len(c.Methods))
	for r, m := range c.Methods {
		var samples []infer.Sample
		for _, k := range c.used {
			at := c.block.Points[k]
			s := c.Collect(c.CellsAt(m, c.block, at), func(i int) (float64, bool) {
				return c.timeOf(i, t, limit, &reach[r], read)
			})
			s.Differs = c.quantityAt(c.block, at, t.Metric).differs[r]
			s.Incomparable = s.Differs != nil && !c.In.Report.Across || c.samples[r][k].Incomparable
			samples = append(samples, s)
		}
		list[r] = averageSamples(samples)
	}
	c.addColumn(d, column, list)
	for r := range reach {
		if reach[r].Runs > 0 {
			d.table.Rows[r].Cells[len(d.table.Columns)-1].Reach = &reach[r]
		}
	}
	d.rank(len(d.table.Columns) - 1)
}

// timeOf returns what a reading says of the evaluation of one run at which a target is
// reached, else of the last by the limit, and counts the run. It is false where the run does
// not measure it.
func (c *comparison) timeOf(
	i int, t Target, limit int, reach *TargetReach,
	read func(r *engine.Result, k int) (float64, bool),
) (float64, bool) {
	rounds, values := c.Curve(i, t.Metric)
	n := slices.IndexFunc(rounds, func(round int) bool { return round > limit })
	if n < 0 {
		n = len(values)
	}
	if n == 0 {
		return 0, false
	}
	result := c.In.Results[c.In.IDs[i]]
	k := infer.FirstReached(values[:n], t.Value, c.Series(c.In.IDs[i], t.Metric).Higher)
	there := k >= 0
	if !there {
		k = n - 1
	}
	x, ok := read(result, slices.Index(result.Rounds, rounds[k]))
	if !ok {
		return 0, false
	}
	reach.Runs++
	switch {
	case there:
		reach.Reached++
	case math.IsNaN(float64(reach.Limit)) || x < float64(reach.Limit):
		reach.Limit = Number(x)
	}
	return x, true
}
