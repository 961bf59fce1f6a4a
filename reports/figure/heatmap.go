package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// HeatMap draws tables of numbers on a scale of colours, panel below panel.
type HeatMap struct{ *chart.HeatMap }

func (h HeatMap) words() []string {
	words := append(append([]string{h.Label}, h.Rows...), h.Cols...)
	for _, p := range h.Panels {
		words = append(words, p.Title)
	}
	return words
}

// A quilt is where the parts of a HeatMap are on a page.
type quilt struct {
	*chart.HeatMap
	*pen
	scale  scale
	digits int
	rows   []text // names
	cols   []text
	side   vg.Length // of the names of rows
	head   vg.Length // of the names of columns
	title  vg.Length // of a panel
	cell   vg.Point
}

func (h HeatMap) laid(p *pen) *quilt {
	q := &quilt{HeatMap: h.HeatMap, pen: p, scale: nothing(false)}
	for _, panel := range h.Panels {
		for _, x := range panel.Data {
			q.scale.include(x)
		}
	}
	q.scale.settle(0, 0)
	if most := max(math.Abs(q.scale.low), math.Abs(q.scale.high)); most > 0 {
		q.digits = min(max(2-int(math.Floor(math.Log10(most))), 0), 6)
	}
	for _, name := range h.Rows {
		t := text{lines: p.wrap(name, p.page.X*0.3, p.small()), size: p.small(), across: 1,
			down: 0.5}
		w, high := p.extent(&t)
		q.side, q.cell.Y = max(q.side, w), max(q.cell.Y, high)
		q.rows = append(q.rows, t)
	}
	q.side += p.pt(5)
	q.cell.X = (p.page.X - q.side - p.pt(1)) / vg.Length(max(1, len(h.Cols)))
	q.cell.Y = max(q.cell.Y+p.pt(2), p.pt(12))
	for _, name := range h.Cols {
		t := text{lines: p.wrap(name, q.cell.X-p.pt(2), p.small()), size: p.small(), across: 0.5,
			down: 1}
		_, high := p.extent(&t)
		q.head = max(q.head, high)
		q.cols = append(q.cols, t)
	}
	q.head += p.pt(2)
	for _, panel := range h.Panels {
		if panel.Title != "" {
			t := q.titled(panel.Title)
			_, high := p.extent(&t)
			q.title = max(q.title, high+p.pt(3))
		}
	}
	return q
}

// titled returns the title of a panel, to the left of it.
func (q *quilt) titled(title string) text {
	return text{lines: q.wrap(title, q.page.X-q.pt(2), q.Text), size: q.Text}
}

// pitch is how high a panel is.
func (q *quilt) pitch() vg.Length {
	return q.title + q.head + vg.Length(len(q.Rows))*q.cell.Y + q.pt(5)
}

// foot is how high the name of the scale is.
func (q *quilt) foot() vg.Length { return spacing*q.small() + q.pt(2) }

func (h HeatMap) height(p *pen) vg.Length {
	q := h.laid(p)
	return vg.Length(len(h.Panels))*q.pitch() + q.foot()
}

func (h HeatMap) draw(p *pen) {
	q := h.laid(p)
	for i := range h.Panels {
		q.panel(&h.Panels[i], vg.Length(i)*q.pitch())
	}
	q.write(text{lines: []string{h.Label}, size: q.small(), across: 0.5, down: 1,
		at: vg.Point{X: q.side + q.cell.X*vg.Length(len(h.Cols))/2, Y: q.page.Y - q.pt(1)}})
}

// panel draws a panel below a height.
func (q *quilt) panel(panel *chart.HeatPanel, top vg.Length) {
	if panel.Title != "" {
		q.write(q.titled(panel.Title).movedTo(vg.Point{X: q.pt(1), Y: top}))
	}
	from := vg.Point{X: q.side, Y: top + q.title + q.head}
	for c, t := range q.cols {
		q.write(t.movedTo(from.Add(vg.Point{X: (vg.Length(c) + 0.5) * q.cell.X, Y: -q.pt(2)})))
	}
	for r, t := range q.rows {
		y := from.Y + (vg.Length(r)+0.5)*q.cell.Y
		q.write(t.movedTo(vg.Point{X: q.side - q.pt(4), Y: y}))
		for c := range q.Cols {
			at := from.Add(vg.Point{X: vg.Length(c) * q.cell.X, Y: vg.Length(r) * q.cell.Y})
			q.patch(panel.Data[r*len(q.Cols)+c], at)
		}
	}
	to := from.Add(vg.Point{X: vg.Length(len(q.Cols)) * q.cell.X,
		Y: vg.Length(len(q.Rows)) * q.cell.Y})
	corners := rectangle(from, to)
	q.stroke(line{color: black, width: q.pt(0.5)}, append(corners, corners[0])...)
	if q.Apart > 0 {
		x := from.X + vg.Length(q.Apart)*q.cell.X
		q.stroke(line{color: black, width: q.pt(1.5)}, vg.Point{X: x, Y: from.Y},
			vg.Point{X: x, Y: to.Y})
	}
}

// patch draws one number on its colour; what is no number is grey.
func (q *quilt) patch(x float64, at vg.Point) {
	k, ink, word := color.NRGBA{R: 170, G: 170, B: 170, A: 255}, color.Color(color.Black), "–"
	if v, ok := q.scale.on(x); ok {
		t := (v - q.scale.low) / (q.scale.high - q.scale.low)
		k, word = colours(t), number(x, q.digits)
		if t > 0.45 { // white is more legible on what is darker
			ink = color.White
		}
	}
	q.fill(k, rectangle(at, at.Add(q.cell))...)
	q.write(text{lines: []string{word}, size: q.small(), color: ink, across: 0.5, down: 0.5,
		at: at.Add(q.cell.Scale(0.5))})
}

// movedTo returns a text at another place.
func (t text) movedTo(at vg.Point) text {
	t.at = at
	return t
}
