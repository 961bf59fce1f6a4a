package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// Names stand at the ends of lines and beside single points where they fit, so that no legend has
// to be looked up. An entry is named there in all panels or in none.

// A caption is a name beside what it names.
type caption struct {
	text
	named vg.Point // what it names
	led   bool     // by a thin line from there
	look  look
}

// The kinds of entries that can be named where they are.
const (
	elsewhere = iota // by the legend
	atEnd            // a line, at its end
	atPoint          // a point, beside it
)

// widestName is the share of a page that names at the ends of lines take at most.
const widestName = 0.4

// direct says of each entry how it can be named. Several columns of panels leave no room.
func (s *sheet) direct() []int {
	ways := make([]int, len(s.chart.Legend))
	if len(ways) < 2 || s.columns > 1 {
		return ways
	}
	for i := range ways {
		if !s.chart.Legend[i].Muted {
			ways[i] = s.wayOf(i)
		}
	}
	if slices.Contains(ways, atPoint) { // whose names need all of the width
		for i, way := range ways {
			if way == atEnd {
				ways[i] = elsewhere
			}
		}
	}
	return ways
}

// wayOf says how an entry can be named where it is: in every panel, or not at all.
func (s *sheet) wayOf(entry int) int {
	way := elsewhere
	for _, f := range s.frames {
		ends, points := 0, 0
		for i := range f.panel.Marks {
			m := &f.panel.Marks[i]
			if m.Entry != entry || m.Shape == chart.Faint {
				continue
			}
			switch n := f.visible(m); {
			case m.Shape != chart.Line && m.Shape != chart.Points || f.panel.X.Names != nil:
				return elsewhere
			case n == 1:
				points++
			case n > 1:
				ends++
			}
		}
		here := elsewhere
		switch {
		case ends == 1 && points == 0:
			here = atEnd
		case points == 1 && ends == 0:
			here = atPoint
		}
		if here == elsewhere || way != elsewhere && way != here {
			return elsewhere
		}
		way = here
	}
	return way
}

// visible counts the points of a mark that its scales can show.
func (f *frame) visible(m *chart.Mark) (n int) {
	for i := range m.X {
		_, okX := f.x.on(m.X[i])
		_, okY := f.y.on(m.Y[i])
		if okX && okY {
			n++
		}
	}
	return n
}

// nameOf returns the name of an entry in lines.
func (s *sheet) nameOf(entry int, room vg.Length) caption {
	lines := s.wrap(s.chart.Legend[entry].Label, room, s.small())
	return caption{text: text{lines: lines, size: s.small(), down: 0.5}, look: s.looks[entry]}
}

// lead is how far names stand from the area of a panel.
func (s *sheet) lead() vg.Length { return s.pt(9) }

// endRoom is how much room names at ends take to the right of a panel.
func (s *sheet) endRoom() (room vg.Length) {
	for i, way := range s.ways {
		if way == atEnd {
			c := s.nameOf(i, s.page.X*widestName)
			w, _ := s.extent(&c.text)
			room = max(room, w+s.lead()+s.pt(2))
		}
	}
	return room
}

// over is how far the names at ends may stand out above and below the area.
func (s *sheet) over() vg.Length { return s.pt(3) }

// endHeight is how high all names at ends are together.
func (s *sheet) endHeight() (high vg.Length) {
	for i, way := range s.ways {
		if way == atEnd {
			c := s.nameOf(i, s.page.X*widestName)
			_, h := s.extent(&c.text)
			high += h
		}
	}
	return high
}

// name gives every name its place. It reports false where one has none.
func (s *sheet) name() bool {
	s.captions = nil
	for _, f := range s.frames {
		if !f.nameEnds() || !f.namePoints() {
			return false
		}
	}
	return true
}

// nameEnds puts the names of lines to the right of the area, in the order of their ends and as near
// to these as they have room.
func (f *frame) nameEnds() bool {
	var list []caption
	for i := range f.panel.Marks {
		m := &f.panel.Marks[i]
		if m.Entry < 0 || m.Shape == chart.Faint || f.ways[m.Entry] != atEnd {
			continue
		}
		c := f.nameOf(m.Entry, f.page.X*widestName)
		for k := range m.X {
			if at, ok := f.point(m, k); ok {
				c.named = at
			}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b caption) int { return cmp.Compare(a.named.Y, b.named.Y) })
	if f.endHeight() > f.to.Y-f.from.Y+2*f.over() {
		return false
	}
	middles, heights := make([]float64, len(list)), make([]float64, len(list))
	for k := range list {
		_, h := f.extent(&list[k].text)
		middles[k], heights[k] = float64(list[k].named.Y), float64(h)
	}
	from, to := float64(f.from.Y-f.over()), float64(f.to.Y+f.over())
	for k, y := range apart(middles, heights, from, to) {
		c := list[k]
		c.at = vg.Point{X: f.to.X + f.lead(), Y: vg.Length(y)}
		c.led = true
		f.captions = append(f.captions, c)
	}
	return true
}

