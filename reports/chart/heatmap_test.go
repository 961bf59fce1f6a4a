package chart

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// A heat map has a row for each method, a column for each point of an axis, and behind them the
// worst of each row; other axes make panels.
func TestHeatMap(t *testing.T) {
	x := reportstest.NewExample("heat", "Heat", reportstest.Accuracy)
	for k, method := range []string{"mean", "median"} {
		for _, skew := range []string{"IID", "α = 0.1"} {
			for j, attack := range []string{"none", "signs"} {
				base := float64(90 - 10*k - 60*j*(1-k))
				x.Add(study.Cell{Method: method, Point: reportstest.At("attack", attack, "skew", skew)},
					[]float64{base, base + 2})
			}
		}
	}
	x.Report.Worst = "attack"
	m, err := NewHeatMap(x.Input, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Rows, []string{"mean", "median"}) || m.Apart != 2 ||
		!slices.Equal(m.Cols, []string{"none", "signs", "worst"}) {
		t.Errorf("rows %q, columns %q, apart %d", m.Rows, m.Cols, m.Apart)
	}
	want := []float64{91, 31, 31, 81, 81, 81}
	for k, title := range []string{"IID", "α = 0.1"} {
		if p := m.Panels[k]; p.Title != title || !alike(p.Data, want) {
			t.Errorf("the panel is %+v, want %v", p, want)
		}
	}
	if m.Label != "accuracy (%)" || m.Note != "mean over 2 seeds; worst: in every seed the run at "+
		"the point of attack with the worst accuracy" {
		t.Errorf("label %q, note %q", m.Label, m.Note)
	}
	x.Report.Worst = ""
	if m, err = NewHeatMap(x.Input, Options{}); err != nil || m.Apart != 0 ||
		!slices.Equal(m.Cols, []string{"IID", "α = 0.1"}) {
		t.Errorf("without a worst point: %+v, %v", m, err)
	}
}
