package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/chart"
)

// descent is an example of curves: panels of lines with bands on a logarithmic axis, on which
// not everything can be shown.
func descent(methods, panels int) Chart {
	c := &chart.Chart{}
	for k := range methods {
		c.Legend = append(c.Legend, chart.Entry{Label: fmt.Sprintf("FedAvg (K = %d)", k+2),
			Grey: k == 0})
	}
	for p := range panels {
		panel := chart.Panel{Title: fmt.Sprintf("α = %g", math.Pow(10, float64(-p))),
			X: chart.Axis{Label: "round"}, Y: chart.Axis{Label: "f(θ) − f(θ*)", Log: true}}
		for k := range methods {
			m := chart.Mark{Shape: chart.Line, Entry: k}
			for t := range 12 {
				y := 20 * math.Exp(-float64(t*(k+1))/4)
				m.X, m.Y = append(m.X, float64(10*t)), append(m.Y, y)
				m.Low, m.High = append(m.Low, 0.5*y-0.01), append(m.High, 1.5*y)
			}
			m.Y[5], m.Y[7], m.Low[9] = math.NaN(), 0, math.NaN()
			panel.Marks = append(panel.Marks, m)
		}
		c.Panels = append(c.Panels, panel)
	}
	return Chart{c}
}

// charts are examples of every shape of mark.
func charts() map[string]Drawing {
	sweep := &chart.Chart{Legend: []chart.Entry{{Label: "FedIPW"}, {Label: "naïve", Grey: true}}}
	axis := chart.Axis{Label: "strength s", Log: true}
	sweep.Panels = []chart.Panel{{X: axis, Y: chart.Axis{Label: "accuracy (%)"}}}
	for k := range 2 {
		sweep.Panels[0].Marks = append(sweep.Panels[0].Marks, chart.Mark{Shape: chart.Points,
			Entry: k, X: []float64{0.05, 0.1, 1, 10}, Y: []float64{80, 81 - float64(k), 85, 70},
			Low: []float64{79, 78, 84, math.NaN()}, High: []float64{81, 84, 86, math.NaN()}})
	}
	bars := &chart.Chart{Legend: []chart.Entry{{Label: "FedAvg"}, {Label: "FedAVOT"}}}
	names := []string{"Office-Caltech with label shift", "digits", "客户"}
	bars.Panels = []chart.Panel{{X: chart.Axis{Names: names},
		Y: chart.Axis{Label: "accuracy (%)", Zero: true}}}
	for k := range 2 {
		bars.Panels[0].Marks = append(bars.Panels[0].Marks, chart.Mark{Shape: chart.Bars,
			Entry: k, X: []float64{0, 1, 2}, Y: []float64{62 + 9*float64(k), 91, 33},
			Low: []float64{60, 90, 30}, High: []float64{75, 92, 36}})
	}
	forest := &chart.Chart{Panels: []chart.Panel{{
		X: chart.Axis{Label: "Δ accuracy (pp) vs FedAvg"},
		Y: chart.Axis{Names: []string{"FedAVOT", "a rule with a name that is rather long", "LMF"}},
		Marks: []chart.Mark{{Shape: chart.Upright, Entry: -1, X: []float64{0}, Y: []float64{0}},
			{Shape: chart.Across, Entry: -1, X: []float64{3, -1, 0.5}, Y: []float64{0, 1, 2},
				Low: []float64{2, -2, math.NaN()}, High: []float64{4, 0.5, math.NaN()}}},
	}}}
	return map[string]Drawing{"curves": descent(3, 2), "sweep": Chart{sweep},
		"bars": Chart{bars}, "forest": Chart{forest}, "crowd": crowd(), "matrix": plans(),
		"heatmap": heat(),
		"ranks": &Ranks{Methods: []string{"FedAvg", "FedAVOT", "a rule with a long name", "θ"},
			Ranks: []float64{3.5, 1.25, 2.75, 2.5}, Critical: 1.3,
			Cliques: [][]int{{1, 3}, {0, 2, 3}}}}
}

