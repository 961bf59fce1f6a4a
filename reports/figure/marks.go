package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// mark draws a mark.
func (f *frame) mark(m *chart.Mark) {
	l := look{color: hues()[0]}
	if m.Entry >= 0 {
		l = f.looks[m.Entry]
	}
	dull := m.Entry >= 0 && f.chart.Legend[m.Entry].Muted
	switch m.Shape {
	case chart.Line:
		width := f.pt(1.1)
		if dull {
			width = f.pt(0.6)
		} else {
			f.band(m, l)
		}
		f.strokes(m, line{l.color, width, l.dashes})
	case chart.Faint:
		f.strokes(m, line{translucent(l.color, 90), f.pt(0.5), nil})
	case chart.Points:
		shift := f.dodge(m.Entry)
		f.whiskers(m, l, shift)
		if f.panel.X.Names == nil { // categories have no order in which to join them
			f.strokes(m, line{l.color, f.pt(1), l.dashes})
		}
		f.markers(m, l, f.pt(2.1), shift)
	case chart.Dots:
		f.markers(m, l, min(max(f.wide/vg.Length(len(m.X)+1)*0.6, f.pt(0.7)), f.pt(1.8)), 0)
	case chart.Bars:
		f.bars(m, l)
	case chart.Across:
		f.intervals(m, l)
	case chart.Bubbles:
		f.bubbles(m, l)
	case chart.Upright:
		for _, at := range m.X {
			x, _ := f.x.at(at)
			f.stroke(line{grey, f.pt(0.6), []vg.Length{f.pt(3), f.pt(2)}},
				vg.Point{X: x, Y: f.from.Y}, vg.Point{X: x, Y: f.to.Y})
		}
	case chart.Diagonal:
		f.diagonal()
	}
}

// point returns where a point of a mark is, and whether it can be shown.
func (f *frame) point(m *chart.Mark, i int) (vg.Point, bool) {
	x, okX := f.x.at(m.X[i])
	y, okY := f.y.at(m.Y[i])
	return vg.Point{X: x, Y: y}, okX && okY
}

// strokes draws the line of a mark, with a gap where a point cannot be shown. A point between
// two gaps is a dot.
func (f *frame) strokes(m *chart.Mark, l line) {
	var run []vg.Point
	end := func() {
		if len(run) == 1 {
			f.canvas.SetColor(l.color)
			f.disc(l.color, run[0], max(l.width, f.pt(1.2)))
		}
		f.stroke(l, run...)
		run = nil
	}
	for i := range m.X {
		if at, ok := f.point(m, i); ok {
			run = append(run, at)
		} else {
			end()
		}
	}
	end()
}

// opacity is that of a band: several that overlap stay as light as few.
func (f *frame) opacity() uint8 {
	bands := 0
	for _, m := range f.panel.Marks {
		if m.Shape == chart.Line && m.Low != nil && !f.chart.Legend[max(0, m.Entry)].Muted {
			bands++
		}
	}
	return uint8(50 * 3 / max(3, bands))
}

// band fills what lies between Low and High, with gaps where there is nothing between them.
func (f *frame) band(m *chart.Mark, l look) {
	var above, below []vg.Point
	end := func() {
		if len(above) > 1 {
			for i := len(below) - 1; i >= 0; i-- {
				above = append(above, below[i])
			}
			f.fill(translucent(l.color, f.opacity()), above...)
		}
		above, below = nil, nil
	}
	for i := range m.Low {
		at, ok := f.point(m, i)
		if !ok || math.IsNaN(m.Low[i]) || math.IsNaN(m.High[i]) {
			end()
			continue
		}
		above = append(above, vg.Point{X: at.X, Y: f.y.edge(m.High[i])})
		below = append(below, vg.Point{X: at.X, Y: f.y.edge(m.Low[i])})
	}
	end()
}

// dodge is how far the markers of an entry stand from the middle of their category, where there are
// categories, so that those of several entries lie beside each other.
func (f *frame) dodge(entry int) vg.Length {
	names, n := len(f.panel.X.Names), len(f.chart.Legend)
	if names == 0 || n < 2 || entry < 0 {
		return 0
	}
	each := min(f.wide/vg.Length(names)*0.7/vg.Length(n), f.pt(6))
	return each * (vg.Length(entry) - vg.Length(n-1)/2)
}

// markers draws the points of a mark, shifted by a length.
func (f *frame) markers(m *chart.Mark, l look, radius, shift vg.Length) {
	for i := range m.X {
		if at, ok := f.point(m, i); ok {
			at.X += shift
			f.marker(l, at, radius)
		}
	}
}

