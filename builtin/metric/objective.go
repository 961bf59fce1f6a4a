// Objective — the training objective F(θ) = Σ pᵢ fᵢ(θ), which the methods are to minimise.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Objective describes the metric to the registry.
var Objective = fl.MetricEntry{
	Name:    "objective",
	Summary: "training objective F(θ) = Σ pᵢ fᵢ(θ) of all clients, enrolled or not",
	New:     func(*fl.Params) (fl.Metric, error) { return objective{}, nil },
	Traits:  fl.MetricTraits{Packed: true, Reads: reads(readsObjective...), Range: atLeastZero},
}

type objective struct{}

var _ fl.Metric = objective{}

// Measure implements fl.Metric.
func (objective) Measure(s *fl.Snapshot) (float64, error) { return s.Objective(), nil }

// Unit implements fl.Metric.
func (objective) Unit() string { return "" }

// Higher implements fl.Metric.
func (objective) Higher() bool { return false }
