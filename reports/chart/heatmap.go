package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A HeatMap is final values over two axes, as numbers on a scale of colours: rows are lines of
// other figures, such as methods.
type HeatMap struct {
	Label      string // of the scale
	Rows, Cols []string
	Panels     []HeatPanel
	Apart      int    // the column that a line sets apart from those before it; 0: none
	Note       string // what the numbers are, for the caption
}

// A HeatPanel is one picture of a HeatMap.
type HeatPanel struct {
	Title string    // "" for none
	Data  []float64 // row by row; NaN where there is nothing
}

// NewHeatMap returns means over seeds: a row for each method, or each value of Options.Lines, a
// column for each value of an axis of the sweep. That is Options.X, or else the axis of the worst
// value, or the last one; the worst value has the last column.
func NewHeatMap(in infer.Input, o Options) (*HeatMap, error) {
	if len(in.Cells) == 0 {
		return nil, errors.New("reports: no cells")
	}
	axes := axisNames(&in)
	switch {
	case o.X != "":
	case in.Report.Worst != "":
		o.X = in.Report.Worst
	case len(axes) > 1:
		o.X = axes[len(axes)-1]
	default:
		return nil, errors.New("the experiment has no [sweep], and so no axis to show values over")
	}
	l, err := newLayout(*in.WithWorst(), o, o.X)
	if err != nil {
		return nil, err
	}
	m := &HeatMap{Label: l.metricLabel(l.o.Metric), Cols: l.values()}
	for _, line := range l.lines {
		m.Rows = append(m.Rows, line.Label)
	}
	for _, title := range l.panels {
		if len(l.panels) == 1 {
			title = ""
		}
		m.Panels = append(m.Panels, HeatPanel{title,
			slices.Repeat([]float64{math.NaN()}, len(m.Rows)*len(m.Cols))})
	}
	for _, g := range l.groups {
		s := l.Sample(g.cells, l.o.Metric)
		if len(s.Values) > 0 {
			l.sizes[len(s.Values)] = true
			at := g.line*len(m.Cols) + slices.Index(m.Cols, g.at)
			m.Panels[g.panel].Data[at] = s.Mean()
		}
	}
	l.o.Band = "none"
	m.Note = l.note()
	if l.across == in.Report.Worst {
		m.Apart = max(0, slices.Index(m.Cols, study.WorstLabel))
	}
	empty := func(p HeatPanel) bool { return slices.ContainsFunc(p.Data, math.IsNaN) }
	if slices.ContainsFunc(m.Panels, empty) {
		m.Note += "; –: no seed has a value"
	}
	if l.In.Derives() {
		m.Note += fmt.Sprintf("; worst: in every seed the run at the point of %s with the worst %s",
			study.LastPart(in.Report.Worst), l.Metrics[0])
	}
	return m, nil
}

// values returns where groups lie on the axis across, in the order of the cells.
func (l *layout) values() (all []string) {
	for i := range l.In.Cells {
		v, ok := valueOf(&l.In.Cells[i], l.across)
		shown := slices.ContainsFunc(l.groups, func(g group) bool { return g.at == v })
		if ok && shown && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
