package figure

import (
	"image"
	"image/color"

	xdraw "golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
)

// Images is a grid of pictures, such as the data of clients before and after a preprocessor.
type Images struct {
	Columns []Heading
	Rows    []string        // labels of the rows, such as clients
	Cells   [][]image.Image // by row and column; nil where there is none
	Caption string          // below the grid; "" for none
}

// A Heading is what stands above a column. Neighbours with the same group that is not empty
// share it, above a line.
type Heading struct{ Group, Label string }

// enlarged returns a picture as it is drawn at a width: each of its pixels becomes so many that
// smoothing in a viewer changes only their edges.
func enlarged(m image.Image, width vg.Length) image.Image {
	const perInch = 300
	b := m.Bounds()
	if b.Empty() {
		return m
	}
	times := max(1, int(width/vg.Inch*perInch)/b.Dx())
	size := image.Rect(0, 0, b.Dx()*times, b.Dy()*times)
	var large xdraw.Image = image.NewNRGBA(size)
	if m.ColorModel() == color.GrayModel {
		large = image.NewGray(size)
	}
	xdraw.NearestNeighbor.Scale(large, size, m, b, xdraw.Src, nil)
	return large
}

// An album is where the parts of Images are on a page.
type album struct {
	*Images
	*pen
	labels  []text // of rows
	heads   []text // of columns
	groups  []text // over columns; without lines where there is none
	caption text
	left    []vg.Length // of columns
	top     vg.Length   // of the first row
	cell    vg.Point    // size of one
	gap     vg.Length   // between rows
}

func (m *Images) words() []string {
	words := append([]string{m.Caption}, m.Rows...)
	for _, c := range m.Columns {
		words = append(words, c.Group, c.Label)
	}
	return words
}

func (m *Images) height(p *pen) vg.Length { return m.laid(p).bottom() }

// laid lays the grid out.
func (m *Images) laid(p *pen) *album {
	a := &album{Images: m, pen: p, gap: p.pt(2)}
	side := a.label()
	a.cells(side)
	a.head()
	a.caption = text{lines: p.wrap(m.Caption, p.page.X-2*p.pt(2), p.small()), size: p.small()}
	if m.Caption == "" {
		a.caption.lines = nil
	}
	return a
}

// label breaks the labels of rows, and returns how wide they are.
func (a *album) label() (side vg.Length) {
	for _, s := range a.Rows {
		t := text{lines: a.wrap(s, a.Width*0.3, a.small()), size: a.small(), across: 1, down: 0.5}
		a.labels = append(a.labels, t)
		w, _ := a.extent(&t)
		side = max(side, w)
	}
	return side + a.pt(7)
}

// cells finds the size of a cell and where the columns are.
func (a *album) cells(side vg.Length) {
	wide, high := a.shape()
	free := a.Width - side - a.pt(2)
	var between []vg.Length // before each column
	for c, h := range a.Columns {
		space := vg.Length(0)
		switch {
		case c == 0:
		case h.Group != a.Columns[c-1].Group:
			space = a.pt(7)
		default:
			space = a.pt(2)
		}
		between = append(between, space)
		free -= space
	}
	n := vg.Length(max(1, len(a.Columns)))
	width := min(free/n, a.pt(90))
	if rows := vg.Length(len(a.Rows)); rows > 0 {
		most := (a.Most - rows*a.gap) / rows * vg.Length(wide) / vg.Length(high)
		width = min(width, max(most, a.pt(12)))
	}
	a.cell = vg.Point{X: width, Y: width * vg.Length(high) / vg.Length(wide)}
	x := side + (free-n*width)/2
	for _, space := range between {
		x += space
		a.left = append(a.left, x)
		x += width
	}
}

// shape returns the width and height of the first picture.
func (a *album) shape() (wide, high int) {
	for _, row := range a.Cells {
		for _, m := range row {
			if m != nil && !m.Bounds().Empty() {
				return m.Bounds().Dx(), m.Bounds().Dy()
			}
		}
	}
	return 1, 1
}