// apart moves the middles of intervals, which ascend, as little as needed in squares so that none
// overlap and all lie between two bounds, as far as they have room: the pool of adjacent violators.
func apart(middles, heights []float64, from, to float64) []float64 {
	type pool struct {
		sum, n float64 // of where the first of all would begin
	}
	var pools []pool
	before, total := make([]float64, len(middles)), 0.0 // heights above the middle of each
	for k, m := range middles {
		before[k] = total + heights[k]/2
		total += heights[k]
		pools = append(pools, pool{m - before[k], 1})
		for n := len(pools); n > 1; n-- {
			a, b := pools[n-2], pools[n-1]
			if a.sum/a.n < b.sum/b.n {
				break
			}
			pools = append(pools[:n-2], pool{a.sum + b.sum, a.n + b.n})
		}
	}
	var moved []float64
	for _, p := range pools {
		start := max(min(p.sum/p.n, to-total), from)
		for range int(p.n) {
			moved = append(moved, start+before[len(moved)])
		}
	}
	return moved
}

// A span is a rectangle that is taken.
type span struct{ from, to vg.Point }

func (a span) overlaps(b span) bool {
	return a.from.X < b.to.X && b.from.X < a.to.X && a.from.Y < b.to.Y && b.from.Y < a.to.Y
}

// around is the square around a point.
func around(at vg.Point, half vg.Length) span {
	d := vg.Point{X: half, Y: half}
	return span{at.Sub(d), at.Add(d)}
}

// namePoints puts the names of single points beside them: at the nearest place that is in the area
// and covers no other point or name, and of those as near where it covers least of lines.
func (f *frame) namePoints() bool {
	var list []caption
	var taken []span
	for i := range f.panel.Marks {
		m := &f.panel.Marks[i]
		if m.Entry < 0 || f.ways[m.Entry] != atPoint {
			continue
		}
		for k := range m.X {
			if at, ok := f.point(m, k); ok {
				c := f.nameOf(m.Entry, f.wide*0.6)
				c.named = at
				list = append(list, c)
				taken = append(taken, around(at, f.pt(2)))
			}
		}
	}
	for _, c := range list {
		if !f.placed(&c, taken) {
			return false
		}
		from, to := f.box(&c.text)
		taken = append(taken, span{from, to})
		f.captions = append(f.captions, c)
	}
	return true
}

// rings are distances of names from points, in points of text; leading lines go to all but the
// first.
func rings() []float64 { return []float64{3.5, 9, 15, 22, 30, 40, 52, 66} }

// placed finds a place for the name of a point.
func (f *frame) placed(c *caption, taken []span) bool {
	for ring, r := range rings() {
		best, least := caption{}, math.MaxInt
		for k := range 16 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 16)
			try := *c
			try.led = ring > 0
			try.at = c.named.Add(vg.Point{X: f.pt(r * cos), Y: f.pt(r * sin)})
			try.across, try.down = (1-cos)/2, (1-sin)/2
			from, to := f.box(&try.text)
			here := span{from, to}
			free := from.X >= f.from.X && to.X <= f.to.X+f.pt(3) && from.Y >= f.from.Y &&
				to.Y <= f.to.Y
			if !free || slices.ContainsFunc(taken, here.overlaps) {
				continue
			}
			if n := f.covered(here); n < least {
				best, least = try, n
			}
		}
		if least < math.MaxInt {
			*c = best
			return true
		}
	}
	return false
}

// covered counts the points of lines, and points between these, that lie in a rectangle.
func (f *frame) covered(here span) (n int) {
	const between = 8
	for i := range f.panel.Marks {
		m := &f.panel.Marks[i]
		for k := 1; k < len(m.X) && m.Shape == chart.Line; k++ {
			a, okA := f.point(m, k-1)
			b, okB := f.point(m, k)
			for j := range between {
				at := a.Add(b.Sub(a).Scale(vg.Length(j) / between))
				if okA && okB && here.overlaps(around(at, 0.01)) {
					n++
				}
			}
		}
	}
	return n
}

// drawNames draws the names that stand in the panels, on white that lines shine through.
func (s *sheet) drawNames() {
	for _, c := range s.captions {
		from, to := s.box(&c.text)
		s.fill(translucent(color.NRGBA{255, 255, 255, 255}, 190), rectangle(from, to)...)
	}
	for _, c := range s.captions {
		if c.led {
			to := c.at
			if c.across == 0 {
				to.X -= s.pt(1.5)
			}
			s.stroke(line{translucent(c.look.color, 160), s.pt(0.5), nil}, c.named, to)
		}
	}
	for _, c := range s.captions {
		s.write(c.text)
	}
}
