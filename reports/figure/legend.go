package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// A legend is one for all panels, in rows above them.
type legend struct {
	*pen
	entries []key
	height  vg.Length
}

// A key is one entry of a legend.
type key struct {
	look
	text
	mark chart.Shape // of its first mark
}

// sample is how wide the sample of a line is.
func (l *legend) sample() vg.Length { return l.pt(16) }

// keys returns the entries that are named elsewhere than where they are. Those that are not
// highlighted have one in common.
func (p *pen) keys(c *chart.Chart, looks []look, ways []int) (list []key) {
	add := func(label string, i int) {
		room := p.page.X - 2*p.pt(2) - p.pt(16) - p.pt(3)
		list = append(list, key{looks[i], text{lines: p.wrap(label, room, p.small()),
			size: p.small(), down: 0.5}, firstShape(c, i)})
	}
	muted, last := 0, 0
	for i, e := range c.Legend {
		switch {
		case e.Muted:
			muted, last = muted+1, i
		case ways[i] == elsewhere && (len(c.Legend) > 1 || e.Label != ""):
			add(e.Label, i)
		}
	}
	switch {
	case muted == 1:
		add(c.Legend[last].Label, last)
	case muted > 1:
		add(fmt.Sprintf("%d others", muted), last)
	}
	return list
}

// legendOf lays a legend out, of the entries that are not named where they are. One entry without a
// name needs none.
func (p *pen) legendOf(c *chart.Chart, looks []look, ways []int) *legend {
	l := &legend{pen: p}
	keys := p.keys(c, looks, ways)
	if len(keys) == 0 {
		return l
	}
	type row struct {
		keys  []key
		width vg.Length
	}
	rows := []row{{}}
	gap, room := p.pt(8), p.page.X-2*p.pt(2)
	for _, k := range keys {
		w, _ := p.extent(&k.text)
		w += l.sample() + p.pt(3)
		last := &rows[len(rows)-1]
		if len(last.keys) > 0 && last.width+gap+w > room {
			rows = append(rows, row{})
			last = &rows[len(rows)-1]
		}
		if len(last.keys) > 0 {
			last.width += gap
		}
		last.keys, last.width = append(last.keys, k), last.width+w
	}
	l.height = p.pt(2)
	for _, r := range rows {
		x, high := (p.page.X-r.width)/2, vg.Length(0)
		for i := range r.keys {
			_, h := p.extent(&r.keys[i].text)
			high = max(high, h)
		}
		for _, k := range r.keys {
			w, _ := p.extent(&k.text)
			x += l.sample() + p.pt(3)
			k.at = vg.Point{X: x, Y: l.height + high/2}
			l.entries = append(l.entries, k)
			x += w + gap
		}
		l.height += high + p.pt(1)
	}
	return l
}

// firstShape returns the shape of the first mark of an entry that is more than a single seed.
func firstShape(c *chart.Chart, entry int) chart.Shape {
	for _, panel := range c.Panels {
		for _, m := range panel.Marks {
			if m.Entry == entry && m.Shape != chart.Faint {
				return m.Shape
			}
		}
	}
	return chart.Line
}

func (l *legend) draw() {
	for _, k := range l.entries {
		from := vg.Point{X: k.at.X - l.sample() - l.pt(3), Y: k.at.Y}
		to := vg.Point{X: k.at.X - l.pt(3), Y: k.at.Y}
		middle := vg.Point{X: (from.X + to.X) / 2, Y: k.at.Y}
		switch k.mark {
		case chart.Bars:
			half := vg.Point{X: l.pt(5), Y: l.pt(3)}
			l.bar(k.look, middle.Sub(half), middle.Add(half))
		case chart.Dots, chart.Bubbles:
			l.marker(k.look, middle, l.pt(2.2))
		case chart.Points:
			l.stroke(line{k.look.color, l.pt(1.1), k.dashes}, from, to)
			l.marker(k.look, middle, l.pt(2))
		default:
			l.stroke(line{k.look.color, l.pt(1.3), k.dashes}, from, to)
		}
		l.write(k.text)
	}
}
