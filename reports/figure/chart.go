package figure

import (
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// Chart draws a chart of panels with axes, in rows, below one legend of what is not named where it
// is.
type Chart struct{ *chart.Chart }

func (c Chart) words() []string {
	var words []string
	for _, e := range c.Legend {
		words = append(words, e.Label)
	}
	for _, p := range c.Panels {
		words = append(words, p.Title, p.X.Label, p.Y.Label)
		words = append(append(words, p.X.Names...), p.Y.Names...)
	}
	return words
}

// A sheet is where the parts of a chart are on a page.
type sheet struct {
	*pen
	chart   *chart.Chart
	looks   []look
	legend  *legend
	frames  []*frame
	columns int
	squeeze vg.Length   // by which panels are lower than they would be, or higher
	top     []vg.Length // of the rows, the last after them

	ways     []int     // how each entry is named
	captions []caption // names that stand in the panels
}

func (c Chart) height(p *pen) vg.Length {
	s := c.laid(p)
	return s.top[len(s.top)-1] + p.pt(1)
}

func (c Chart) draw(p *pen) {
	s := c.laid(p)
	s.legend.draw()
	for _, f := range s.frames {
		f.axes()
		for i := range f.panel.Marks {
			f.mark(&f.panel.Marks[i])
		}
		f.border()
	}
	s.drawNames()
}

// laid lays a chart out, with names where they belong if all that can be there have room.
func (c Chart) laid(p *pen) *sheet {
	s := c.arranged(p, true)
	if !s.name() {
		s = c.arranged(p, false)
	}
	return s
}

// arranged lays out the panels: first how wide they can be, then how high they are.
func (c Chart) arranged(p *pen, direct bool) *sheet {
	s := &sheet{pen: p, chart: c.Chart, looks: p.looks(c.Legend), squeeze: 1}
	n := max(1, len(c.Panels))
	most := max(1, min(n, int(p.page.X/p.pt(110))))
	if most == 1 && n > 1 && len(c.Panels[0].Y.Names) == 0 {
		most = 2
	}
	rows := (n + most - 1) / most
	s.columns = (n + rows - 1) / rows
	for i := range c.Panels {
		s.frames = append(s.frames, newFrame(s, i))
	}
	s.share()
	s.hush()
	s.ways = make([]int, len(c.Legend))
	if direct {
		s.ways = s.direct()
	}
	s.legend = p.legendOf(c.Chart, s.looks, s.ways)
	guess := p.page.X / vg.Length(s.columns) * 0.75
	for range 3 { // how wide names are depends on how many there are, and the other way round
		for _, f := range s.frames {
			f.estimate(guess)
		}
		guess = s.spread()
		s.fit()
	}
	return s
}

// share gives panels the same numbers on the same axis, where that costs none of them more than
// half of its room.
func (s *sheet) share() {
	pick := []func(f *frame) (*scale, *chart.Axis){
		func(f *frame) (*scale, *chart.Axis) { return &f.x, &f.panel.X },
		func(f *frame) (*scale, *chart.Axis) { return &f.y, &f.panel.Y },
	}
	for _, of := range pick {
		all, least, same := nothing(false), math.Inf(1), true
		for _, f := range s.frames {
			sc, axis := of(f)
			_, first := of(s.frames[0])
			same = same && axis.Label == first.Label && axis.Names == nil
			all.low, all.high = min(all.low, sc.low), max(all.high, sc.high)
			least = min(least, sc.high-sc.low)
		}
		if !same || all.high-all.low > 2*least {
			continue
		}
		for _, f := range s.frames {
			sc, _ := of(f)
			sc.low, sc.high = all.low, all.high
		}
	}
}

// mostLegend is the share of a figure that its legend takes, where panels can be made high enough.
const mostLegend = 0.15

// fit makes panels higher where the legend would take too much of the figure or names at ends have
// no room, and lower, but not flat, where all of them together are too high for the page.
func (s *sheet) fit() {
	if len(s.frames) == 0 || s.squeeze != 1 {
		return
	}
	high, rows := s.top[len(s.top)-1], vg.Length(len(s.top)-1)
	areas := rows * (s.frames[0].to.Y - s.frames[0].from.Y)
	wanted := max(high, s.legend.height/mostLegend, high-areas+rows*(s.endHeight()-s.over()))
	excess := high - min(wanted, s.Most)
	s.squeeze = min(max(0.4, 1-excess/areas), 2)
}

// hush leaves out labels that a neighbour has.
func (s *sheet) hush() {
	for i, f := range s.frames {
		if i%s.columns > 0 {
			left := s.frames[i-1]
			f.beside = left.panel.Y.Label == f.panel.Y.Label && left.y.power() == f.y.power()
		}
		if i+s.columns < len(s.frames) {
			below := s.frames[i+s.columns]
			f.above = below.panel.X.Label == f.panel.X.Label && below.x.power() == f.x.power()
		}
	}
}

// spread gives every panel its place, and returns how wide it is between its axes.
func (s *sheet) spread() vg.Length {
	n := len(s.frames)
	left := make([]vg.Length, s.columns) // what stands to the left of a column of panels
	for i, f := range s.frames {
		left[i%s.columns] = max(left[i%s.columns], f.left())
	}
	right := s.pt(4)
	for _, f := range s.frames {
		right = max(right, f.overhang()+s.pt(1))
	}
	right = max(right, s.endRoom())
	free := s.Width
	for _, l := range left {
		free -= l + right
	}
	width := max(free/vg.Length(s.columns), s.pt(20))
	y := s.legend.height
	s.top = nil
	for first := 0; first < n; first += s.columns {
		s.top = append(s.top, y)
		y = s.row(first, y, left, vg.Point{X: width, Y: right})
	}
	s.top = append(s.top, y)
	return width
}

// row places the panels of a row, and returns where the next one begins. Size is how wide a
// panel is, and what is free to the right of it.
func (s *sheet) row(first int, y vg.Length, left []vg.Length, size vg.Point) vg.Length {
	row := s.frames[first:min(first+s.columns, len(s.frames))]
	title, area, below := vg.Length(0), vg.Length(0), vg.Length(0)
	for _, f := range row {
		f.wide = size.X
		title = max(title, f.head(size.X))
		area = max(area, f.area(size.X))
	}
	x := vg.Length(0)
	for k, f := range row {
		x += left[k]
		f.from = vg.Point{X: x, Y: y + title}
		f.to = vg.Point{X: x + size.X, Y: y + title + area}
		f.place()
		below = max(below, f.below())
		x += size.X + size.Y
	}
	return y + title + area + below + s.pt(3)
}
