package reports

import (
	"math"

	"gonum.org/v1/gonum/integrate"
)

// area returns the mean height of a curve given at ascending rounds: its integral by the
// trapezoidal rule over the rounds that it spans. Of a single point it is the height, of none
// NaN; a value that is not finite makes it NaN.
func area(rounds []int, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	x := make([]float64, len(values))
	for i, v := range values {
		if !finite(v) {
			return math.NaN()
		}
		x[i] = float64(rounds[i])
	}
	if len(values) == 1 {
		return values[0]
	}
	return integrate.Trapezoidal(x, values) / (x[len(x)-1] - x[0])
}

// reached returns the index of the first value that is at least, or for a metric of which
// less is better at most, the target; −1 for none. NaN reaches nothing.
func reached(values []float64, target float64, higher bool) int {
	for i, v := range values {
		if higher && v >= target || !higher && v <= target {
			return i
		}
	}
	return -1
}

// bestOf returns the best of the values of a curve, NaN when none is a number. It flatters: the
// best of 100 values of unit noise lies 2.5 above their mean.
func bestOf(values []float64, higher bool) float64 {
	best := math.NaN()
	for _, v := range values {
		if math.IsNaN(best) || higher && v > best || !higher && v < best {
			best = v
		}
	}
	return best
}

// curve returns a metric of a cell in the rounds in which all runs that are compared with it
// were measured.
func (p *plan) curve(i int, metric string) (rounds []int, values []float64) {
	s := p.series(p.in.IDs[i], metric)
	if s == nil {
		return nil, nil
	}
	all := p.in.Results[p.in.IDs[i]].Rounds
	for _, k := range positions(all, p.rounds(i), len(s.Values)) {
		rounds, values = append(rounds, all[k]), append(values, s.Values[k])
	}
	return rounds, values
}

// course makes the table of what training was like.
func (c *contest) course() *draft {
	d := c.sheet(Courses)
	first := c.table.Columns[0]
	up := first.Direction == Up
	column := func(name string) Column {
		return Column{Metric: name, Unit: first.Unit, Direction: first.Direction}
	}
	curve := func(read func(rounds []int, values []float64) float64) []sample {
		return c.gathered(func(i int) (float64, bool) {
			rounds, values := c.curve(i, c.o.Metric)
			if len(values) == 0 {
				return 0, false
			}
			return read(rounds, values), true
		})
	}
	final := c.gathered(func(i int) (float64, bool) { return c.final(i, c.o.Metric) })
	c.put(d, column(finalHead), final)
	d.rank(0)
	c.put(d, column(middleHead), final)
	for r := range d.table.Rows {
		cell := &d.table.Rows[r].Cells[1]
		mean, low, high := iqm(final[r].values)
		cell.Mean, cell.Interval = Number(mean), &Interval{Number(low), Number(high)}
		cell.SD, cell.Spread = Number(math.NaN()), Number(math.NaN())
	}
	c.put(d, column(bestHead), curve(func(rounds []int, values []float64) float64 {
		if len(values) > 1 && rounds[0] == 0 {
			return bestOf(values[1:], up)
		}
		return bestOf(values, up)
	}))
	c.put(d, column(areaHead), curve(area))
	d.rank(3)
	for _, t := range c.o.Targets {
		c.race(d, t)
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
