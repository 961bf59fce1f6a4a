// Clients — what one number over all clients hides: their mean, the worst of them, and
// how far they lie apart, each client counting the same.
//
//	T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in Federated
//	Learning. ICLR 2020, Table 1: average, worst 10 %, variance over devices.
//
// Departures: the spread is a standard deviation, in the unit of the measurement, where
// the paper prints a variance.

package metric

import (
	"errors"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Clients describes the metric to the registry.
var Clients = fl.MetricEntry{
	Name:       "clients",
	Summary:    "loss or accuracy by client: mean, worst decile, worst or spread over all clients",
	Paper:      "li2020fair",
	Deviations: "the spread is a standard deviation, not a variance",
	New:        newClients,
}

type clients struct {
	of        string
	statistic string
	test      bool
}

var _ fl.Metric = (*clients)(nil)

func newClients(p *fl.Params) (fl.Metric, error) {
	m := &clients{
		of: p.Choice("of", "loss", "what is measured at each client", "loss", "accuracy"),
		statistic: p.Choice("statistic", "worst-decile", "over clients, each counting the same",
			"mean", "worst-decile", "worst", "spread"),
		test: p.Choice("on", "train", "each client's training samples, or its test samples",
			"train", "test") == "test",
	}
	s := p.Setting()
	if !s.Known() {
		return m, nil
	}
	if err := needsClasses(s); m.of == "accuracy" && err != nil {
		p.Fail("of", "accuracy %v", err)
	}
	if err := needsTests(s); m.test && err != nil {
		p.Fail("on", "test %v", err)
	}
	if m.test && !s.Shape.Owned {
		p.Fail("on", "test needs test data that belong to clients; these do not")
	}
	return m, nil
}

// Measure implements fl.Metric.
func (m *clients) Measure(s *fl.Snapshot) (float64, error) {
	if m.test && s.Population.TestStart == nil {
		return 0, errors.New("on = \"test\" needs test data that belong to clients; these do not")
	}
	x := m.byClient(s)
	n := float64(len(x))
	mean := x.Sum() / n
	switch m.statistic {
	case "mean":
		return mean, nil
	case "spread":
		square := 0.0
		for _, v := range x {
			square += (v - mean) * (v - mean)
		}
		return math.Sqrt(square / n), nil
	}
	slices.Sort(x) // the worst come last
	if m.of == "accuracy" {
		slices.Reverse(x)
	}
	worst := 1
	if m.statistic == "worst-decile" {
		worst = (len(x) + 9) / 10
	}
	return x[len(x)-worst:].Sum() / float64(worst), nil
}

// byClient measures each client; the result may be written to.
func (m *clients) byClient(s *fl.Snapshot) fl.Vector {
	if m.of == "loss" && !m.test {
		return s.ClientLosses().Clone()
	}
	x := make(fl.Vector, s.Population.N())
	for i := range x {
		d := s.Population.Client(i).Data
		if m.test {
			d = s.Population.ClientTest(i)
		}
		if m.of == "loss" {
			x[i] = s.Worker.Loss(s.Params, &d)
		} else {
			x[i] = hits(s, &d)
		}
	}
	return x
}

// Unit implements fl.Metric.
func (m *clients) Unit() string {
	if m.of == "accuracy" {
		return "%"
	}
	return ""
}

// Higher implements fl.Metric.
func (m *clients) Higher() bool { return m.of == "accuracy" && m.statistic != "spread" }
