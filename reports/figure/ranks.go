package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Ranks is a diagram of average ranks and of the critical difference (Demšar, JMLR 7, 2006):
// bars join methods that do not differ significantly.
type Ranks struct {
	Methods  []string
	Ranks    []float64 // by method, 1 is the best
	Critical float64   // difference of ranks that tells two methods apart; 0 for none
	Cliques  [][]int   // indices of methods without a significant difference
}

func (r *Ranks) words() []string { return r.Methods }

// A ladder is where the parts of Ranks are on a page.
type ladder struct {
	*Ranks
	*pen
	order  []int  // of methods, the best first
	labels []text // by place in the order
	side   vg.Length
	scale  scale
	top    vg.Length // of the axis
	bars   []int     // indices of cliques that are drawn
	first  vg.Length // the line of the first label
	pitch  vg.Length // from label to label
}

func (r *Ranks) laid(p *pen) *ladder {
	a := &ladder{Ranks: r, pen: p}
	for i := range r.Methods {
		a.order = append(a.order, i)
	}
	slices.SortStableFunc(a.order, func(i, k int) int {
		switch {
		case r.Ranks[i] < r.Ranks[k]:
			return -1
		case r.Ranks[i] > r.Ranks[k]:
			return 1
		}
		return 0
	})
	lines := 1
	for _, i := range a.order {
		t := text{lines: p.wrap(fmt.Sprintf("%s (%s)", r.Methods[i], number(r.Ranks[i], 2)),
			p.page.X*0.3, p.small()), size: p.small(), down: 0.5}
		w, _ := p.extent(&t)
		a.side, lines = max(a.side, w), max(lines, len(t.lines))
		a.labels = append(a.labels, t)
	}
	a.side += p.pt(8)
	a.scale = scale{low: 1, high: float64(max(2, len(r.Methods))),
		from: a.side, to: p.page.X - a.side}
	for i, c := range r.Cliques {
		if len(c) > 1 {
			a.bars = append(a.bars, i)
		}
	}
	a.top = p.pt(14)
	if r.Critical > 0 {
		a.top += p.pt(16)
	}
	a.first = a.top + p.pt(7) + vg.Length(len(a.bars))*p.pt(4) + p.pt(4)
	a.pitch = vg.Length(lines) * spacing * p.small()
	return a
}

// half is how many labels stand on the left.
func (a *ladder) half() int { return (len(a.order) + 1) / 2 }

func (r *Ranks) height(p *pen) vg.Length {
	a := r.laid(p)
	return a.first + vg.Length(a.half())*a.pitch + p.pt(2)
}

func (r *Ranks) draw(p *pen) {
	a := r.laid(p)
	thin, thick := line{color: black, width: p.pt(0.7)}, line{color: black, width: p.pt(2.4)}
	at := func(rank float64, y vg.Length) vg.Point { return vg.Point{X: a.scale.place(rank), Y: y} }
	p.stroke(thin, at(a.scale.low, a.top), at(a.scale.high, a.top))
	room := max(1, int((a.scale.to-a.scale.from)/p.pt(14))) // for numbers
	every := (int(a.scale.high) + room - 1) / room
	for rank := 1; rank <= int(a.scale.high); rank += every {
		x := float64(rank)
		p.stroke(thin, at(x, a.top), at(x, a.top-p.pt(3)))
		name := []string{fmt.Sprint(rank)}
		p.write(text{lines: name, at: at(x, a.top-p.pt(3)), across: 0.5, down: 1})
	}
	a.critical(thin)
	for k := range a.order {
		a.stem(k, thin)
	}
	for k, i := range a.bars {
		best, worst := a.scale.high, a.scale.low
		for _, m := range r.Cliques[i] {
			best, worst = min(best, r.Ranks[m]), max(worst, r.Ranks[m])
		}
		y := a.top + p.pt(5) + vg.Length(k)*p.pt(4)
		nudge := vg.Point{X: p.pt(2)}
		p.stroke(thick, at(best, y).Sub(nudge), at(worst, y).Add(nudge))
	}
}

// critical draws the critical difference, above the axis.
func (a *ladder) critical(thin line) {
	if a.Critical <= 0 {
		return
	}
	y := a.top - a.pt(16)
	from := vg.Point{X: a.scale.from, Y: y}
	to := vg.Point{X: min(a.scale.place(1+a.Critical), a.page.X-a.pt(2)), Y: y}
	a.stroke(thin, from, to)
	for _, end := range []vg.Point{from, to} {
		a.stroke(thin, end.Add(vg.Point{Y: -a.pt(2)}), end.Add(vg.Point{Y: a.pt(2)}))
	}
	a.write(text{lines: []string{"CD = " + number(a.Critical, 2)}, down: 1,
		at: vg.Point{X: from.X, Y: y - a.pt(2)}})
}

// stem draws the line from a method's rank to its label: the better half is on the left.
func (a *ladder) stem(k int, thin line) {
	x := a.scale.place(a.Ranks.Ranks[a.order[k]])
	row, end, across, gap := k, a.side-a.pt(4), 1., -a.pt(2)
	if k >= a.half() {
		row, end, across, gap = len(a.order)-1-k, a.page.X-a.side+a.pt(4), 0, a.pt(2)
	}
	y := a.first + (vg.Length(row)+0.5)*a.pitch
	a.stroke(thin, vg.Point{X: x, Y: a.top}, vg.Point{X: x, Y: y}, vg.Point{X: end, Y: y})
	t := a.labels[k]
	t.at, t.across = vg.Point{X: end + gap, Y: y}, across
	a.write(t)
}
