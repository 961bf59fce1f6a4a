// Virtual time — how long all rounds so far lasted, by the completion model.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// VirtualTime describes the metric to the registry.
var VirtualTime = fl.MetricEntry{
	Name:    "virtual-time",
	Summary: "hours that rounds lasted so far, by the completion model; 0 where there is none",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{fl.Hours, func(s *fl.Snapshot) float64 { return s.Time / 3600 }}, nil
	},
	Traits: fl.MetricTraits{Packed: true, Reads: reads(), Range: atLeastZero},
}
