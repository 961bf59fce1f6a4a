package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A Chart is what a figure with axes shows, as numbers: how it looks is the business of
// package figure.
type Chart struct {
	Panels []Panel
	Legend []Entry // what Mark.Entry refers to
	Square bool    // panels are as high as they are wide
	Note   string  // what marks and bands are, for the caption of the figure
}

// An Entry is one line of the legend, which all panels share.
type Entry struct {
	Label string
	Grey  bool // a bound or a published value, not compared
	Muted bool // others are highlighted
}

// A Panel is one pair of axes.
type Panel struct {
	Title string // "" for none
	X, Y  Axis
	Marks []Mark
}

// An Axis is numeric, or has names that stand at 0, 1, 2, …
type Axis struct {
	Label string
	Names []string // nil for a numeric axis
	Log   bool     // logarithmic: what is not positive is not shown
	Zero  bool     // the axis begins at 0, unless a number is less
}

// A Mark is a series of numbers and how they are shown.
type Mark struct {
	Shape     Shape
	Entry     int       // of the legend; −1 for none
	X, Y      []float64 // of the same length; where one is NaN there is a gap
	Low, High []float64 // an interval around Y, or around X of an Across; nil for none
	Size      []float64 // of Bubbles: their areas, of which 1 is as large as has room
}

// A Shape says how a mark is shown.
type Shape string

// The shapes of a mark.
const (
	Line     Shape = "line"     // through the points, above a band from Low to High
	Faint    Shape = "faint"    // a thin line through the points, of one seed
	Points   Shape = "points"   // a line through markers, with bars from Low to High
	Dots     Shape = "dots"     // markers without a line
	Bars     Shape = "bars"     // bars from 0 to Y beside those of other entries, at names
	Across   Shape = "across"   // markers with bars across, from Low to High
	Bubbles  Shape = "bubbles"  // circles with areas
	Upright  Shape = "upright"  // a line across the whole panel at each X
	Diagonal Shape = "diagonal" // the line on which X and Y are the same
)

// A Options says what a chart shows of an input, and how. Axes are those of the sweep,
// "method", "clients", "rounds", and parameters of components such as "aggregator.epsilon"; cells
// whose component has no such parameter are left out.
type Options struct {
	Metric string   // "": the first of the report
	Band   string   // around means: one of Bands; "": "std"
	X      string   // Curves: a metric instead of the round; Sweep, Bars: the axis across
	Panels []string // axes with a panel for each value; nil: those that are nowhere else
	Lines  []string // axes with a line for each value; nil: "method"
	LogX   bool
	LogY   bool
}

// Highlight mutes all entries but those of some labels, in any case, and puts their marks below
// those of the others. It returns an error that lists the labels where one is none of them. No
// labels mute nothing.
func (c *Chart) Highlight(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	var known []string
	for _, e := range c.Legend {
		known = append(known, e.Label)
	}
	for _, label := range labels {
		same := func(k string) bool { return strings.EqualFold(k, label) }
		if !slices.ContainsFunc(known, same) {
			return fmt.Errorf("the figure has no %q to highlight; it has %s", label,
				strings.Join(known, ", "))
		}
	}
	for i := range c.Legend {
		e := &c.Legend[i]
		e.Muted = !slices.ContainsFunc(labels, func(l string) bool {
			return strings.EqualFold(l, e.Label)
		})
	}
	for _, p := range c.Panels {
		slices.SortStableFunc(p.Marks, func(a, b Mark) int { return c.depth(b) - c.depth(a) })
	}
	return nil
}

// depth is 1 for marks that lie below others.
func (c *Chart) depth(m Mark) int {
	if m.Entry >= 0 && c.Legend[m.Entry].Muted {
		return 1
	}
	return 0
}

// Bands are the values of Options.Band: a standard deviation, the 95 % confidence interval
// of the mean, a line for every seed, or nothing.
func Bands() []string { return []string{"std", "ci", "seeds", "none"} }

// axisNames returns the names of the axes that a chart of the input can be laid out by.
func axisNames(in *infer.Input) []string {
	axes := []string{"method"}
	for _, c := range in.Cells[0].Point {
		axes = append(axes, c.Axis)
	}
	return axes
}

// entry returns the index of an entry of the legend, which it adds when it is not there.
func (c *Chart) entry(label, role string) int {
	i := slices.IndexFunc(c.Legend, func(e Entry) bool { return e.Label == label })
	if i < 0 {
		i = len(c.Legend)
		c.Legend = append(c.Legend, Entry{Label: label, Grey: role != ""})
	}
	return i
}

// ascend orders the points of a mark by X.
func (m *Mark) ascend() {
	order := make([]int, len(m.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case m.X[a] < m.X[b]:
			return -1
		case m.X[a] > m.X[b]:
			return 1
		}
		return 0
	})
	for _, list := range []*[]float64{&m.X, &m.Y, &m.Low, &m.High} {
		sorted := make([]float64, len(order))
		for k, i := range order {
			sorted[k] = (*list)[i]
		}
		*list = sorted
	}
}
