package figure

import (
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// A frame is a panel and where it is.
type frame struct {
	*sheet
	panel    *chart.Panel
	x, y     scale
	from, to vg.Point  // corners of the area between the axes
	wide     vg.Length // of that area
	beside   bool      // a panel to its left, in the same row, has the same label upwards
	above    bool      // a panel below it has the same label across
	title    text
	xticks   []tick
	yticks   []tick
	xnames   [][]string // of the ticks across, in lines
	ynames   [][]string
	xlabel   text
	ylabel   text
}

// newFrame finds what numbers a panel shows.
func newFrame(s *sheet, i int) *frame {
	f := &frame{sheet: s, panel: &s.chart.Panels[i]}
	f.x, f.y = nothing(f.panel.X.Log), nothing(f.panel.Y.Log)
	for k := range f.panel.Marks {
		f.cover(&f.panel.Marks[k])
	}
	f.bound(&f.x, &f.panel.X, f.runs())
	f.bound(&f.y, &f.panel.Y, false)
	return f
}

// runs reports whether lines run from one end of the panel to the other.
func (f *frame) runs() bool {
	for _, m := range f.panel.Marks {
		if m.Shape != chart.Line && m.Shape != chart.Faint {
			return false
		}
	}
	return true
}

// bound gives a scale room at its ends.
func (f *frame) bound(s *scale, a *chart.Axis, tight bool) {
	switch {
	case a.Names != nil:
		s.low, s.high = -0.5, max(0.5, float64(len(a.Names))-0.5)
		if &f.panel.Y == a {
			s.low, s.high = s.high, s.low // names are read from the top
		}
	case a.Zero && s.low >= 0 && !a.Log:
		s.low = 0
		s.settle(0, 0.06)
	case tight:
		s.settle(0, 0)
	default:
		s.settle(0.05, 0.05)
	}
}

// cover widens the scales so that they show a mark.
func (f *frame) cover(m *chart.Mark) {
	if m.Shape == chart.Upright {
		for _, x := range m.X {
			f.x.include(x)
		}
		return
	}
	for i := range m.X {
		_, okX := f.x.on(m.X[i])
		_, okY := f.y.on(m.Y[i])
		if !okX || !okY {
			continue
		}
		f.x.include(m.X[i])
		f.y.include(m.Y[i])
		if m.Low == nil {
			continue
		}
		along := &f.y
		if m.Shape == chart.Across {
			along = &f.x
		}
		along.include(m.High[i])
		if !along.log { // a band may reach down to nothing
			along.include(m.Low[i])
		}
	}
}

// estimate lays out the names of the ticks of a panel that is so wide between its axes.
func (f *frame) estimate(width vg.Length) {
	high := f.area(width)
	f.ylabel = f.label(f.panel.Y.Label, f.y.power(), high)
	if f.beside {
		f.ylabel.lines = nil
	}
	f.ylabel.turned, f.ylabel.across = true, 0.5
	f.yticks, f.ynames = f.named(&f.y, &f.panel.Y, high/f.pt(13))
	for i, name := range f.panel.Y.Names {
		f.ynames[i] = f.wrap(name, f.page.X/vg.Length(f.columns)*0.4, f.small())
	}
	f.xticks, f.xnames = f.named(&f.x, &f.panel.X, width/f.pt(24))
}

// label is the label of an axis, with the power of ten that its ticks are multiples of.
func (f *frame) label(s string, power int, room vg.Length) text {
	t := text{size: f.Text}
	if power != 0 {
		s += " ×10"
		t.raised = number(float64(power), 0)
	}
	if s != "" {
		t.lines = f.wrap(s, max(room, f.pt(40)), f.Text)
	}
	return t
}

// named returns the ticks of an axis, and the names of each.
func (f *frame) named(s *scale, a *chart.Axis, n vg.Length) (ticks []tick, names [][]string) {
	if a.Names == nil {
		ticks = s.ticks(min(int(n), 8))
		for _, t := range ticks {
			names = append(names, []string{t.label})
		}
		return ticks, names
	}
	for i, name := range a.Names {
		ticks = append(ticks, tick{value: float64(i), label: name})
		names = append(names, []string{name})
	}
	return ticks, names
}

// tickText is the text of a tick.
func (f *frame) tickText(t tick, lines []string) text {
	return text{lines: lines, raised: t.raised, size: f.small()}
}

// left is how much room stands to the left of the area.
func (f *frame) left() vg.Length {
	widest := vg.Length(0)
	for i, t := range f.yticks {
		name := f.tickText(t, f.ynames[i])
		w, _ := f.extent(&name)
		widest = max(widest, w)
	}
	w, _ := f.extent(&f.ylabel)
	if w > 0 {
		w += f.pt(2)
	}
	return f.pt(2) + w + widest + f.pt(5)
}

// overhang is how far the last name across may stand out to the right.
func (f *frame) overhang() vg.Length {
	if f.panel.X.Names != nil || len(f.xticks) == 0 {
		return 0
	}
	last := f.tickText(f.xticks[len(f.xticks)-1], f.xnames[len(f.xticks)-1])
	w, _ := f.extent(&last)
	return w / 2
}

// head breaks the title, and returns how much room it takes.
func (f *frame) head(width vg.Length) vg.Length {
	if f.panel.Title == "" {
		return f.pt(4)
	}
	f.title = text{lines: f.wrap(f.panel.Title, width, f.Text), size: f.Text, across: 0.5, down: 1}
	_, h := f.extent(&f.title)
	return h + f.pt(5)
}

// area returns how high the area between the axes is.
func (f *frame) area(width vg.Length) vg.Length {
	switch {
	case f.panel.Y.Names != nil:
		return f.pt(13) * vg.Length(max(1, len(f.panel.Y.Names)))
	case f.chart.Square:
		return width
	case f.columns == 1:
		return min(width*0.62, f.pt(200)) * f.squeeze
	}
	return width * 0.75 * f.squeeze
}

// place fits scales and names across to the area, which has its place.
func (f *frame) place() {
	f.x.from, f.x.to = f.from.X, f.to.X
	f.y.from, f.y.to = f.to.Y, f.from.Y
	f.title.at = vg.Point{X: (f.from.X + f.to.X) / 2, Y: f.from.Y - f.pt(4)}
	if n := len(f.panel.X.Names); n > 0 {
		each := f.wide/vg.Length(n) - f.pt(3)
		for i, name := range f.panel.X.Names {
			f.xnames[i] = f.wrap(name, max(each, f.pt(6)), f.small())
		}
		f.thin()
	}
	f.xlabel = f.label(f.panel.X.Label, f.x.power(), f.wide+f.pt(20))
	if f.above {
		f.xlabel.lines = nil
	}
	f.xlabel.across = 0.5
}

// thin leaves out names across where there are too many for even a few letters of each: every
// second, or third, … stays.
func (f *frame) thin() {
	n := len(f.panel.X.Names)
	widest := vg.Length(0)
	for _, name := range f.panel.X.Names {
		widest = max(widest, f.fonts.width(name, f.small(), false))
	}
	each := f.wide / vg.Length(n)
	if widest+f.pt(3) <= each || each >= f.pt(16) {
		return
	}
	every := int(math.Ceil(float64((min(widest, f.pt(40)) + f.pt(3)) / each)))
	for i, name := range f.panel.X.Names {
		f.xnames[i] = nil
		if i%every == 0 {
			f.xnames[i] = f.wrap(name, vg.Length(every)*each-f.pt(3), f.small())
		}
	}
}

// below is how much room stands below the area.
func (f *frame) below() vg.Length {
	y := f.names()
	_, h := f.extent(&f.xlabel)
	return y + h
}

// names is how much room ticks and their names take below the area.
func (f *frame) names() vg.Length {
	highest := vg.Length(0)
	for i, t := range f.xticks {
		name := f.tickText(t, f.xnames[i])
		_, h := f.extent(&name)
		highest = max(highest, h)
	}
	return f.pt(4) + highest
}
