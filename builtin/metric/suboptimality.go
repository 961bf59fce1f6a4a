// Suboptimality — F(θ) − F(θ*), how far the training objective is above its minimum. Both are
// of the whole population: clients that never enrolled count in F as their importance says.

package metric

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Suboptimality describes the metric to the registry.
var Suboptimality = fl.MetricEntry{
	Name:    "suboptimality",
	Summary: "F(θ) − F(θ*) over all clients, enrolled or not; θ* exact or to ‖∇F‖ ≤ 1e-12",
	New:     func(*fl.Params) (fl.Metric, error) { return suboptimality{}, nil },
	Fits:    needsOptimum,
	Traits:  fl.MetricTraits{Packed: true, Reads: readsGap, Range: atLeastZero},
}

type suboptimality struct{}

var _ fl.Metric = suboptimality{}

// Measure implements fl.Metric.
func (suboptimality) Measure(s *fl.Snapshot) (float64, error) {
	best, err := optimal(s)
	if err != nil {
		return 0, err
	}
	if best.Gap != nil {
		return best.Gap(s.Params), nil
	}
	return s.Objective() - best.Value, nil
}

// Unit implements fl.Metric.
func (suboptimality) Unit() string { return "" }

// Higher implements fl.Metric.
func (suboptimality) Higher() bool { return false }

// optimal returns the optimum of the training objective.
func optimal(s *fl.Snapshot) (*fl.Optimum, error) {
	if s.Optimal == nil {
		return nil, errors.New("the optimum of this model cannot be computed")
	}
	return s.Optimal()
}
