package figure

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Matrices are arrays as pictures on one scale of colours, such as transport plans. Of those with
// more than 128 rows or columns a pixel is the largest of several entries, see Pooled: pixels
// that are too small to be seen would be lost in print.
type Matrices struct {
	Panels []Matrix
	Label  string // of the scale
}

// A Matrix is one of them. Its first row is at the top.
type Matrix struct {
	Title      string
	Rows, Cols int
	Data       []float64 // row by row
}

// Pooled returns how many rows and columns make one pixel.
func (m *Matrix) Pooled() int {
	const most = 128
	return max(1, (max(m.Rows, m.Cols)+most-1)/most)
}

func (m *Matrices) words() []string {
	words := []string{m.Label}
	for _, p := range m.Panels {
		words = append(words, p.Title)
	}
	return words
}

// colours returns the scale of colours, from white to dark blue: it falls in brightness
// throughout, so that it reads the same in grey.
func colours(t float64) color.NRGBA {
	low, high := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 114, 178, 255}
	t = min(max(t, 0), 1) / 0.6
	if t > 1 {
		low, high, t = high, color.NRGBA{0, 32, 84, 255}, (t-1)/(1/0.6-1)
	}
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + t*(float64(b)-float64(a))))
	}
	return color.NRGBA{mix(low.R, high.R), mix(low.G, high.G), mix(low.B, high.B), 255}
}

// A plate is where the parts of Matrices are on a page.
type plate struct {
	*Matrices
	*pen
	scale  scale
	across int // panels in a row
	width  vg.Length
	head   vg.Length // of titles
	titles []text
	names  []tick // of the scale
	label  text
	bar    vg.Length // how wide the scale is, with its names
}

func (m *Matrices) laid(p *pen) *plate {
	a := &plate{Matrices: m, pen: p, scale: nothing(false)}
	a.scale.include(0)
	for _, panel := range m.Panels {
		for _, x := range panel.Data {
			a.scale.include(x)
		}
	}
	a.scale.settle(0, 0)
	a.names = a.scale.ticks(4)
	widest := vg.Length(0)
	for _, t := range a.names {
		widest = max(widest, p.fonts.width(t.label, p.small(), false))
	}
	a.label = text{lines: p.wrap(m.Label, p.pt(90), p.small()), size: p.small(), turned: true,
		across: 0.5, down: 1}
	if power := a.scale.power(); power != 0 {
		a.label.lines[len(a.label.lines)-1] += " ×10"
		a.label.raised = number(float64(power), 0)
	}
	thick, _ := p.extent(&a.label)
	a.bar = p.pt(6) + p.pt(8) + p.pt(4) + widest + p.pt(2) + thick + p.pt(1)
	n := max(1, len(m.Panels))
	rows := (n + max(1, int(p.page.X/p.pt(100))) - 1) / max(1, int(p.page.X/p.pt(100)))
	a.across = (n + rows - 1) / rows
	a.width = (p.page.X - a.bar - p.pt(2)) / vg.Length(a.across)
	for _, panel := range m.Panels {
		t := text{size: p.Text, across: 0.5, down: 1}
		if panel.Title != "" {
			t.lines = p.wrap(panel.Title, a.width-p.pt(6), p.Text)
		}
		_, h := p.extent(&t)
		a.head = max(a.head, h)
		a.titles = append(a.titles, t)
	}
	return a
}

// area returns how wide and high the pictures are: all of them as the highest one needs.
func (a *plate) area() vg.Point {
	wide := a.width - a.pt(6)
	ratio := 0.
	for _, m := range a.Panels {
		if m.Rows > 0 && m.Cols > 0 {
			ratio = max(ratio, float64(m.Rows)/float64(m.Cols))
		}
	}
	return vg.Point{X: wide, Y: wide * vg.Length(min(max(ratio, 0.3), 1.5))}
}

func (a *plate) rows() int { return (len(a.Panels) + a.across - 1) / a.across }

