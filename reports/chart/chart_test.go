package chart

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// alike reports whether two lists are the same up to rounding; NaN is the same as NaN.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.Abs(x-y) < 1e-9*math.Abs(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}

func TestCurves(t *testing.T) {
	c, err := Curves(reportstest.Figure().Input, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Panels) != 1 || c.Panels[0].Title != "" || c.Panels[0].Y.Label != "loss" {
		t.Fatalf("the panels are %+v", c.Panels)
	}
	want := []Entry{{Label: "FedAvg (full)", Grey: true}, {Label: "FedAvg (K = 2)"}}
	if !slices.Equal(c.Legend[:2], want) {
		t.Errorf("the legend is %v", c.Legend)
	}
	m := c.Panels[0].Marks[1]
	sd := math.Sqrt(2.5) // of 10, 11, 12, 13, 14
	if m.Shape != Line || !alike(m.X, []float64{0, 10, 20}) || !alike(m.Y, []float64{1e9, 12, 12}) ||
		!alike(m.Low, []float64{1e9, 12 - sd, 12 - sd}) || !alike(m.High[1:], []float64{12 + sd, 12 + sd}) {
		t.Errorf("the mark of the baseline is %+v", m)
	}
	if c.Note != "mean ± s.d. over 5 seeds" {
		t.Errorf("the note is %q", c.Note)
	}
}

// What a band is, is what the options say.
func TestBands(t *testing.T) {
	for band, half := range map[string]float64{
		"std": math.Sqrt(2.5), "ci": 2.7764451051977987 * math.Sqrt(0.5), "none": math.NaN(),
		"seeds": math.NaN(),
	} {
		c, err := Curves(reportstest.Figure().Input, Options{Band: band})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(c.Panels[0].Marks, func(m Mark) bool {
			return m.Shape == Line && m.Entry == 1
		})
		if m := c.Panels[0].Marks[i]; !alike(m.High[2:], []float64{12 + half}) {
			t.Errorf("%s: the band ends at %v", band, m.High)
		}
		faint := 0
		for _, m := range c.Panels[0].Marks {
			if m.Shape == Faint {
				faint++
			}
		}
		if band == "seeds" && faint != 8*5 || band != "seeds" && faint != 0 {
			t.Errorf("%s: %d lines of single seeds", band, faint)
		}
	}
	one := reportstest.Short("one", 1).Input
	c, err := Curves(one, Options{Band: "ci"})
	if err != nil || !math.IsNaN(c.Panels[0].Marks[0].Low[0]) || c.Note != "one seed" {
		t.Errorf("one seed: %v, %+v", err, c)
	}
}

// On a logarithmic axis a band ends at the least seed, since mean − s.d. may be negative.
func TestBandOnLogarithmicAxis(t *testing.T) {
	x := reportstest.NewExample("wide", "wide", reportstest.Loss)
	x.Add(study.Cell{Method: "a"}, []float64{0.01, 0.02, 9})
	c, err := Curves(x.Input, Options{LogY: true})
	if err != nil {
		t.Fatal(err)
	}
	if low := c.Panels[0].Marks[0].Low[2]; low != 0.01 {
		t.Errorf("the band ends at %v", low)
	}
}

func TestPanelsAndLines(t *testing.T) {
	in := reportstest.Swept().Input
	for _, c := range []struct {
		o                    Options
		panels, lines, marks int
		title, line          string
	}{
		{Options{}, 6, 7, 42, "MNIST, IID", "FedAvg (full)"},
		{Options{Panels: []string{"partition"}}, 3, 14, 42, "IID", "FedAvg (full), MNIST"},
		{Options{Lines: []string{"partition"}}, 14, 3, 42, "FedAvg (full), MNIST", "IID"},
	} {
		chart, err := Curves(in, c.o)
		if err != nil {
			t.Fatal(err)
		}
		marks := 0
		for _, p := range chart.Panels {
			marks += len(p.Marks)
		}
		if len(chart.Panels) != c.panels || len(chart.Legend) != c.lines || marks != c.marks ||
			chart.Panels[0].Title != c.title || chart.Legend[0].Label != c.line {
			t.Errorf("%+v: %d panels (%s), %d lines (%s), %d marks", c.o, len(chart.Panels),
				chart.Panels[0].Title, len(chart.Legend), chart.Legend[0].Label, marks)
		}
	}
	for _, o := range []Options{
		{Panels: []string{"partition"}, Lines: []string{"method"}}, // pools data sets
		{Panels: []string{"partitoin"}}, {Metric: "acuracy"}, {X: "acuracy"}, {Band: "sd"},
	} {
		if _, err := Curves(in, o); err == nil {
			t.Errorf("%+v is no mistake", o)
		}
	}
	none := in
	none.Results = map[string]*engine.Result{}
	if _, err := Curves(none, Options{}); err == nil || !strings.Contains(err.Error(), "run") {
		t.Errorf("nothing was run, and yet %v", err)
	}
}

