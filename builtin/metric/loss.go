// Loss — mean loss on the test data.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Loss describes the metric to the registry.
var Loss = fl.MetricEntry{
	Name:    "loss",
	Summary: "mean loss of the model on the test data, penalty included",
	New:     func(p *fl.Params) (fl.Metric, error) { return loss{newTested(p)}, nil },
	Fits:    needsTests,
	Traits: fl.MetricTraits{Packed: true,
		Range: atLeastZero, Reads: func(params map[string]any) []fl.Reading {
			return append(readsTests(params), fl.ReadsLoss)
		}},
}

type loss struct{ tested }

var _ fl.Metric = loss{}

// Measure implements fl.Metric.
func (l loss) Measure(s *fl.Snapshot) (float64, error) {
	return l.mean(s, "loss", func(d *fl.Dataset) float64 { return s.Worker.Loss(s.Params, d) })
}

// Unit implements fl.Metric.
func (loss) Unit() string { return "" }

// Higher implements fl.Metric.
func (loss) Higher() bool { return false }
