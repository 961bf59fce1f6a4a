package figure

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/verdict"
)

// Verdicts is a grid of the verdicts of claims: a row for each run, and in it a square for each
// claim, in the order of its file. Colours and symbols say the same.
type Verdicts struct {
	Rows []VerdictRow
}

// A VerdictRow is the claims of a run.
type VerdictRow struct {
	Label    string
	Verdicts []verdict.Outcome
}

func (v *Verdicts) words() []string {
	words := []string{"claim 0123456789"}
	for _, r := range v.Rows {
		words = append(words, r.Label)
	}
	return words
}

// verdictColor is that of a square. Each is as bright as no other.
func verdictColor(o verdict.Outcome) color.NRGBA {
	switch o {
	case verdict.Holds:
		return color.NRGBA{0, 158, 115, 255}
	case verdict.Refuted:
		return color.NRGBA{160, 60, 0, 255}
	case verdict.Undecided:
		return color.NRGBA{240, 200, 110, 255}
	case verdict.Incomparable:
		return color.NRGBA{150, 150, 150, 255}
	case verdict.NotJudged:
		return color.NRGBA{228, 228, 228, 255}
	}
	return color.NRGBA{255, 255, 255, 255}
}

// A docket is where the parts of Verdicts are on a page.
type docket struct {
	*Verdicts
	*pen
	labels []text
	side   vg.Length // where the squares begin
	cell   vg.Length // from one to the next
	across int       // squares in a line
	lines  []int     // of squares, by row
	high   []vg.Length
}

func (v *Verdicts) laid(p *pen) *docket {
	a := &docket{Verdicts: v, pen: p, cell: p.pt(12)}
	most := 1
	for _, r := range v.Rows {
		t := text{lines: p.wrap(r.Label, p.page.X*0.4, p.small()), size: p.small()}
		w, _ := p.extent(&t)
		a.side, most = max(a.side, w), max(most, len(r.Verdicts))
		a.labels = append(a.labels, t)
	}
	a.side += p.pt(6) + a.margin()
	a.across = min(most, max(1, int((p.page.X-a.side-p.pt(2))/a.cell)))
	for i, r := range v.Rows {
		lines := max(1, (len(r.Verdicts)+a.across-1)/a.across)
		_, h := p.extent(&a.labels[i])
		a.lines = append(a.lines, lines)
		a.high = append(a.high, max(h, vg.Length(lines)*a.cell)+p.pt(4))
	}
	return a
}

// margin is left of labels and squares, so that no edge of a square is cut off.
func (a *docket) margin() vg.Length { return a.pt(1) }

// head is how high the numbers of the claims are.
func (a *docket) head() vg.Length { return a.pt(14) }

// counts returns the words of the legend.
func (v *Verdicts) counts() (list []string) {
	for _, o := range verdict.Outcomes() {
		n := 0
		for _, r := range v.Rows {
			for _, found := range r.Verdicts {
				if found == o {
					n++
				}
			}
		}
		list = append(list, fmt.Sprintf("%s (%d)", o, n))
	}
	return list
}

// legend places the entries of the legend below a height, in as many lines as they need, and
// returns the height at which it ends.
func (a *docket) legend(y vg.Length, place func(i int, at vg.Point, word string)) vg.Length {
	x := a.margin()
	for i, word := range a.counts() {
		w := a.cell + a.pt(2) + a.fonts.width(word, a.small(), false) + a.pt(10)
		if x > a.margin() && x+w > a.page.X {
			x, y = a.margin(), y+a.cell+a.pt(2)
		}
		if place != nil {
			place(i, vg.Point{X: x, Y: y}, word)
		}
		x += w
	}
	return y + a.cell
}

func (v *Verdicts) height(p *pen) vg.Length {
	a := v.laid(p)
	y := a.head()
	for _, h := range a.high {
		y += h
	}
	return a.legend(y+p.pt(4), nil) + p.pt(3)
}

func (v *Verdicts) draw(p *pen) {
	a := v.laid(p)
	p.write(text{lines: []string{"claim"}, across: 1,
		at: vg.Point{X: a.side - p.pt(6), Y: p.pt(2)}})
	for k := range a.across {
		if n := k + 1; n == 1 || n%5 == 0 {
			p.write(text{lines: []string{strconv.Itoa(n)}, across: 0.5,
				at: vg.Point{X: a.side + (vg.Length(k)+0.5)*a.cell, Y: p.pt(2)}})
		}
	}
	y := a.head()
	for i, r := range v.Rows {
		t := a.labels[i]
		t.at = vg.Point{X: a.margin(), Y: y + p.pt(1)}
		p.write(t)
		for k, o := range r.Verdicts {
			a.square(o, vg.Point{X: a.side + vg.Length(k%a.across)*a.cell,
				Y: y + vg.Length(k/a.across)*a.cell})
		}
		y += a.high[i]
	}
	a.legend(y+p.pt(4), func(i int, at vg.Point, word string) {
		a.square(verdict.Outcomes()[i], at)
		p.write(text{lines: []string{word}, down: 0.5,
			at: vg.Point{X: at.X + a.cell + p.pt(2), Y: at.Y + a.cell/2 - p.pt(0.5)}})
	})
}

// square draws a verdict at its upper left corner: a tick, a cross, a question mark, a dash,
// a dot, or that two things are unequal.
func (a *docket) square(o verdict.Outcome, at vg.Point) {
	size := a.cell - a.pt(1.5)
	corners := rectangle(at, at.Add(vg.Point{X: size, Y: size}))
	a.fill(verdictColor(o), corners...)
	a.stroke(line{color: black, width: a.pt(0.5)}, append(corners, corners[0])...)
	on := func(x, y float64) vg.Point {
		return at.Add(vg.Point{X: size * vg.Length(x), Y: size * vg.Length(y)})
	}
	thin := line{color: black, width: a.pt(1)}
	white := line{color: color.White, width: a.pt(1.6)}
	switch o {
	case verdict.Holds:
		a.stroke(white, on(0.2, 0.52), on(0.42, 0.76), on(0.8, 0.26))
	case verdict.Refuted:
		a.stroke(white, on(0.24, 0.24), on(0.76, 0.76))
		a.stroke(white, on(0.24, 0.76), on(0.76, 0.24))
	case verdict.Undecided:
		a.write(text{lines: []string{"?"}, size: a.Text, bold: true, across: 0.5, down: 0.5,
			at: on(0.5, 0.48)})
	case verdict.Incomparable:
		a.stroke(thin, on(0.28, 0.4), on(0.72, 0.4))
		a.stroke(thin, on(0.28, 0.6), on(0.72, 0.6))
		a.stroke(thin, on(0.35, 0.78), on(0.65, 0.22))
	case verdict.NotJudged:
		a.fill(black, rectangle(on(0.42, 0.42), on(0.58, 0.58))...)
	default:
		a.stroke(thin, on(0.3, 0.5), on(0.7, 0.5))
	}
}
