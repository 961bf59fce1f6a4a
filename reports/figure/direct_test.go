package figure

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/hansa-fl/hansa/reports/chart"
)

// sheetOf lays a chart out in a size.
func sheetOf(t *testing.T, c Chart, size string) *sheet {
	t.Helper()
	s, ok := SizeNamed(size)
	if !ok {
		t.Fatal(size)
	}
	f, err := newFonts()
	if err != nil {
		t.Fatal(err)
	}
	p := &pen{Size: s, fonts: f, page: vg.Point{X: s.Width}}
	return c.laid(p)
}

// Names at the ends of lines do not overlap, are in the order of the ends, and lie on the page.
func TestNamesStandAtEnds(t *testing.T) {
	for _, methods := range []int{2, 5, 13} {
		s := sheetOf(t, descent(methods, 1), "double")
		if len(s.captions) != methods || len(s.legend.entries) != 0 {
			t.Fatalf("%d methods: %d names, and %d in the legend", methods, len(s.captions),
				len(s.legend.entries))
		}
		last := vg.Length(0)
		for _, c := range s.captions {
			from, to := s.box(&c.text)
			if from.Y < last-1e-6 || to.X > s.page.X || from.X < s.frames[0].to.X {
				t.Errorf("%d methods: %v lies from %v to %v", methods, c.lines, from, to)
			}
			last = to.Y
		}
	}
}

// Names beside single points overlap neither each other nor other points.
func TestNamesStandBesidePoints(t *testing.T) {
	c := &chart.Chart{Panels: []chart.Panel{{X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y"}}}}
	for k := range 9 {
		c.Legend = append(c.Legend, chart.Entry{Label: fmt.Sprintf("a method of number %d", k)})
		c.Panels[0].Marks = append(c.Panels[0].Marks, chart.Mark{Shape: chart.Points, Entry: k,
			X: []float64{float64(k % 3)}, Y: []float64{float64(k / 2)}})
	}
	s := sheetOf(t, Chart{c}, "column")
	if len(s.captions) != 9 || len(s.legend.entries) != 0 {
		t.Fatalf("%d names, and %d in the legend", len(s.captions), len(s.legend.entries))
	}
	for i, a := range s.captions {
		from, to := s.box(&a.text)
		for j, b := range s.captions {
			low, high := s.box(&b.text)
			if i != j && (span{from, to}).overlaps(span{low, high}) {
				t.Errorf("%v overlaps %v", a.lines, b.lines)
			}
			if (span{from, to}).overlaps(around(b.named, s.pt(1))) {
				t.Errorf("%v covers the point of %v", a.lines, b.lines)
			}
		}
	}
}

// A legend takes at most 15 % of a figure, however many entries it has.
func TestLegendsStaySmall(t *testing.T) {
	for _, methods := range []int{2, 8, 14} {
		for _, size := range []string{"column", "double", "slide"} {
			s := sheetOf(t, descent(methods, 4), size)
			total := s.top[len(s.top)-1]
			if share := s.legend.height / total; share > mostLegend+1e-6 && total < s.Most-1 {
				t.Errorf("%s, %d methods: the legend takes %.2f", size, methods, share)
			}
			if len(s.legend.entries) != methods {
				t.Errorf("%d entries, want %d", len(s.legend.entries), methods)
			}
		}
	}
}

// What is not highlighted is one entry of the legend, is not named, and lies below.
func TestOthersAreMuted(t *testing.T) {
	c := descent(6, 1)
	if err := c.Highlight([]string{"fedavg (K = 4)"}); err != nil {
		t.Fatal(err)
	}
	s := sheetOf(t, c, "column")
	if len(s.captions) != 1 || len(s.legend.entries) != 1 ||
		s.legend.entries[0].lines[0] != "5 others" {
		t.Errorf("%d names and %+v in the legend", len(s.captions), s.legend.entries)
	}
	if last := c.Panels[0].Marks[5]; last.Entry != 2 {
		t.Errorf("entry %d is drawn last", last.Entry)
	}
	if err := c.Highlight([]string{"FedAvg"}); err == nil {
		t.Error("an entry that there is not is highlighted")
	}
}

func TestApart(t *testing.T) {
	got := apart([]float64{1, 1.5, 9}, []float64{2, 2, 2}, 0, 10)
	for i, want := range []float64{1, 3, 9} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("middles %v", got)
		}
	}
	got = apart([]float64{9, 9, 9}, []float64{2, 2, 2}, 0, 10)
	if got[2] != 9 || got[1] != 7 || got[0] != 5 {
		t.Errorf("middles %v", got)
	}
}
