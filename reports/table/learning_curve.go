package table

import (
	"math"

	"github.com/hansa-fl/hansa/reports/infer"
)

// learningCurve makes the table of how training went.
func (c *comparison) learningCurve() *draft {
	d := c.newTable(LearningCurves)
	first := c.table.Columns[0]
	up := first.Direction == infer.Up
	column := func(name string) Column {
		return Column{Metric: name, Unit: first.Unit, Direction: first.Direction}
	}
	curve := func(read func(rounds []int, values []float64) float64) []infer.Sample {
		return c.gather(func(i int) (float64, bool) {
			rounds, values := c.Curve(i, c.options.Metric)
			if len(values) == 0 {
				return 0, false
			}
			return read(rounds, values), true
		})
	}
	final := c.gather(func(i int) (float64, bool) { return c.Final(i, c.options.Metric) })
	c.addColumn(d, column(finalHead), final)
	d.rank(0)
	c.addColumn(d, column(middleHead), final)
	for r := range d.table.Rows {
		cell := &d.table.Rows[r].Cells[1]
		mean, low, high := infer.InterquartileMean(final[r].Values)
		cell.Mean, cell.Interval = Number(mean), &Interval{Number(low), Number(high)}
		cell.SD, cell.Spread = Number(math.NaN()), Number(math.NaN())
	}
	c.addColumn(d, column(bestHead), curve(func(rounds []int, values []float64) float64 {
		if len(values) > 1 && rounds[0] == 0 {
			return infer.CurveBest(values[1:], up)
		}
		return infer.CurveBest(values, up)
	}))
	c.addColumn(d, column(areaHead), curve(infer.CurveMean))
	d.rank(3)
	c.addBudgets(d)
	for _, t := range c.options.Targets {
		c.timeToTarget(d, t)
	}
	return d
}

// Heads of columns that legends explain.
const (
	finalHead  = "final"
	middleHead = "IQM"
	bestHead   = "best"
	areaHead   = "area"
)
