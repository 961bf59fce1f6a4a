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
	Traits:     fl.MetricTraits{Reads: readsPart, Range: rangeOfPart},
}

type clients struct {
	part      part
	statistic string
}

var _ fl.Metric = (*clients)(nil)

func newClients(p *fl.Params) (fl.Metric, error) {
	return &clients{
		part: newPart(p),
		statistic: p.Choice("statistic", "worst-decile", "over clients, each counting the same",
			"mean", "worst-decile", "worst", "spread"),
	}, nil
}

// Measure implements fl.Metric.
func (m *clients) Measure(s *fl.Snapshot) (float64, error) {
	x, err := m.part.byClient(s)
	if err != nil {
		return 0, err
	}
	for i := range x {
		if m.part.samples(s.Population, i) == 0 {
			return 0, errors.New("a client has no test samples")
		}
	}
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
	if m.part.of == "accuracy" {
		slices.Reverse(x)
	}
	worst := 1
	if m.statistic == "worst-decile" {
		worst = (len(x) + 9) / 10
	}
	return x[len(x)-worst:].Sum() / float64(worst), nil
}

// Unit implements fl.Metric.
func (m *clients) Unit() string { return m.part.unit() }

// Higher implements fl.Metric.
func (m *clients) Higher() bool { return m.part.of == "accuracy" && m.statistic != "spread" }