// crowd is an example of circles and of dots beside the line on which both axes agree.
func crowd() Chart {
	c := chart.Partition([]chart.ClientCounts{{Title: "iid", Samples: [][]int{{5, 5}, {5, 5}}},
		{Title: "α = 0.1", Samples: [][]int{{10, 0}, {1, 9}, {0, 3}}}})
	c.Panels = append(c.Panels, chart.Panel{Title: "FedAvg",
		X: chart.Axis{Label: "importance p"}, Y: chart.Axis{Label: "effective importance"},
		Marks: []chart.Mark{{Shape: chart.Diagonal, Entry: -1}, {Shape: chart.Dots, Entry: -1,
			X: []float64{0.2, 0.3, 0.5}, Y: []float64{0.3, 0.35, 0.35}}}})
	return Chart{c}
}

// heat is an example of numbers on colours, one of which is none, with a column that is set apart.
func heat() HeatMap {
	return HeatMap{&chart.HeatMap{Label: "accuracy (%)", Rows: []string{"mean",
		"a rule with a name that is rather long"}, Cols: []string{"none", "sign flip", "worst"},
		Apart: 2, Panels: []chart.HeatPanel{
			{Title: "IID", Data: []float64{90, 10, 10, 80, 75.25, 75.25}},
			{Title: "α = 0.1", Data: []float64{80, math.NaN(), math.NaN(), 50, 45, 45}}}}}
}

// plans is an example of Matrices, one of them with a value that is no number.
func plans() *Matrices {
	m := &Matrices{Label: "plan"}
	for k := range 3 {
		data := make([]float64, 12)
		for i := range data {
			data[i] = 1e-4 * math.Exp(-float64(i%4*(k+1)))
		}
		m.Panels = append(m.Panels, Matrix{fmt.Sprintf("λ = %g", 1/float64(k+1)), 3, 4, data})
	}
	m.Panels[1].Data[5] = math.NaN()
	m.Panels = append(m.Panels, Matrix{"nothing", 0, 4, nil})
	return m
}

// A pixel of a large matrix is the largest of its entries.
func TestPooled(t *testing.T) {
	m := &Matrix{Rows: 300, Cols: 200, Data: make([]float64, 60_000)}
	m.Data[299*200+199], m.Data[0], m.Data[4] = 1, math.NaN(), -1
	if m.Pooled() != 3 {
		t.Fatalf("%d entries make a pixel", m.Pooled())
	}
	p := drawn(t, plans(), Sizes()[0])
	a := (&Matrices{Panels: []Matrix{*m}}).laid(p)
	picture := a.painted(m)
	if b := picture.Bounds(); b.Dx() != 67 || b.Dy() != 100 {
		t.Errorf("the picture is %v", b)
	}
	if picture.At(66, 99) != colours(1) || picture.At(50, 50) != colours(0.5) {
		t.Errorf("1 and 0 are %v and %v", picture.At(66, 99), picture.At(50, 50))
	}
	if r, g, b, _ := picture.At(0, 0).RGBA(); r != g || g != b {
		t.Error("what is no number has a colour")
	}
}

// The scale of colours is a scale in grey as well.
func TestColoursDarken(t *testing.T) {
	last := uint8(255)
	for i := range 101 {
		k := color.GrayModel.Convert(colours(float64(i) / 100)).(color.Gray).Y
		if k > last {
			t.Fatalf("at %d %% it gets brighter", i)
		}
		last = k
	}
	if last > 60 {
		t.Errorf("it ends at %d", last)
	}
}

func TestRanksOfMany(t *testing.T) {
	r := &Ranks{}
	for i := range 30 {
		r.Methods = append(r.Methods, fmt.Sprintf("method %d of a family of rules", i))
		r.Ranks = append(r.Ranks, 1+float64(i))
	}
	for _, s := range Sizes() {
		checkText(t, s.Name, drawn(t, r, s))
		checkText(t, s.Name, drawn(t, &Ranks{}, s))
		checkText(t, s.Name, drawn(t, &Ranks{Methods: []string{"a"}, Ranks: []float64{1}}, s))
	}
}

