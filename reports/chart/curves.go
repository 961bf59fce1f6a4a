package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// Curves returns a metric over the rounds, or over another metric: a line through the means over
// seeds for each method, a panel for each point of the sweep.
func Curves(in infer.Input, o Options) (*Chart, error) {
	l, err := newLayout(in, o, "")
	if err != nil {
		return nil, err
	}
	x := Axis{Label: "round", Log: o.LogX}
	if o.X != "" {
		l.o.X = l.In.CostKey(o.X)
		o.X = l.o.X
		if l.AnySeries(o.X) == nil {
			return nil, l.unmeasured(o.X)
		}
		x.Label = l.metricLabel(o.X)
	}
	c := l.emptyChart(x, Axis{Label: l.metricLabel(l.o.Metric), Log: o.LogY})
	for _, f := range l.groups {
		marks, err := l.curve(&f)
		if err != nil {
			return nil, err
		}
		p := &c.Panels[f.panel]
		p.Marks = append(p.Marks, marks...)
	}
	c.Note = l.note()
	return c, nil
}

// curve returns the marks of one line.
func (l *layout) curve(f *group) ([]Mark, error) {
	var runs [][]float64 // by seed
	var across [][]float64
	var rounds []int
	for _, i := range f.cells {
		id := l.In.IDs[i]
		s := l.Series(id, l.o.Metric)
		if s == nil || len(s.Values) == 0 {
			continue
		}
		if rounds != nil && !slices.Equal(rounds, l.In.Results[id].Rounds) {
			return nil, fmt.Errorf("%s was measured in other rounds with other seeds",
				l.lines[f.line].Label)
		}
		rounds = l.In.Results[id].Rounds
		runs = append(runs, s.Values)
		if x := l.Series(id, l.o.X); l.o.X != "" && x != nil {
			across = append(across, x.Values)
		}
	}
	if len(runs) == 0 {
		return nil, nil
	}
	l.sizes[len(runs)] = true
	line := Mark{Shape: Line, Entry: f.line}
	for t := range runs[0] {
		values := valuesAt(runs, t)
		mean, sd := infer.MeanSD(values)
		low, high := interval(l.o.Band, mean, sd, len(runs))
		if l.o.LogY && low < slices.Min(values) {
			low = slices.Min(values) // the mean less so much may have no logarithm
		}
		line.Y = append(line.Y, mean)
		line.Low, line.High = append(line.Low, low), append(line.High, high)
		x := math.NaN()
		switch {
		case l.o.X == "" && t < len(rounds):
			x = float64(rounds[t])
		case len(across) > 0:
			x, _ = infer.MeanSD(valuesAt(across, t))
		}
		line.X = append(line.X, x)
	}
	var marks []Mark
	if l.o.Band == "seeds" && len(runs) > 1 {
		for _, values := range runs {
			marks = append(marks, Mark{Shape: Faint, Entry: f.line, X: line.X, Y: values})
		}
	}
	return append(marks, line), nil
}

// valuesAt returns the value at one place of every list that is long enough.
func valuesAt(lists [][]float64, at int) (values []float64) {
	for _, list := range lists {
		if at < len(list) {
			values = append(values, list[at])
		}
	}
	return values
}
