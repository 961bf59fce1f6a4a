package metric_test

import (
	"errors"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// shifted are models of clients: client i keeps θ + i + 1, and fine-tuning adds 10.
type shifted struct{ deploys fl.Whose }

func (m shifted) Deploys() fl.Whose { return m.deploys }

func (shifted) Personal(i int, v fl.Vector) error {
	if i == 7 {
		return errors.New("its state cannot be read")
	}
	v[0] += float64(i + 1)
	return nil
}

func (shifted) FineTune(_ int, v fl.Vector) error { v[0] += 10; return nil }

func (shifted) Alone(_ string, i int, v fl.Vector) error { v[0] = float64(2 * i); return nil }

// Every client is measured at its own parameters, on its own test samples: of losses (θᵢ − y)²/2·2
// of a model that predicts θ, by hand.
func TestModelsOfClients(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(0), line(0), line(0))
	s.Population.Own, s.Population.OwnStart = joined([]*fl.Dataset{line(1, 1, 1), line(0), line(3, 5)})
	s.Roster.Importance = fl.Vector{.5, .25, .25}
	at := func(theta, y float64) float64 {
		return measure(t, build(t, metric.Clients,
			map[string]any{"statistic": "mean"}), snapshot(t, model.Linear, fl.Vector{theta}, line(y)))
	}
	one, two, three := at(1, 1), at(2, 0), (at(3, 3)+at(3, 5))/2
	tuned := (3*at(11, 1) + at(12, 0) + at(13, 3) + at(13, 5)) / 6
	for _, c := range []struct {
		deploys          fl.Whose
		model, weighting string
		want             float64
	}{
		{"", "personal", "uniform", (one + two + three) / 3},
		{"", "personal", "importance", one/2 + two/4 + three/4},
		{"", "personal", "samples", (3*one + two + 2*three) / 6},
		{"", "fine-tuned", "samples", tuned},
		{fl.FineTunedModel, "deployed", "samples", tuned},
		{fl.PersonalModel, "deployed", "samples", (3*one + two + 2*three) / 6},
		{fl.GlobalModel, "deployed", "uniform", (at(0, 1) + at(0, 0) + (at(0, 3)+at(0, 5))/2) / 3},
	} {
		s.Reset()
		s.Own = shifted{c.deploys}
		given := map[string]any{"model": c.model, "weighting": c.weighting}
		if c.deploys == fl.GlobalModel {
			s.Own = unmoved{}
		}
		if got := measure(t, build(t, metric.Loss, given), s); !same(got, c.want) {
			t.Errorf("%v: %v, want %v", given, got, c.want)
		}
	}
	s.Reset()
	s.Own = shifted{}
	for statistic, want := range map[string]float64{
		"mean": (one + two + three) / 3, "worst": max(one, two, three),
	} {
		m := build(t, metric.Clients, map[string]any{"model": "personal", "on": "test",
			"statistic": statistic})
		if got := measure(t, m, s); !same(got, want) {
			t.Errorf("%s: %v, want %v", statistic, got, want)
		}
	}
}

// unmoved are clients without models of their own.
type unmoved struct{}

func (unmoved) Deploys() fl.Whose             { return fl.GlobalModel }
func (unmoved) Personal(int, fl.Vector) error { return nil }
func (unmoved) FineTune(int, fl.Vector) error { return nil }

func (unmoved) Alone(string, int, fl.Vector) error { return nil }

// What cannot be read is an error, and so is a model of clients where there are none.
func TestModelsOfClientsThatCannotBeRead(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(0), line(0), line(0), line(0), line(0), line(0),
		line(0), line(0))
	m := build(t, metric.Clients, map[string]any{"model": "personal"})
	for _, own := range []fl.ClientModels{nil, shifted{}} {
		if s.Own = own; own == nil {
			s.Own = nil
		}
		if _, err := m.Measure(s); err == nil {
			t.Errorf("%v: no error", own)
		}
	}
}

// Gains by hand: client i predicts with i + 1 and has 2i alone, on samples of a target each.
//
//hansa:verifies theorem metrics/gain
func TestGainByHand(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(3), line(0), line(4))
	s.Own = shifted{fl.PersonalModel}
	at := func(theta, y float64) float64 {
		return measure(t, build(t, metric.Clients,
			map[string]any{"statistic": "mean"}), snapshot(t, model.Linear, fl.Vector{theta}, line(y)))
	}
	x := []float64{at(0, 3) - at(1, 3), at(2, 0) - at(2, 0), at(4, 4) - at(3, 4)}
	mean := (x[0] + x[1] + x[2]) / 3
	square := (x[0]-mean)*(x[0]-mean) + (x[1]-mean)*(x[1]-mean) + (x[2]-mean)*(x[2]-mean)
	for statistic, want := range map[string]float64{
		"mean": mean, "worst": x[2], "worst-decile": x[2], "losing": 100.0 / 3,
		"spread": math.Sqrt(square / 3),
	} {
		s.Reset()
		m := build(t, metric.Gain, map[string]any{"model": "personal", "statistic": statistic})
		if got := measure(t, m, s); !same(got, want) {
			t.Errorf("%s: %v, want %v", statistic, got, want)
		}
		if higher := statistic != "losing" && statistic != "spread"; m.Higher() != higher {
			t.Errorf("%s: higher is better: %v", statistic, !higher)
		}
	}
	if !(x[0] > 0 && x[2] < 0) {
		t.Errorf("gains are %v", x)
	}
}
