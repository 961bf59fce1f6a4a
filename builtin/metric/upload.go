// Upload — bytes that clients have sent to the server.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Upload describes the metric to the registry.
var Upload = fl.MetricEntry{
	Name:    "upload",
	Summary: "bytes sent by clients so far: 4 for each number, and codes of compressed updates",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{fl.Bytes, func(s *fl.Snapshot) float64 {
			return fl.BytesPerNumber*float64(s.Uploaded) + float64(s.Coded)/8
		}}, nil
	},
	Traits: fl.MetricTraits{Packed: true, Reads: reads(), Range: atLeastZero},
}
