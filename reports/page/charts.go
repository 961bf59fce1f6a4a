package page

import (
	"math"
	"slices"
	"strconv"

	"github.com/hansa-fl/hansa/reports/chart"
)

// mostMarked is how many points a mark has on a page: of more clients, some are left out.
const mostMarked = 300

// A pageChart is a chart.Chart as the scripts draw it.
type pageChart struct {
	Name   string  `json:"name"` // of files
	Panels []panel `json:"panels"`
	Square bool    `json:"square,omitempty"`
	Note   string  `json:"-"` // below the figure
}

type panel struct {
	Title string `json:"title"`
	X     axis   `json:"x"`
	Y     axis   `json:"y"`
	Marks []mark `json:"marks"`
}

type axis struct {
	Label string   `json:"label"`
	Names []string `json:"names,omitempty"`
	Log   bool     `json:"log,omitempty"`
	Zero  bool     `json:"zero,omitempty"`
}

type mark struct {
	Shape chart.Shape `json:"shape"`
	Entry int         `json:"e"`
	X     numbers     `json:"x,omitempty"` // nil: 0, 1, 2, …
	Y     numbers     `json:"y"`
	Low   numbers     `json:"low,omitempty"`
	High  numbers     `json:"high,omitempty"`
	Size  numbers     `json:"size,omitempty"`
}

// chartOf returns a chart with the entries of the page's legend.
func chartOf(c *chart.Chart, name string, entry func(chart.Entry) int) *pageChart {
	out := &pageChart{Name: name, Square: c.Square, Note: c.Note}
	every := 1
	for _, p := range c.Panels {
		q := panel{Title: p.Title, X: axisOf(p.X), Y: axisOf(p.Y)}
		for _, m := range p.Marks {
			e := -1
			if m.Entry >= 0 {
				e = entry(c.Legend[m.Entry])
			}
			thin, step := thinned(m)
			every = max(every, step)
			thin.Entry = e
			q.Marks = append(q.Marks, thin)
		}
		out.Panels = append(out.Panels, q)
	}
	if every > 1 {
		out.Note += "; of so many, every " + ordinal(every) + " client is drawn"
	}
	return out
}

// axisOf leaves out names that are the numbers where they stand.
func axisOf(a chart.Axis) axis {
	out := axis{a.Label, a.Names, a.Log, a.Zero}
	count := func(i int) bool { return a.Names[i] == strconv.Itoa(i) }
	for i := range a.Names {
		if !count(i) {
			return out
		}
	}
	out.Names = nil
	return out
}

// thinned returns a mark with every so many of its points; of Bubbles, of its clients.
func thinned(m chart.Mark) (mark, int) {
	var keep []int
	clients, every := len(m.X), 1
	if m.Shape == chart.Bubbles {
		clients = 1 + int(slices.Max(append([]float64{0}, m.X...)))
	}
	every = max(1, (clients+mostMarked-1)/mostMarked)
	for i := range m.X {
		client := i
		if m.Shape == chart.Bubbles {
			client = int(m.X[i])
		}
		if client%every == 0 && !(m.Shape == chart.Bubbles && m.Size[i] == 0) {
			keep = append(keep, i)
		}
	}
	out := mark{Shape: m.Shape, X: pick(m.X, keep), Y: pick(m.Y, keep), Low: pick(m.Low, keep),
		High: pick(m.High, keep), Size: pick(m.Size, keep)}
	if counts(out.X) {
		out.X = nil
	}
	return out, every
}

// counts reports whether a list is 0, 1, 2, …
func counts(list []float64) bool {
	for i, x := range list {
		if math.Abs(x-float64(i)) > 0 {
			return false
		}
	}
	return true
}

// ordinal writes 2nd, 3rd, 11th.
func ordinal(n int) string {
	suffix := "th"
	switch {
	case n/10%10 == 1:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return strconv.Itoa(n) + suffix
}