// whiskers draws upright intervals, shifted by a length.
func (f *frame) whiskers(m *chart.Mark, l look, shift vg.Length) {
	thin := line{l.color, f.pt(0.7), nil}
	for i := range m.Low {
		at, ok := f.point(m, i)
		if !ok || math.IsNaN(m.Low[i]) || math.IsNaN(m.High[i]) {
			continue
		}
		at.X += shift
		low, high := f.y.edge(m.Low[i]), f.y.edge(m.High[i])
		f.stroke(thin, vg.Point{X: at.X, Y: low}, vg.Point{X: at.X, Y: high})
		for _, y := range []vg.Length{low, high} {
			f.stroke(thin, vg.Point{X: at.X - f.pt(1.6), Y: y}, vg.Point{X: at.X + f.pt(1.6), Y: y})
		}
	}
}

// bars draws bars beside those of other entries.
func (f *frame) bars(m *chart.Mark, l look) {
	n := len(f.chart.Legend)
	pitch := f.wide / vg.Length(max(1, len(f.panel.X.Names)))
	each := min(pitch*0.82/vg.Length(n), f.pt(26))
	shift := each * (vg.Length(m.Entry) - vg.Length(n-1)/2)
	base := f.y.edge(0)
	for i := range m.X {
		at, ok := f.point(m, i)
		if !ok {
			continue
		}
		half := each * 0.46
		f.bar(l, vg.Point{X: at.X + shift - half, Y: min(at.Y, base)},
			vg.Point{X: at.X + shift + half, Y: max(at.Y, base)})
	}
	dark := l
	dark.color = black
	if l.color == black {
		dark.color = grey
	}
	f.whiskers(m, dark, shift)
}

// bar fills a rectangle; its hatching tells it from others where there are no colours.
func (p *pen) bar(l look, from, to vg.Point) {
	p.fill(l.color, rectangle(from, to)...)
	white := line{color.White, p.pt(0.5), nil}
	step := p.pt(2.6)
	switch l.shape % 4 {
	case 1:
		for y := from.Y + step; y < to.Y; y += step {
			p.stroke(white, vg.Point{X: from.X, Y: y}, vg.Point{X: to.X, Y: y})
		}
	case 2, 3:
		wide, high := to.X-from.X, to.Y-from.Y
		for d := step; d < wide+high; d += 1.4 * step { // x + y = d, from the lower left
			x0, x1 := max(0, d-high), min(d, wide)
			a, b := vg.Point{X: x0, Y: to.Y - (d - x0)}, vg.Point{X: x1, Y: to.Y - (d - x1)}
			if l.shape%4 == 3 {
				a.X, b.X = wide-a.X, wide-b.X
			}
			p.stroke(white, a.Add(vg.Point{X: from.X}), b.Add(vg.Point{X: from.X}))
		}
	}
}

// intervals draws markers with intervals across.
func (f *frame) intervals(m *chart.Mark, l look) {
	l.shape = 1
	thin := line{l.color, f.pt(1), nil}
	for i := range m.X {
		at, ok := f.point(m, i)
		if !ok {
			continue
		}
		if !math.IsNaN(m.Low[i]) && !math.IsNaN(m.High[i]) {
			low, high := f.x.edge(m.Low[i]), f.x.edge(m.High[i])
			f.stroke(thin, vg.Point{X: low, Y: at.Y}, vg.Point{X: high, Y: at.Y})
			for _, x := range []vg.Length{low, high} {
				f.stroke(thin, vg.Point{X: x, Y: at.Y - f.pt(2)}, vg.Point{X: x, Y: at.Y + f.pt(2)})
			}
		}
		f.marker(l, at, f.pt(2.2))
	}
}

// bubbles draws circles, the largest of which just touch.
func (f *frame) bubbles(m *chart.Mark, l look) {
	across := f.wide / vg.Length(max(1, len(f.panel.X.Names)))
	down := (f.to.Y - f.from.Y) / vg.Length(max(1, len(f.panel.Y.Names)))
	largest := min(max(across, down*0.6), max(down, across*0.6)) * 0.5
	for i := range m.X {
		if at, ok := f.point(m, i); ok && m.Size[i] > 0 {
			f.disc(translucent(l.color, 200), at, largest*vg.Length(math.Sqrt(m.Size[i])))
		}
	}
}

// diagonal draws the line on which both axes have the same number.
func (f *frame) diagonal() {
	low, high := max(f.x.low, f.y.low), min(f.x.high, f.y.high)
	if low < high {
		f.stroke(line{grey, f.pt(0.6), []vg.Length{f.pt(3), f.pt(2)}},
			vg.Point{X: f.x.place(low), Y: f.y.place(low)},
			vg.Point{X: f.x.place(high), Y: f.y.place(high)})
	}
}