// pitch is how high a row of panels is.
func (a *plate) pitch() vg.Length { return a.head + a.pt(4) + a.area().Y + a.pt(4) }

func (m *Matrices) height(p *pen) vg.Length {
	a := m.laid(p)
	return vg.Length(a.rows())*a.pitch() + p.pt(4)
}

func (m *Matrices) draw(p *pen) {
	a := m.laid(p)
	area, frame := a.area(), line{color: black, width: p.pt(0.5)}
	for i := range m.Panels {
		x := p.pt(2) + vg.Length(i%a.across)*a.width
		from := vg.Point{X: x, Y: vg.Length(i/a.across)*a.pitch() + a.head + p.pt(4)}
		t := a.titles[i]
		t.at = vg.Point{X: x + area.X/2, Y: from.Y - p.pt(2)}
		p.write(t)
		panel := &m.Panels[i]
		if panel.Rows == 0 || panel.Cols == 0 {
			continue
		}
		cell := min(area.X/vg.Length(panel.Cols), area.Y/vg.Length(panel.Rows))
		size := vg.Point{X: cell * vg.Length(panel.Cols), Y: cell * vg.Length(panel.Rows)}
		from = from.Add(area.Sub(size).Scale(0.5))
		p.picture(a.painted(panel), from, from.Add(size))
		corners := rectangle(from, from.Add(size))
		p.stroke(frame, append(corners, corners[0])...)
	}
	a.key()
}

// painted returns a matrix as a picture. What is no number is grey.
func (a *plate) painted(m *Matrix) image.Image {
	k := m.Pooled()
	rows, cols := (m.Rows+k-1)/k, (m.Cols+k-1)/k
	pixels := make([]float64, rows*cols)
	for i := range pixels {
		pixels[i] = math.Inf(-1)
	}
	for i, x := range m.Data {
		at := i/m.Cols/k*cols + i%m.Cols/k
		if x > pixels[at] || math.IsNaN(x) {
			pixels[at] = x
		}
	}
	picture := image.NewNRGBA(image.Rect(0, 0, cols, rows))
	for i, x := range pixels {
		k := color.NRGBA{R: 170, G: 170, B: 170, A: 255}
		if v, ok := a.scale.on(x); ok {
			k = colours((v - a.scale.low) / (a.scale.high - a.scale.low))
		}
		picture.SetNRGBA(i%cols, i/cols, k)
	}
	return picture
}

// key draws the scale of colours, to the right of all panels.
func (a *plate) key() {
	high := min(max(a.area().Y, a.pt(60)), a.page.Y-a.head-a.pt(8))
	from := vg.Point{X: a.page.X - a.bar + a.pt(6), Y: a.head + a.pt(4)}
	to := from.Add(vg.Point{X: a.pt(8), Y: high})
	ramp := image.NewNRGBA(image.Rect(0, 0, 1, 256))
	for y := range 256 {
		ramp.SetNRGBA(0, y, colours(1-float64(y)/255))
	}
	a.picture(ramp, from, to)
	thin := line{color: black, width: a.pt(0.5)}
	corners := rectangle(from, to)
	a.stroke(thin, append(corners, corners[0])...)
	a.scale.from, a.scale.to = to.Y, from.Y
	for _, t := range a.names {
		y := a.scale.place(t.value)
		a.stroke(thin, vg.Point{X: to.X, Y: y}, vg.Point{X: to.X + a.pt(2), Y: y})
		a.write(text{lines: []string{t.label}, size: a.small(), down: 0.5,
			at: vg.Point{X: to.X + a.pt(4), Y: y}})
	}
	a.label.at = vg.Point{X: a.page.X - a.pt(1), Y: (from.Y + to.Y) / 2}
	_, h := a.extent(&a.label)
	a.label.at.Y = max(a.label.at.Y, h/2+a.pt(1))
	a.write(a.label)
}
