package metric_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// An observation is found by its name; the beginning of a name selects the mean of all such; and
// before there is one there is no number.
//
//hansa:verifies theorem metrics/observed
func TestObserved(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(0))
	gauge := func(of, statistic string) float64 {
		return measure(t, build(t, metric.Observed, map[string]any{"of": of, "statistic": statistic}), s)
	}
	if got := gauge("sweeps", "mean"); !math.IsNaN(got) {
		t.Errorf("without notes: %v", got)
	}
	s.Notes = new(fl.Notes)
	if got := gauge("sweeps", "mean"); !math.IsNaN(got) {
		t.Errorf("before anything is observed: %v", got)
	}
	for _, x := range []float64{1, 2, 9} {
		s.Notes.Observe("sweeps for layer 1", x)
		s.Notes.Observe("sweeps for layer 10", 10*x)
		s.Notes.Observe("size", 100)
	}
	for _, c := range []struct {
		of, statistic string
		want          float64
	}{
		{"sweeps for layer 10", "mean", 40}, {"sweeps for layer 10", "least", 10},
		{"sweeps for layer 10", "most", 90},
		{"sweeps for layer 1", "mean", 4}, // though it begins another name
		{"sweeps", "mean", 22}, {"sweeps", "most", 49.5}, {"size", "least", 100},
		{"partners", "mean", math.NaN()},
	} {
		if got := gauge(c.of, c.statistic); !same(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s, %s: %v, want %v", c.of, c.statistic, got, c.want)
		}
	}
	// The whole name counts wherever it stands among those that it begins.
	s.Notes = new(fl.Notes)
	s.Notes.Observe("sweeps for layer 10", 7)
	s.Notes.Observe("sweeps for layer 1", 3)
	s.Notes.Observe("sweeps for layer 11", 8)
	if got := gauge("sweeps for layer 1", "mean"); got != 3 {
		t.Errorf("a name after one that it begins: %v, want 3", got)
	}
}
