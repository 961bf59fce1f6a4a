package chart

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

// A group is where the cells of one line of one panel are.
type group struct {
	panel, line int
	at          string // on the axis across; "" without one
	cells       []int
}

// A layout is a chart in the making: which cells belong to which line of which panel.
type layout struct {
	*infer.Plan
	o      Options
	across string // the axis of the sweep across panels; "" for none
	panels []string
	lines  []Entry
	groups []group
	sizes  map[int]bool // numbers of seeds behind what is shown
}

// newLayout sorts the cells of an input into panels and lines.
func newLayout(in infer.Input, o Options, across string) (*layout, error) {
	if len(in.Cells) == 0 || len(in.IDs) != len(in.Cells) {
		return nil, fmt.Errorf("reports: %d identities for %d cells", len(in.IDs), len(in.Cells))
	}
	in.Report.Final = max(0, in.Report.Final)
	l := &layout{Plan: infer.NewPlan(&in), o: o, across: across, sizes: map[int]bool{}}
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
	if err := l.chooseAxes(); err != nil {
		return nil, err
	}
	for i := range in.Cells {
		if err := l.addCell(i); err != nil {
			return nil, err
		}
	}
	if len(l.groups) == 0 {
		return nil, fmt.Errorf("no result has %q where the figure would show it", l.o.Metric)
	}
	return l, nil
}

// unmeasured says why there is nothing to show of a metric.
func (l *layout) unmeasured(metric string) error {
	var keys []string
	for _, m := range l.In.Cells[0].Measures {
		keys = append(keys, m.Key)
	}
	if len(l.In.Results) == 0 {
		return fmt.Errorf("nothing of it was run yet")
	}
	return fmt.Errorf("no result has the metric %q; %s", metric, study.Suggest(metric, keys))
}

// chooseAxes decides which axes make panels and which lines.
func (l *layout) chooseAxes() error {
	known := axisNames(l.In)
	l.o.Panels, l.o.Lines = fullNames(l.o.Panels, known), fullNames(l.o.Lines, known)
	l.across = fullNames([]string{l.across}, known)[0]
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
	l.o.Panels = l.varying(l.o.Panels)
	if lines := l.varying(l.o.Lines); len(lines) > 0 {
		l.o.Lines = lines
	}
	return nil
}

// varying returns those of some axes on which cells with results differ: others need no name.
func (l *layout) varying(axes []string) (list []string) {
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

// fullNames returns axes with the whole name of each that is called by the last part of it.
func fullNames(axes, known []string) (full []string) {
	for _, a := range axes {
		i := slices.IndexFunc(known, func(k string) bool {
			return a != "" && study.LastPart(k) == a
		})
		if i >= 0 && !slices.Contains(known, a) {
			a = known[i]
		}
		full = append(full, a)
	}
	return full
}

// addCell puts a cell where it belongs. It is an error when one with the same seed is there: cells
// with different settings would be pooled.
func (l *layout) addCell(i int) error {
	c := &l.In.Cells[i]
	for _, a := range slices.Concat(l.o.Panels, l.o.Lines, []string{l.across}) {
		if _, ok := valueOf(c, a); !ok {
			return nil
		}
	}
	if s := l.Series(l.In.IDs[i], l.o.Metric); s == nil || len(s.Values) == 0 {
		return nil
	}
	panel, line := l.nameOf(c, l.o.Panels), Entry{Label: l.nameOf(c, l.o.Lines)}
	line.Grey = c.Role != "" && slices.Contains(l.o.Lines, "method")
	f := group{panel: slices.Index(l.panels, panel),
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
	return l.addToGroup(f, i)
}

// addToGroup puts a cell to those of its facet.
func (l *layout) addToGroup(f group, i int) error {
	for k := range l.groups {
		g := &l.groups[k]
		if g.panel != f.panel || g.line != f.line || g.at != f.at {
			continue
		}
		for _, other := range g.cells {
			if l.In.Cells[other].Seed == l.In.Cells[i].Seed {
				return fmt.Errorf("%s and %s would be pooled: tell them apart by panels, by lines "+
					"or by the axis across, or leave one out", l.cellName(other), l.cellName(i))
			}
		}
		g.cells = append(g.cells, i)
		return nil
	}
	f.cells = []int{i}
	l.groups = append(l.groups, f)
	return nil
}

// cellName says which arm a cell is of.
func (l *layout) cellName(i int) string {
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

// nameOf returns where a cell lies on some axes, in words. A number alone says nothing: it has
// the last part of its axis before it.
func (l *layout) nameOf(c *study.Cell, axes []string) string {
	var words []string
	for _, a := range axes {
		v, _ := valueOf(c, a)
		if letter, _, number := numeric(v); number && letter == "" && a != "method" {
			v = study.LastPart(a) + " = " + v
		}
		words = append(words, v)
	}
	return strings.Join(words, ", ")
}

// emptyChart returns a chart with panels that have no marks yet.
func (l *layout) emptyChart(x, y Axis) *Chart {
	c := &Chart{Legend: l.lines}
	for _, title := range l.panels {
		if len(l.panels) == 1 {
			title = ""
		}
		c.Panels = append(c.Panels, Panel{Title: title, X: x, Y: y})
	}
	return c
}

// metricLabel returns the label of an axis with a metric.
func (l *layout) metricLabel(metric string) string {
	s := l.AnySeries(metric)
	if s.Unit == "" {
		return metric
	}
	return metric + " (" + s.Unit + ")"
}

// interval returns what a band or a bar spans around the mean of values over seeds, NaN where it
// spans nothing.
func interval(band string, mean, sd float64, n int) (low, high float64) {
	if n < 2 || band != "std" && band != "ci" {
		return math.NaN(), math.NaN()
	}
	half := infer.Spread(map[string]string{"std": "sd", "ci": "ci"}[band], sd, n)
	return mean - half, mean + half
}

// note says what the marks of a chart are, and what they do not compare.
func (l *layout) note() string {
	return l.marksNote() + table.Before("; ", table.IncomparableIn(l.Plan, l.o.Metric))
}

// marksNote says what the marks of a chart are.
func (l *layout) marksNote() string {
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
