// Upload — floats that clients have sent to the server.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Upload describes the metric to the registry.
var Upload = fl.MetricEntry{
	Name:    "upload",
	Summary: "floats sent by clients so far: models and everything beside them",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{"floats", func(s *fl.Snapshot) float64 { return float64(s.Uploaded) }}, nil
	},
	Traits: fl.MetricTraits{Reads: reads()},
}
