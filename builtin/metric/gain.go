// Gain — what a client gains by the others: its model beside one that it trained alone.
//
//	T. Yu, E. Bagdasaryan, V. Shmatikov. Salvaging Federated Learning by Local Adaptation.
//	arXiv:2002.04758, 2020: participants whose local models are more accurate than the federated
//	one have no incentive to take part.
//
// Notation: θᵢ what client i predicts with, uᵢ what it trained alone: from θ⁰, by as many plain
// gradient steps as its updates took, made whenever it trained, at a rate and with batches of this
// metric. The gain is accuracy(θᵢ) − accuracy(uᵢ), or loss(uᵢ) − loss(θᵢ): above 0 the client
// gains. A client that has never trained has uᵢ = θ⁰.
//
// Local training costs as many steps again, memory of one model for each client that has trained,
// and nothing is sent. The rate of uᵢ decides what a gain means: one that is too low flatters the
// method. A fair one is what tuning finds for local-only.
//
// Departures: the paper compares accuracy on test samples alone, and trains local models to the
// end.

package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Gain describes the metric to the registry.
var Gain = fl.MetricEntry{
	Name:    "gain",
	Summary: "what clients gain over local training alone, with as many steps",
	Paper:   "yu2020",
	Deviations: "gains are of loss or accuracy, on training or test samples, and local models " +
		"have as many steps as the method's",
	New:    newGain,
	Traits: fl.MetricTraits{Packed: true},
}

type gain struct {
	part      part
	statistic string
	rate      float64
	batch     int
}

var _ fl.Reference = (*gain)(nil)

func newGain(p *fl.Params) (fl.Metric, error) {
	return &gain{
		part: newPart(p),
		statistic: p.Choice("statistic", "mean", "over clients, each counting the same; losing is "+
			"the share of clients with a gain below 0, in percent",
			"mean", "worst-decile", "worst", "spread", "losing"),
		rate: p.Float("lr", 0.1, fl.AtLeast(0), "learning rate of a client alone"),
		batch: p.Int("batch", 0, fl.AtLeast(0), "samples per step of a client alone, drawn "+
			"without replacement; 0: all of them"),
	}, nil
}

// AloneBy implements fl.Reference.
func (m *gain) AloneBy() string { return fmt.Sprintf("lr = %v, batch = %d", m.rate, m.batch) }

// Alone implements fl.Reference.
func (m *gain) Alone(t *fl.Task, steps int) {
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches, d.Steps = plain{}, m.rate, t.Batches(m.batch), steps
	t.Worker.Descend(d)
}

// plain is θ ← θ − ηg.
type plain struct{}

var _ fl.Optimizer = plain{}

// Slots implements fl.Optimizer.
func (plain) Slots() int { return 0 }

// Rule implements fl.Optimizer.
func (plain) Rule() fl.Rule { return fl.Rule{Form: fl.Momentum} }

// Step implements fl.Optimizer.
func (plain) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }

// Measure implements fl.Metric.
func (m *gain) Measure(s *fl.Snapshot) (float64, error) {
	x, err := m.part.byClient(s)
	if err != nil {
		return 0, err
	}
	if s.Own == nil {
		return 0, errors.New("clients have no models of their own here")
	}
	v := s.Params.Clone()
	for i := range x {
		if m.part.samples(s.Population, i) == 0 {
			return 0, errors.New("a client has no test samples")
		}
		if err := s.Own.Alone(m.AloneBy(), i, v); err != nil {
			return 0, err
		}
		x[i] -= m.part.at(s, i, v)
		if m.part.of == "loss" {
			x[i] = -x[i]
		}
	}
	return m.over(x), nil
}

// over returns the statistic of the gains of clients, which it sorts.
func (m *gain) over(x fl.Vector) float64 {
	n := float64(len(x))
	mean := x.Sum() / n
	slices.Sort(x) // the worst come first
	switch m.statistic {
	case "mean":
		return mean
	case "spread":
		square := 0.0
		for _, v := range x {
			square += (v - mean) * (v - mean)
		}
		return math.Sqrt(square / n)
	case "losing":
		losing, _ := slices.BinarySearch(x, 0)
		return 100 * float64(losing) / n
	case "worst-decile":
		worst := (len(x) + 9) / 10
		return x[:worst].Sum() / float64(worst)
	}
	return x[0]
}

// Unit implements fl.Metric.
func (m *gain) Unit() string {
	if m.statistic == "losing" {
		return "%"
	}
	return m.part.unit()
}

// Higher implements fl.Metric.
func (m *gain) Higher() bool { return m.statistic != "spread" && m.statistic != "losing" }