// Whatever there is to draw, text has room.
func TestChartsOfAnyShape(t *testing.T) {
	long := descent(2, 1)
	long.Legend[1].Label = strings.Repeat("a method with a long name ", 9)
	long.Panels[0].Title = strings.Repeat("wide", 40)
	long.Panels[0].Y.Label = strings.Repeat("suboptimality of the last iterate ", 4)
	empty := descent(2, 1)
	empty.Panels[0].Marks = nil
	nothing := descent(1, 1)
	for i := range nothing.Panels[0].Marks[0].Y {
		nothing.Panels[0].Marks[0].Y[i] = math.NaN()
	}
	once := descent(2, 1)
	for i := range once.Panels[0].Marks {
		m := &once.Panels[0].Marks[i]
		m.X, m.Y, m.Low, m.High = m.X[:1], m.Y[:1], m.Low[:1], m.High[:1]
	}
	for name, d := range map[string]Drawing{
		"30 methods": descent(30, 1), "9 panels": descent(4, 9), "long labels": long,
		"no marks": empty, "nothing to show": nothing, "one round": once,
		"no panels": Chart{&chart.Chart{}},
	} {
		for _, s := range Sizes() {
			checkText(t, name+", "+s.Name, drawn(t, d, s))
		}
		file := written(t, d, "svg", "column")
		if bytes.Contains(file, []byte("NaN")) || bytes.Contains(file, []byte("Inf")) {
			t.Errorf("%s has numbers that are none", name)
		}
	}
}

// Lines end at spaces and after hyphens before letters, and within a word only where it is too long.
func TestWrap(t *testing.T) {
	p := drawn(t, descent(1, 1), Sizes()[0])
	for _, c := range []struct{ text, want string }{
		{"self-normalised p", "self-|normalised|p"},
		{"CODE, ε = 1e-7", "CODE, ε =|1e-7"},
		{"FedAvg (TV\u00a00.3)", "FedAvg|(TV\u00a00.3)"},
		{"客户客户客户客户", "客户客户客|户客户"},
		{"", ""},
	} {
		if got := strings.Join(p.wrap(c.text, 42, 8), "|"); got != c.want {
			t.Errorf("%q is broken into %q, want %q", c.text, got, c.want)
		}
	}
}

// A line has gaps where there is nothing to show, and a band ends at the axis.
func TestGaps(t *testing.T) {
	c := descent(1, 1)
	p := drawn(t, c, Sizes()[0])
	svg := string(written(t, c, "svg", "column"))
	strokes := strings.Count(svg, `stroke="#787878" stroke-width="1.1"`)
	if strokes != 2 { // rounds 0–4, 8–11; round 6 is a dot
		t.Errorf("the line has %d parts", strokes)
	}
	if n := strings.Count(svg, "fill-opacity"); n != 2 { // of a single point there is none
		t.Errorf("the band has %d parts", n)
	}
	f := c.laid(p).frames[0]
	if got := f.y.edge(-3); got != f.to.Y {
		t.Errorf("an end that has no logarithm lies at %v, not at the end %v of the axis", got, f.to.Y)
	}
}

func TestLooksDiffer(t *testing.T) {
	p := drawn(t, descent(1, 1), Sizes()[0])
	seen := map[string]bool{}
	for _, l := range p.looks(make([]chart.Entry, 42)) {
		key := fmt.Sprint(l.color, l.dashes)
		if seen[key] {
			t.Errorf("two lines look like %s", key)
		}
		seen[key] = true
	}
	grey := map[uint8]int{}
	for _, h := range hues() {
		grey[color.GrayModel.Convert(h).(color.Gray).Y/8]++
	}
	if len(grey) < 5 {
		t.Errorf("in grey there are %v", grey)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		n         int
		want      string
	}{
		{0, 100, false, 5, "0 20 40 60 80 100"},
		{0, 1, false, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{-0.3, 0.3, false, 4, "−0.2 0 0.2"},
		{0, 2e6, false, 4, "0 0.5 1.0 1.5 2.0"},
		{0, 4e-5, false, 4, "0 10 20 30 40"},
		{0.01, 100, true, 9, "0.01 0.1 1 10 100"},
		{1e-9, 1e-3, true, 3, "10^−9 10^−6 10^−3"},
		{2, 7, true, 4, "2 5"},
		{85.5, 96.4, false, 5, "87.5 90.0 92.5 95.0"},
	} {
		s := nothing(c.log)
		s.include(c.low)
		s.include(c.high)
		var got []string
		for _, x := range s.ticks(c.n) {
			label := x.label
			if x.raised != "" {
				label += "^" + x.raised
			}
			if label != "" {
				got = append(got, label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("from %g to %g: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// Zeros and NaN on a logarithmic axis are not shown, and neither widen it.
func TestLogScale(t *testing.T) {
	s := nothing(true)
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-3, 10} {
		s.include(x)
	}
	if s.low != -3 || s.high != 1 {
		t.Errorf("the axis runs from 10^%g to 10^%g", s.low, s.high)
	}
	if _, ok := s.at(0); ok {
		t.Error("0 has a place")
	}
}
