package metric_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// build builds a component from what an experiment would say, outside any setting.
func build[T any](t *testing.T, e fl.Entry[T], given map[string]any) T {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s %v: %v, %v", e.Name, given, err, problems)
	}
	return c
}

// snapshot is of a model at θ, on clients with the given training sets; all count the same.
func snapshot(t *testing.T, e fl.ModelEntry, theta fl.Vector, clients ...*fl.Dataset) *fl.Snapshot {
	t.Helper()
	m, err := build(t, e, nil).For(clients[0].Shape)
	if err != nil {
		t.Fatal(err)
	}
	s := &fl.Snapshot{Params: theta, Model: m, Worker: m.Worker(), Population: new(fl.Population)}
	s.Population.Train, s.Population.Start = joined(clients)
	s.Roster = &fl.Roster{N: len(clients), Importance: make(fl.Vector, len(clients))}
	for i := range clients {
		s.Roster.Importance[i] = 1 / float64(len(clients))
	}
	if solve := m.Facts().Solve; solve != nil {
		s.Optimal = func() (*fl.Optimum, error) {
			best, err := solve(s.Population, s.Roster.Importance)
			return &best, err
		}
	}
	return s
}

// joined returns data sets as one, and where each begins.
func joined(parts []*fl.Dataset) (*fl.Dataset, []int) {
	all, start := &fl.Dataset{Shape: parts[0].Shape}, []int{0}
	all.X.Cols = all.Shape.Features
	for _, d := range parts {
		all.X.Data = append(all.X.Data, d.X.Data...)
		all.X.Rows += d.X.Rows
		all.Y, all.Target = append(all.Y, d.Y...), append(all.Target, d.Target...)
		start = append(start, all.X.Rows)
	}
	return all, start
}

// line is a client whose samples are x = 1 with the given targets: its loss at θ is the
// mean of (θ − y)².
func line(targets ...float64) *fl.Dataset {
	d := &fl.Dataset{Shape: fl.Shape{Features: 1}, X: fl.NewMatrix(len(targets), 1), Target: targets}
	for r := range targets {
		d.X.Data[r] = 1
	}
	return d
}

// signs is a client of two classes with the given features: at θ = (1, −1, 0, 0) those
// above zero are of class 0.
func signs(x []float64, y ...int) *fl.Dataset {
	return &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 2},
		X: fl.Matrix{Rows: len(x), Cols: 1, Data: x}, Y: y}
}

