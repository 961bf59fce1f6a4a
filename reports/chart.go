package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
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
	Grey  bool // it is a bound or somebody else's, and no competitor
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

// A ChartOptions says what a chart shows of an input, and how. Axes are those of the sweep,
// "method", "clients", "rounds", and parameters of components such as "aggregator.epsilon"; cells
// whose component has no such parameter are left out.
type ChartOptions struct {
	Metric string   // "": the first of the report
	Band   string   // around means: one of Bands; "": "std"
	X      string   // Curves: a metric instead of the round; Sweep, Bars: the axis across
	Panels []string // axes with a panel for each value; nil: those that are nowhere else
	Lines  []string // axes with a line for each value; nil: "method"
	LogX   bool
	LogY   bool
}

// Bands are the values of ChartOptions.Band: a standard deviation, the 95 % confidence interval
// of the mean, a line for every seed, or nothing.
func Bands() []string { return []string{"std", "ci", "seeds", "none"} }

// ChartAxes returns the names of the axes that a chart of the input can be laid out by.
func ChartAxes(in *infer.Input) []string {
	axes := []string{"method"}
	for _, c := range in.Cells[0].Point {
		axes = append(axes, c.Axis)
	}
	return axes
}

// A facet is where the cells of one line of one panel are.
type facet struct {
	panel, line int
	at          string // on the axis across; "" without one
	cells       []int
}

// A facets is a chart in the making: which cells belong to which line of which panel.
type facets struct {
	*infer.Plan
	o      ChartOptions
	across string // the axis of the sweep across panels; "" for none
	panels []string
	lines  []Entry
	groups []facet
	sizes  map[int]bool // numbers of seeds behind what is shown
}

// lay sorts the cells of an input into panels and lines.
func lay(in infer.Input, o ChartOptions, across string) (*facets, error) {
	if len(in.Cells) == 0 || len(in.IDs) != len(in.Cells) {
		return nil, fmt.Errorf("reports: %d identities for %d cells", len(in.IDs), len(in.Cells))
	}
	in.Report.Final = max(0, in.Report.Final)
	l := &facets{Plan: infer.NewPlan(&in), o: o, across: across, sizes: map[int]bool{}}
	if l.o.Band == "" {
		l.o.Band = "std"
	}
	if !slices.Contains(Bands(), l.o.Band) {
		return nil, fmt.Errorf("a band is one of %s, not %q", strings.Join(Bands(), ", "), o.Band)
	}
	if l.o.Metric == "" && len(l.Metrics) > 0 {
		l.o.Metric = l.Metrics[0]
	}
	if l.AnySeries(l.o.Metric) == nil {
		return nil, l.unmeasured(l.o.Metric)
	}
	if err := l.axes(); err != nil {
		return nil, err
	}
	for i := range in.Cells {
		if err := l.sort(i); err != nil {
			return nil, err
		}
	}
	if len(l.groups) == 0 {
		return nil, fmt.Errorf("no result has %q where the figure would show it", l.o.Metric)
	}
	return l, nil
}

// unmeasured says why there is nothing to show of a metric.
func (l *facets) unmeasured(metric string) error {
	var keys []string
	for _, m := range l.In.Cells[0].Measures {
		keys = append(keys, m.Key)
	}
	if len(l.In.Results) == 0 {
		return fmt.Errorf("nothing of it was run yet")
	}
	return fmt.Errorf("no result has the metric %q; %s", metric, study.Suggest(metric, keys))
}

// axes decides which axes make panels and which lines.
func (l *facets) axes() error {
	known := ChartAxes(l.In)
	l.o.Panels, l.o.Lines = inFull(l.o.Panels, known), inFull(l.o.Lines, known)
	l.across = inFull([]string{l.across}, known)[0]
	asked := slices.Concat(l.o.Panels, l.o.Lines, []string{l.across})
	bySetting := false
	for _, a := range asked {
		if a == "" || slices.Contains(known, a) {
			continue
		}
		bySetting = true
		has := func(c study.Cell) bool { _, ok := valueOf(&c, a); return ok }
		if !slices.ContainsFunc(l.In.Cells, has) {
			return fmt.Errorf("there is no axis %q; %s", a, study.Suggest(a, known))
		}
	}
	var rest []string
	for _, a := range known {
		if !slices.Contains(asked, a) && (a != "method" || !bySetting) {
			rest = append(rest, a)
		}
	}
	switch {
	case l.o.Lines == nil && l.o.Panels == nil && slices.Contains(rest, "method"):
		l.o.Lines, l.o.Panels = rest[:1], rest[1:]
	case l.o.Lines == nil && l.o.Panels != nil:
		l.o.Lines = rest
	case l.o.Panels == nil:
		l.o.Panels = rest
	}
	l.o.Panels = l.telling(l.o.Panels)
	if lines := l.telling(l.o.Lines); len(lines) > 0 {
		l.o.Lines = lines
	}
	return nil
}

// telling returns those of some axes on which cells with results differ: others need no name.
func (l *facets) telling(axes []string) (list []string) {
	for _, a := range axes {
		first, differ := "", false
		for i := range l.In.Cells {
			if l.Series(l.In.IDs[i], l.o.Metric) == nil {
				continue
			}
			if v, ok := valueOf(&l.In.Cells[i], a); ok && first == "" {
				first = v
			} else if ok && v != first {
				differ = true
			}
		}
		if differ {
			list = append(list, a)
		}
	}
	return list
}

