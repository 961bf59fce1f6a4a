// Download — floats that the server has sent to clients.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Download describes the metric to the registry.
var Download = fl.MetricEntry{
	Name:    "download",
	Summary: "floats sent to the clients that trained so far",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{"floats", func(s *fl.Snapshot) float64 { return float64(s.Downloaded) }}, nil
	},
	Traits: fl.MetricTraits{Reads: reads()},
}