// measure measures, or fails.
func measure(t *testing.T, m fl.Metric, s *fl.Snapshot) float64 {
	t.Helper()
	x, err := m.Measure(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func same(got, want float64) bool { return math.Abs(got-want) <= 1e-14*(1+math.Abs(want)) }

// The objective at θ = 2 of clients with targets 0 and {1, 3}: losses 4 and 1.
//
//hansa:verifies theorem metrics/objective
func TestObjective(t *testing.T) {
	m := build(t, metric.Objective, nil)
	s := snapshot(t, model.Linear, fl.Vector{2}, line(0), line(1, 3))
	s.Roster.Importance = fl.Vector{.25, .75}
	if got := measure(t, m, s); !same(got, 1.75) {
		t.Errorf("F = %v, want ¼·4 + ¾·1", got)
	}
	s.Pooled = &fl.Dataset{Shape: s.Population.Train.Shape, Moments: s.Population.Mix(s.Roster.Importance)}
	if got := measure(t, m, s); !same(got, 1.75) {
		t.Errorf("by moments F = %v, want 1.75", got)
	}
}

// With p = (¼, ¾) the minimiser is ¼·0 + ¾·2 = 1.5 and F(θ) − F* = (θ − 1.5)².
//
//hansa:verifies theorem metrics/distance metrics/suboptimality
func TestDistanceAndSuboptimality(t *testing.T) {
	gap, far := build(t, metric.Suboptimality, nil), build(t, metric.Distance, nil)
	for _, theta := range []float64{1.5, 2, -1.5, 1.5 + 1e-9, 1e8} {
		s := snapshot(t, model.Linear, fl.Vector{theta}, line(0), line(1, 3))
		s.Roster.Importance = fl.Vector{.25, .75}
		away := math.Abs(theta - 1.5)
		if got := measure(t, far, s); math.Abs(got-away) > 1e-15*(1+away) {
			t.Errorf("θ = %v: distance %v, want %v", theta, got, away)
		}
		if got := measure(t, gap, s); math.Abs(got-away*away) > 1e-6*away*away {
			t.Errorf("θ = %v: suboptimality %v, want %v", theta, got, away*away)
		}
		best, err := s.Optimal()
		if err != nil {
			t.Fatal(err)
		}
		best.Gap = nil // what a solver without one leaves: the difference of two values
		s.Optimal = func() (*fl.Optimum, error) { return best, nil }
		if got := measure(t, gap, s); math.Abs(got-away*away) > 1e-14*(1+away*away) {
			t.Errorf("θ = %v: subtracted %v, want %v", theta, got, away*away)
		}
	}
}

func TestOptimaThatThereAreNot(t *testing.T) {
	gap, far := build(t, metric.Suboptimality, nil), build(t, metric.Distance, nil)
	flat := snapshot(t, model.Linear, fl.Vector{1, 5}, &fl.Dataset{Shape: fl.Shape{Features: 2},
		X: fl.Matrix{Rows: 1, Cols: 2, Data: []float64{3, 0}}, Target: fl.Vector{0}})
	if _, err := far.Measure(flat); err == nil || !strings.Contains(err.Error(), "several minimisers") {
		t.Errorf("distance to one of several minimisers: %v", err)
	}
	if got := measure(t, gap, flat); !same(got, 9) {
		t.Errorf("suboptimality %v, want 9 whatever the second parameter", got)
	}
	none := snapshot(t, model.Softmax, make(fl.Vector, 4), signs([]float64{1, 2}, 0, 1))
	broken := snapshot(t, model.Linear, fl.Vector{1}, line(0))
	broken.Optimal = func() (*fl.Optimum, error) { return nil, errors.New("no optimum") }
	for _, m := range []fl.Metric{gap, far} {
		if _, err := m.Measure(none); err == nil || !strings.Contains(err.Error(), "cannot be computed") {
			t.Errorf("without a solver: %v", err)
		}
		if _, err := m.Measure(broken); err == nil || err.Error() != "no optimum" {
			t.Errorf("with a solver that fails: %v", err)
		}
	}
}

// Three test samples of client 0 and one of client 1, with losses 1, 4, 1 and 9 at θ = 0:
// means over samples, by importance and over clients.
//
//hansa:verifies theorem metrics/loss
func TestLossWeightings(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(5), line(5))
	s.Roster.Importance = fl.Vector{.9, .1}
	s.Population.Test, s.Population.TestStart = joined([]*fl.Dataset{line(1, 2, -1), line(3)})
	for weighting, want := range map[string]float64{
		"samples": 15. / 4, "importance": .9*2 + .1*9, "uniform": 5.5,
	} {
		m := build(t, metric.Loss, map[string]any{"weighting": weighting})
		if got := measure(t, m, s); !same(got, want) {
			t.Errorf("%s: %v, want %v", weighting, got, want)
		}
	}
	if got := measure(t, build(t, metric.Loss, nil), s); !same(got, 15./4) {
		t.Errorf("by default: %v, want the mean over samples", got)
	}
}

// Two of three are right at client 0 and none at client 1; a draw goes to the first class.
//
//hansa:verifies theorem metrics/accuracy
func TestAccuracyWeightings(t *testing.T) {
	s := snapshot(t, model.Softmax, fl.Vector{1, -1, 0, 0}, signs([]float64{1}, 0), signs([]float64{1}, 0))
	s.Roster.Importance = fl.Vector{.9, .1}
	s.Population.Test, s.Population.TestStart = joined([]*fl.Dataset{
		signs([]float64{2, -2, -3}, 0, 1, 0), signs([]float64{0}, 1)})
	for weighting, want := range map[string]float64{
		"samples": 50, "importance": 60, "uniform": 100. / 3,
	} {
		m := build(t, metric.Accuracy, map[string]any{"weighting": weighting})
		if got := measure(t, m, s); !same(got, want) {
			t.Errorf("%s: %v %%, want %v", weighting, got, want)
		}
	}
	s.Population.Test.Y[3] = 0
	if got := measure(t, build(t, metric.Accuracy, nil), s); !same(got, 75) {
		t.Errorf("a draw is not the first class: %v %%", got)
	}
}

// Test sets of any size are counted to the last sample, in whatever blocks they are scored.
func TestAccuracyOfManySamples(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 1000} {
		x, y, right := make([]float64, n), make([]int, n), 0
		for r := range x {
			x[r] = 1
			if r%3 == 1 {
				y[r] = 1 // every third sample is classified wrongly
			} else {
				right++
			}
		}
		s := snapshot(t, model.Softmax, fl.Vector{1, -1, 0, 0}, signs([]float64{1}, 0))
		s.Population.Test = signs(x, y...)
		want := 100 * float64(right) / float64(n)
		if got := measure(t, build(t, metric.Accuracy, nil), s); got != want {
			t.Errorf("%d samples: %v %%, want %v", n, got, want)
		}
	}
}

// What cannot be weighted is an error that says why.
func TestTestDataThatThereAreNot(t *testing.T) {
	for _, e := range []fl.MetricEntry{metric.Loss, metric.Accuracy} {
		s := snapshot(t, model.Softmax, fl.Vector{1, -1, 0, 0}, signs([]float64{1}, 0), signs([]float64{1}, 0))
		by := build(t, e, map[string]any{"weighting": "uniform"})
		fails := func(want string) {
			t.Helper()
			if _, err := by.Measure(s); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", e.Name, err, want)
			}
		}
		fails("has no test samples")
		s.Population.Test = signs([]float64{1, 2}, 0, 1)
		fails("needs test data that belong to clients")
		s.Population.TestStart = []int{0, 2, 2}
		fails("a client has no test samples")
	}
}