// inFull returns axes with the whole name of each that is called by the last part of it.
func inFull(axes, known []string) (full []string) {
	for _, a := range axes {
		i := slices.IndexFunc(known, func(k string) bool {
			return a != "" &&
				infer.LastPart(k) == a
		})
		if i >= 0 && !slices.Contains(known, a) {
			a = known[i]
		}
		full = append(full, a)
	}
	return full
}

// sort puts a cell where it belongs. It is an error when one with the same seed is there: cells
// with different settings would be pooled.
func (l *facets) sort(i int) error {
	c := &l.In.Cells[i]
	for _, a := range slices.Concat(l.o.Panels, l.o.Lines, []string{l.across}) {
		if _, ok := valueOf(c, a); !ok {
			return nil
		}
	}
	if s := l.Series(l.In.IDs[i], l.o.Metric); s == nil || len(s.Values) == 0 {
		return nil
	}
	panel, line := l.named(c, l.o.Panels), Entry{Label: l.named(c, l.o.Lines)}
	line.Grey = c.Role != "" && slices.Contains(l.o.Lines, "method")
	f := facet{panel: slices.Index(l.panels, panel),
		line: slices.IndexFunc(l.lines, func(e Entry) bool { return e.Label == line.Label })}
	f.at, _ = valueOf(c, l.across)
	if f.panel < 0 {
		f.panel = len(l.panels)
		l.panels = append(l.panels, panel)
	}
	if f.line < 0 {
		f.line = len(l.lines)
		l.lines = append(l.lines, line)
	}
	return l.add(f, i)
}

// add puts a cell to those of its facet.
func (l *facets) add(f facet, i int) error {
	for k := range l.groups {
		g := &l.groups[k]
		if g.panel != f.panel || g.line != f.line || g.at != f.at {
			continue
		}
		for _, other := range g.cells {
			if l.In.Cells[other].Seed == l.In.Cells[i].Seed {
				return fmt.Errorf("%s and %s would be pooled: tell them apart by panels, by lines "+
					"or by the axis across, or leave one out", l.place(other), l.place(i))
			}
		}
		g.cells = append(g.cells, i)
		return nil
	}
	f.cells = []int{i}
	l.groups = append(l.groups, f)
	return nil
}

// place says which arm a cell is of.
func (l *facets) place(i int) string {
	c := &l.In.Cells[i]
	words := []string{c.Method}
	for _, at := range c.Point {
		words = append(words, at.Label)
	}
	return strings.Join(words, ", ")
}

// valueOf returns where a cell lies on an axis, or false when it is not on it.
func valueOf(c *study.Cell, axis string) (string, bool) {
	switch axis {
	case "":
		return "", true
	case "method":
		return c.Method, true
	}
	for _, at := range c.Point {
		if at.Axis == axis {
			return at.Label, true
		}
	}
	switch axis {
	case "clients":
		return strconv.Itoa(c.Clients), true
	case "rounds":
		return strconv.Itoa(c.Rounds), true
	}
	slot, key, _ := strings.Cut(axis, ".")
	switch v := c.Picks[slot].Params[key].(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int64, bool, string:
		return fmt.Sprint(v), true
	}
	return "", false
}

// named returns where a cell lies on some axes, in words. A number alone says nothing: it has
// the last part of its axis before it.
func (l *facets) named(c *study.Cell, axes []string) string {
	var words []string
	for _, a := range axes {
		v, _ := valueOf(c, a)
		if letter, _, number := numeric(v); number && letter == "" && a != "method" {
			v = infer.LastPart(a) + " = " + v
		}
		words = append(words, v)
	}
	return strings.Join(words, ", ")
}

// chart returns a chart with panels that have no marks yet.
func (l *facets) chart(x, y Axis) *Chart {
	c := &Chart{Legend: l.lines}
	for _, title := range l.panels {
		if len(l.panels) == 1 {
			title = ""
		}
		c.Panels = append(c.Panels, Panel{Title: title, X: x, Y: y})
	}
	return c
}

// measure returns the label of an axis with a metric.
func (l *facets) measure(metric string) string {
	s := l.AnySeries(metric)
	if s.Unit == "" {
		return metric
	}
	return metric + " (" + s.Unit + ")"
}

// whisker returns what a band or a bar spans around the mean of values over seeds, NaN where it
// spans nothing.
func whisker(band string, mean, sd float64, n int) (low, high float64) {
	if n < 2 || band != "std" && band != "ci" {
		return math.NaN(), math.NaN()
	}
	half := infer.Spread(map[string]string{"std": "sd", "ci": "ci"}[band], sd, n)
	return mean - half, mean + half
}

// noted says what the marks of a chart are, and what they do not compare.
func (l *facets) noted() string {
	return l.marksNote() + table.Before("; ", table.IncomparableIn(l.Plan, l.o.Metric))
}

// marksNote says what the marks of a chart are.
func (l *facets) marksNote() string {
	sizes := slices.Sorted(maps.Keys(l.sizes))
	if len(sizes) == 0 {
		return ""
	}
	seeds := table.Counted(sizes[len(sizes)-1], "seed")
	if len(sizes) > 1 {
		seeds = fmt.Sprintf("%d to %s", sizes[0], seeds)
	}
	if sizes[len(sizes)-1] == 1 {
		return "one seed"
	}
	cut := ""
	if l.o.LogY {
		cut = ", no lower than the least of them"
	}
	switch l.o.Band {
	case "std":
		return "mean ± s.d. over " + seeds + cut
	case "ci":
		return "mean and its 95 % confidence interval over " + seeds + cut
	case "seeds":
		return "mean over " + seeds + ", and each of them or their range"
	}
	return "mean over " + seeds
}
