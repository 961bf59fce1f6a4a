package figure

import "gonum.org/v1/plot/vg"

// axes draws the grid of a panel, its ticks, names, labels and title.
func (f *frame) axes() {
	rule, thin := line{color: faint, width: f.pt(0.4)}, line{color: black, width: f.pt(0.5)}
	for i, t := range f.xticks {
		x := f.x.place(t.value)
		long := f.pt(1.5)
		if len(f.xnames[i]) > 0 && f.xnames[i][0] != "" {
			long = f.pt(2.5)
			if f.panel.X.Names == nil {
				f.stroke(rule, vg.Point{X: x, Y: f.from.Y}, vg.Point{X: x, Y: f.to.Y})
			}
			name := f.tickText(t, f.xnames[i])
			name.at, name.across = vg.Point{X: x, Y: f.to.Y + f.pt(3.5)}, 0.5
			f.write(name)
		}
		f.stroke(thin, vg.Point{X: x, Y: f.to.Y}, vg.Point{X: x, Y: f.to.Y + long})
	}
	for i, t := range f.yticks {
		y := f.y.place(t.value)
		long := f.pt(1.5)
		if f.ynames[i][0] != "" {
			long = f.pt(2.5)
			f.stroke(rule, vg.Point{X: f.from.X, Y: y}, vg.Point{X: f.to.X, Y: y})
			name := f.tickText(t, f.ynames[i])
			name.at, name.across, name.down = vg.Point{X: f.from.X - f.pt(4), Y: y}, 1, 0.5
			f.write(name)
		}
		f.stroke(thin, vg.Point{X: f.from.X, Y: y}, vg.Point{X: f.from.X - long, Y: y})
	}
	f.write(f.title)
	f.xlabel.at = vg.Point{X: f.middle(&f.xlabel), Y: f.to.Y + f.names()}
	f.write(f.xlabel)
	f.ylabel.at = vg.Point{X: f.from.X - f.left() + f.pt(2), Y: (f.from.Y + f.to.Y) / 2}
	_, h := f.extent(&f.ylabel)
	f.ylabel.at.Y = min(max(f.ylabel.at.Y, h/2+f.pt(1)), f.page.Y-h/2-f.pt(1))
	f.write(f.ylabel)
}

// middle is where the label below a panel has its middle: that of the panel, unless it would
// leave the page.
func (f *frame) middle(t *text) vg.Length {
	w, _ := f.extent(t)
	x := (f.from.X + f.to.X) / 2
	return max(min(x, f.page.X-w/2-f.pt(1)), w/2+f.pt(1))
}

// border draws the two lines of the axes, over all marks.
func (f *frame) border() {
	f.stroke(line{color: black, width: f.pt(0.6)}, f.from, vg.Point{X: f.from.X, Y: f.to.Y}, f.to)
}
