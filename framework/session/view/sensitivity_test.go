package view

import (
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
)

// A line joins the best settings with a value, dots are all of them; what stopped early, or has no
// number, is left out.
func TestSensitivityJoinsTheBestOfAValue(t *testing.T) {
	trial := func(mean float64, stopped bool, values ...any) session.Trial {
		sd := mean / 10
		return session.Trial{Values: values, Mean: &mean, SD: &sd, Stopped: stopped}
	}
	sets := []session.TrialSet{{Method: "m", Higher: true, Unit: "%", Paths: []string{"local.lr", "local.by"},
		Trials: []session.Trial{trial(20, false, 0.1, "a"), trial(30, false, 0.01, "a"),
			trial(50, false, 0.1, "b"), trial(90, true, 0.2, "b"), {Values: study.Values{0.5, "a"}}}},
		{Method: "no numbers", Paths: []string{"local.by"}, Trials: []session.Trial{trial(1, false, "a")}}}
	tune := &study.Tune{By: "accuracy", Space: []study.Range{{Path: "local.lr", Scale: study.LogScale}}}
	got, err := sensitivity(sets, tune, &FigureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []chart.Panel{{X: chart.Axis{Label: "local.lr", Log: true}, Y: chart.Axis{Label: "accuracy (%), validation"},
		Marks: []chart.Mark{
			{Shape: chart.Dots, X: []float64{0.01, 0.1, 0.1}, Y: []float64{30, 50, 20}},
			{Shape: chart.Points, X: []float64{0.01, 0.1}, Y: []float64{30, 50},
				Low: []float64{27, 45}, High: []float64{33, 55}}}}}
	if !reflect.DeepEqual(got.Panels, want) || len(got.Legend) != 1 || got.Legend[0].Label != "m" {
		t.Errorf("%+v\nlegend %v", got.Panels, got.Legend)
	}
	if _, err := sensitivity(sets[1:], tune, &FigureOptions{}); err == nil {
		t.Error("a figure of nothing")
	}
}
