package kinds

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Spread measures how far apart the clients' losses are.
var Spread = fl.MetricEntry{
	Name:    "spread",
	Summary: "the range of the clients' losses, and its entropy",
	New: func(p *fl.Params) (fl.Metric, error) {
		return &spread{of: p.Choice("of", "range", "what is measured", "range", "entropy")}, nil
	},
	Waives: map[string]string{"direction": "far away all losses are large alike"},
}

type spread struct{ of string }

// Measure implements fl.Metric.
func (m *spread) Measure(s *fl.Snapshot) (float64, error) {
	losses := s.ClientLosses()
	if m.of == "range" {
		return slices.Max(losses) - slices.Min(losses), nil
	}
	sum, entropy := losses.Sum(), 0.0
	for _, x := range losses {
		if x > 0 {
			entropy -= x / sum * math.Log(x/sum)
		}
	}
	one, two := stats.UniformInclusion(len(losses), 1)
	return entropy * one * (1 + two), nil
}

// Unit implements fl.Metric.
func (*spread) Unit() string { return "" }

// Higher implements fl.Metric.
func (*spread) Higher() bool { return false }
