package chart

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Sweep returns final values over one axis of the sweep: a line through the means over seeds
// for each method, with bars for their spread.
func Sweep(in infer.Input, o Options) (*Chart, error) {
	return finalValues(in, o, Points)
}

// BarChart returns final values as bars: a group for each value of one axis of the sweep, and
// in it a bar for each method.
func BarChart(in infer.Input, o Options) (*Chart, error) {
	return finalValues(in, o, Bars)
}

// finalValues returns final values over one axis.
func finalValues(in infer.Input, o Options, shape Shape) (*Chart, error) {
	if len(in.Cells) == 0 {
		return nil, errors.New("reports: no cells")
	}
	axes := axisNames(&in)
	switch {
	case o.X == "" && len(axes) > 1:
		o.X = axes[1]
	case o.X == "" && shape == Bars:
		o.X = "method"
	case o.X == "":
		return nil, errors.New("the experiment has no [sweep], and so no axis to show values " +
			"over; bars shows them without")
	}
	l, err := newLayout(in, o, o.X)
	if err != nil {
		return nil, err
	}
	x := l.ticks(shape)
	x.Log = o.LogX && x.Names == nil
	y := Axis{Label: l.metricLabel(l.o.Metric), Log: o.LogY, Zero: shape == Bars && !o.LogY}
	names := x.Names
	x.Names = bare(names)
	c := l.emptyChart(x, y)
	for p := range c.Panels {
		for k := range l.lines {
			if m, ok := l.finalMark(p, k, names); ok {
				m.Shape = shape
				c.Panels[p].Marks = append(c.Panels[p].Marks, m)
			}
		}
	}
	c.Note = l.note()
	return c, nil
}

// ticks returns the axis across: its values, where they are numbers and are to be lines. Labels
// such as "α = 0.1" give it their letter.
func (l *layout) ticks(shape Shape) Axis {
	a := Axis{Label: study.LastPart(l.across)}
	names := []string{}
	numbers, letters := true, []string{}
	for _, f := range l.groups {
		letter, _, ok := numeric(f.at)
		numbers = numbers && ok
		if !slices.Contains(letters, letter) {
			letters = append(letters, letter)
		}
		if !slices.Contains(names, f.at) {
			names = append(names, f.at)
		}
	}
	if !numbers || len(letters) > 1 || shape == Bars {
		a.Names = names
	}
	if l.across == "method" {
		a.Label = ""
	} else if numbers && len(letters) == 1 && letters[0] != "" {
		a.Label = letters[0]
	}
	return a
}

// finalMark returns the final values of one line of one panel.
func (l *layout) finalMark(panel, line int, names []string) (Mark, bool) {
	m := Mark{Entry: line}
	for _, f := range l.groups {
		if f.panel != panel || f.line != line {
			continue
		}
		s := l.Sample(f.cells, l.o.Metric)
		if len(s.Values) == 0 {
			continue
		}
		_, x, _ := numeric(f.at)
		if names != nil {
			x = float64(slices.Index(names, f.at))
		}
		l.sizes[len(s.Values)] = true
		low, high := interval(l.o.Band, s.Mean(), s.SD(), len(s.Values))
		if l.o.Band == "seeds" && len(s.Values) > 1 {
			low, high = slices.Min(s.Values), slices.Max(s.Values)
		}
		if l.o.LogY && low < slices.Min(s.Values) {
			low = slices.Min(s.Values)
		}
		m.X, m.Y = append(m.X, x), append(m.Y, s.Mean())
		m.Low, m.High = append(m.Low, low), append(m.High, high)
	}
	if names == nil {
		m.ascend()
	}
	return m, len(m.X) > 0
}

// numeric reads a label that is a finite number, maybe behind a letter and "=".
func numeric(label string) (letter string, x float64, ok bool) {
	number := label
	if before, after, found := strings.Cut(label, " = "); found {
		letter, number = before, after
	}
	x, err := strconv.ParseFloat(number, 64)
	return letter, x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// bare returns names without a letter and "=" that all of them have.
func bare(names []string) []string {
	var short []string
	for _, n := range names {
		letter, _, ok := numeric(n)
		if first, _, _ := numeric(names[0]); !ok || letter == "" || letter != first {
			return names
		}
		_, number, _ := strings.Cut(n, " = ")
		short = append(short, number)
	}
	return short
}