// Where all results are at one value of an axis, nothing is called by it.
func TestAxesThatTellNothing(t *testing.T) {
	in := reportstest.Swept().Input
	kept := map[string]*engine.Result{}
	for i, c := range in.Cells {
		if c.Point[0].Label == "MNIST" {
			kept[in.IDs[i]] = in.Results[in.IDs[i]]
		}
	}
	in.Results = kept
	c, err := Curves(in, Options{})
	if err != nil || len(c.Panels) != 3 || c.Panels[0].Title != "IID" {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = Sweep(in, Options{X: "partition", Panels: []string{"dataset"}})
	if err != nil || len(c.Panels) != 1 || c.Panels[0].Title != "" || len(c.Legend) != 7 {
		t.Fatalf("%+v, %v", c, err)
	}
}

func TestSweep(t *testing.T) {
	x := reportstest.NewExample("alpha", "alpha", reportstest.Accuracy)
	for _, a := range []string{"α = 10", "α = 0.1", "α = 1"} {
		for _, data := range []string{"k = 2", "k = 5"} {
			x.Add(study.Cell{Method: "FedAvg", Point: reportstest.At("partition.alpha", a, "k", data)},
				reportstest.Shifted([]float64{1, 2, 3}, float64(len(a))))
		}
	}
	c, err := Sweep(x.Input, Options{X: "alpha"}) // the last part of an axis is enough
	if err != nil {
		t.Fatal(err)
	}
	p := c.Panels[1]
	if p.Title != "k = 5" || p.X.Names != nil || p.X.Label != "α" || p.Y.Label != "accuracy (%)" {
		t.Errorf("the panel is %+v", p)
	}
	if m := p.Marks[0]; !alike(m.X, []float64{0.1, 1, 10}) || !alike(m.Y, []float64{10, 8, 9}) ||
		!alike(m.Low, []float64{9, 7, 8}) {
		t.Errorf("the mark is %+v", m)
	}
	if _, err := Sweep(reportstest.Figure().Input, Options{}); err == nil {
		t.Error("there is an axis across where there is no sweep")
	}
}

func TestBarChart(t *testing.T) {
	c, err := BarChart(reportstest.Swept().Input, Options{X: "partition"})
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Panels[0]; len(c.Panels) != 2 || !p.Y.Zero || p.Marks[0].Shape != Bars ||
		!slices.Equal(p.X.Names, []string{"IID", "Dir(1)", "Dir(0.1)"}) || len(p.Marks) != 7 {
		t.Errorf("the panels are %+v", c.Panels)
	}
	c, err = BarChart(reportstest.Figure().Input, Options{})
	if err != nil || len(c.Panels[0].X.Names) != 8 || len(c.Panels[0].Marks) != 1 {
		t.Errorf("without a sweep: %+v, %v", c, err)
	}
}

// Cells may differ in the parameters of their components.
func TestAxesOfParameters(t *testing.T) {
	x := reportstest.NewExample("parameters", "parameters", reportstest.Loss)
	for _, c := range []struct {
		method      string
		lambda, eps float64
	}{{"CODE", 0.1, 1e-3}, {"a", 0.1, 1e-5}, {"b", 1, 1e-3}, {"c", 1, 1e-5}} {
		pick := study.Pick{Name: "code", Params: map[string]any{"lambda": c.lambda, "epsilon": c.eps}}
		x.Add(study.Cell{Method: c.method, Picks: map[string]study.Pick{"aggregator": pick}},
			[]float64{c.lambda + c.eps})
	}
	x.Add(study.Cell{Method: "FedAvg"}, []float64{7}) // has no such parameters
	c, err := Sweep(x.Input, Options{X: "aggregator.epsilon", Lines: []string{"aggregator.lambda"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Legend) != 2 || c.Legend[1].Label != "lambda = 1" || len(c.Panels) != 1 {
		t.Errorf("%+v", c)
	}
	if m := c.Panels[0].Marks[0]; !alike(m.X, []float64{1e-5, 1e-3}) {
		t.Errorf("%+v", m)
	}
}

func TestForest(t *testing.T) {
	c, err := Forest(reportstest.Figure().Input, "")
	if err != nil {
		t.Fatal(err)
	}
	m := c.Panels[0].Marks[1]
	i := slices.Index(c.Panels[0].Y.Names, "FedAVOT")
	if i < 0 || m.Shape != Across || !alike(m.X[i:i+1], []float64{-9.65}) || m.Low[i] >= -9.65 ||
		m.High[i] <= -9.65 {
		t.Errorf("%+v", c.Panels[0])
	}
	if slices.Contains(c.Panels[0].Y.Names, "FedAvg (K = 2)") {
		t.Error("the baseline differs from itself")
	}
	bare := reportstest.Figure().Input
	bare.Report.Baseline = ""
	if _, err := Forest(bare, ""); err == nil || !strings.Contains(err.Error(), "--baseline") {
		t.Errorf("without a baseline: %v", err)
	}
}

// Curves over bytes are those over the upload, and over hours those over virtual time, whatever the
// keys of these metrics are; what is not measured is named by its metric.
func TestCurvesOverCosts(t *testing.T) {
	x := reportstest.NewExample("costs", "Costs", reportstest.Accuracy, reportstest.Upload,
		engine.Series{Key: "time", Unit: "h"})
	x.Add(study.Cell{Method: "one", Clients: 4, Measures: []study.Measure{
		{Pick: study.Pick{Name: "accuracy"}, Key: "accuracy"},
		{Pick: study.Pick{Name: "upload"}, Key: "upload"},
		{Pick: study.Pick{Name: "virtual-time"}, Key: "time"}}},
		[]float64{80, 82}, []float64{1000, 1000}, []float64{3, 5})
	for short, key := range map[string]string{"bytes": "upload", "hours": "time"} {
		got, err := Curves(x.Input, Options{Metric: "accuracy", X: short})
		want, other := Curves(x.Input, Options{Metric: "accuracy", X: key})
		if err != nil || other != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v: %+v, want %+v", short, err, other, got, want)
		}
	}
	_, err := Curves(reportstest.Figure().Input, Options{X: "hours"})
	if err == nil || !strings.Contains(err.Error(), `the metric "virtual-time"`) {
		t.Errorf("hours that are not measured: %v", err)
	}
}