// head breaks the headings, and finds where the rows begin.
func (a *album) head() {
	var heads, groups vg.Length // heights
	for c, h := range a.Columns {
		t := a.above(h.Label, a.cell.X+a.pt(1))
		a.heads = append(a.heads, t)
		_, high := a.extent(&t)
		heads = max(heads, high)
		if c > 0 && h.Group == a.Columns[c-1].Group {
			h.Group = "" // it stands above already
		}
		t = a.above(h.Group, a.left[a.last(c)]+a.cell.X-a.left[c]+a.pt(4))
		a.groups = append(a.groups, t)
		_, high = a.extent(&t)
		groups = max(groups, high)
	}
	a.top = a.pt(2) + groups + heads + a.pt(2)
	if groups > 0 {
		a.top += a.pt(3)
	}
}

// above returns a heading, in letters that are a little smaller where a word would have to break.
func (a *album) above(s string, width vg.Length) text {
	t := text{size: a.small(), across: 0.5, down: 1}
	if s == "" {
		return t
	}
	for _, word := range words(s) {
		for t.size > 0.75*a.small() && a.fonts.width(word, t.size, false) > width {
			t.size *= 0.95
		}
	}
	t.lines = a.wrap(s, width, t.size)
	return t
}

// last returns the last column of the group that a column belongs to.
func (a *album) last(c int) int {
	for c+1 < len(a.Columns) && a.Columns[c+1].Group == a.Columns[c].Group {
		c++
	}
	return c
}

// row returns the upper edge of a row.
func (a *album) row(r int) vg.Length { return a.top + vg.Length(r)*(a.pitch()+a.gap) }

// pitch is how high a row is: a label may need more than a picture.
func (a *album) pitch() vg.Length {
	high := a.cell.Y
	for i := range a.labels {
		_, h := a.extent(&a.labels[i])
		high = max(high, h)
	}
	return high
}

func (a *album) bottom() vg.Length {
	y := a.row(len(a.Rows))
	if _, high := a.extent(&a.caption); high > 0 {
		y += a.pt(3) + high
	}
	return y + a.pt(1)
}

func (m *Images) draw(p *pen) {
	a := m.laid(p)
	a.headings()
	for r, t := range a.labels {
		middle := a.row(r) + a.pitch()/2
		t.at = vg.Point{X: a.left[0] - a.pt(5), Y: middle}
		p.write(t)
		for c, x := range a.left {
			if r < len(m.Cells) && c < len(m.Cells[r]) && m.Cells[r][c] != nil {
				a.place(m.Cells[r][c], vg.Point{X: x, Y: middle - a.cell.Y/2})
			}
		}
	}
	a.caption.at = vg.Point{X: p.pt(2), Y: a.row(len(m.Rows)) + p.pt(3)}
	p.write(a.caption)
}

// headings writes what stands above the columns.
func (a *album) headings() {
	base := a.top - a.pt(2)
	heads := vg.Length(0)
	for c, t := range a.heads {
		t.at = vg.Point{X: a.left[c] + a.cell.X/2, Y: base}
		a.write(t)
		_, high := a.extent(&t)
		heads = max(heads, high)
	}
	for c, t := range a.groups {
		if len(t.lines) == 0 {
			continue
		}
		from, to := a.left[c], a.left[a.last(c)]+a.cell.X
		y := base - heads - a.pt(1)
		a.stroke(line{color: color.Black, width: a.pt(0.5)},
			vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
		t.at = vg.Point{X: (from + to) / 2, Y: y - a.pt(1)}
		a.write(t)
	}
}

// place draws a picture into a cell, as large as fits.
func (a *album) place(m image.Image, at vg.Point) {
	b := m.Bounds()
	if b.Empty() {
		return
	}
	scale := min(a.cell.X/vg.Length(b.Dx()), a.cell.Y/vg.Length(b.Dy()))
	size := vg.Point{X: scale * vg.Length(b.Dx()), Y: scale * vg.Length(b.Dy())}
	from := at.Add(a.cell.Sub(size).Scale(0.5))
	a.picture(m, from, from.Add(size))
}
