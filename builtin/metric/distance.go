// Distance — ‖θ − θ*‖, how far the model is from the minimiser of the training objective, that
// of the whole population, clients that never enrolled included.

package metric

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Distance describes the metric to the registry.
var Distance = fl.MetricEntry{
	Name:    "distance",
	Summary: "‖θ − θ*‖ to the minimiser of F over all clients, enrolled or not",
	New:     func(*fl.Params) (fl.Metric, error) { return distance{}, nil },
	Fits:    needsOptimum,
	Traits:  fl.MetricTraits{Packed: true, Reads: readsGap, Range: atLeastZero},
}

type distance struct{}

var _ fl.Metric = distance{}

// Measure implements fl.Metric.
func (distance) Measure(s *fl.Snapshot) (float64, error) {
	best, err := optimal(s)
	if err != nil {
		return 0, err
	}
	if !best.Unique {
		return 0, errors.New("the training objective has several minimisers (too few samples for " +
			"its features), so no distance means anything; measure suboptimality")
	}
	return s.Params.Distance(best.Params), nil
}

// Unit implements fl.Metric.
func (distance) Unit() string { return "" }

// Higher implements fl.Metric.
func (distance) Higher() bool { return false }
