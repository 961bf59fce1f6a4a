// Seconds — wall-clock time since the cell began, measuring included.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Seconds describes the metric to the registry.
var Seconds = fl.MetricEntry{
	Name:    "seconds",
	Summary: "seconds since the training began; not part of the result, as they always differ",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{"s", func(s *fl.Snapshot) float64 { return s.Seconds }}, nil
	},
	Traits: fl.MetricTraits{Packed: true, Reads: reads(), Range: atLeastZero},
}
