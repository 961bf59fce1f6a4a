// Download — bytes that the server has sent to clients.

package metric

import "github.com/hansa-fl/hansa/framework/fl"

// Download describes the metric to the registry.
var Download = fl.MetricEntry{
	Name:    "download",
	Summary: "bytes sent to clients so far: 4 for each number, and codes of compressed models",
	New: func(*fl.Params) (fl.Metric, error) {
		return counter{fl.Bytes, func(s *fl.Snapshot) float64 {
			return fl.BytesPerNumber*float64(s.Downloaded) + float64(s.CodedDown)/8
		}}, nil
	},
	Traits: fl.MetricTraits{Packed: true, Reads: reads(), Range: atLeastZero},
}
