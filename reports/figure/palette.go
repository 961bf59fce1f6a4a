package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

var (
	black = color.NRGBA{A: 255}
	grey  = color.NRGBA{R: 120, G: 120, B: 120, A: 255}
	faint = color.NRGBA{R: 225, G: 225, B: 225, A: 255}
	muted = color.NRGBA{R: 175, G: 175, B: 175, A: 255}
)

// hues are Okabe and Ito's colours without yellow, which is not seen on white.
func hues() []color.NRGBA {
	return []color.NRGBA{
		{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255},
	}
}

// dashes are patterns of lines, in points; the first is none.
func dashes() [][]float64 {
	return [][]float64{nil, {4, 2}, {1.2, 1.6}, {5, 1.5, 1, 1.5}, {8, 3}, {2.5, 1}}
}

// shapes is the number of shapes of markers.
const shapes = 6

// A Style is how an entry of a legend is drawn. No two of 42 look the same, with colours or
// without: entries that share a colour differ in dashes and shape.
type Style struct {
	Color  color.NRGBA
	Dashes []float64 // in points where text has 8 points; nil for none
	Shape  int       // of markers
}

// Styles returns how the entries of a legend are drawn.
func Styles(entries []chart.Entry) []Style {
	list := make([]Style, len(entries))
	hued, dull := 0, 0
	for i, e := range entries {
		k, hue := hued, color.NRGBA{}
		if e.Muted {
			list[i] = Style{Color: muted}
			continue
		}
		if e.Grey {
			k, hue = dull, grey
			dull++
		} else {
			hue = hues()[k%len(hues())]
			hued++
		}
		turn := k%len(hues()) + k/len(hues())
		list[i] = Style{hue, dashes()[turn%len(dashes())], turn % shapes}
	}
	return list
}

// A look is a Style at the size of a page.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	shape  int
}

// looks returns how the entries of a legend are drawn on the page of the pen.
func (p *pen) looks(entries []chart.Entry) []look {
	list := make([]look, len(entries))
	for i, s := range Styles(entries) {
		list[i] = look{color: s.Color, shape: s.Shape}
		for _, d := range s.Dashes {
			list[i].dashes = append(list[i].dashes, p.pt(d))
		}
	}
	return list
}

// translucent returns a colour through which others are seen.
func translucent(k color.NRGBA, opacity uint8) color.NRGBA {
	k.A = opacity
	return k
}

// marker draws a marker, all of whose shapes look equally large.
func (p *pen) marker(l look, at vg.Point, radius vg.Length) {
	corners := func(n int, turn, scale float64) (list []vg.Point) {
		for i := range n {
			sin, cos := math.Sincos(2*math.Pi*(float64(i)/float64(n)+turn) - math.Pi/2)
			r := radius * vg.Length(scale)
			list = append(list, at.Add(vg.Point{X: r * vg.Length(cos), Y: r * vg.Length(sin)}))
		}
		return list
	}
	switch l.shape {
	case 0:
		p.disc(l.color, at, radius)
	case 1:
		p.fill(l.color, corners(4, 1./8, 1.25)...)
	case 2:
		p.fill(l.color, corners(3, 0, 1.4)...)
	case 3:
		p.fill(l.color, corners(4, 0, 1.35)...)
	case 4:
		p.fill(l.color, corners(3, 0.5, 1.4)...)
	default:
		p.fill(l.color, corners(5, 0, 1.25)...)
	}
}
