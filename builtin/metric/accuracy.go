// Accuracy — share of test samples whose class has the largest score.

package metric

import (
	"cmp"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Accuracy describes the metric to the registry.
var Accuracy = fl.MetricEntry{
	Name:    "accuracy",
	Summary: "share of test samples that are classified correctly",
	New:     func(p *fl.Params) (fl.Metric, error) { return accuracy{newTested(p)}, nil },
	Traits:  fl.MetricTraits{Packed: true, Reads: readsTests, Range: percentage},
	Fits: func(s fl.Setting) error {
		return cmp.Or(needsClasses(s), needsTests(s))
	},
}

type accuracy struct{ tested }

var _ fl.Metric = accuracy{}

// Measure implements fl.Metric.
func (a accuracy) Measure(s *fl.Snapshot) (float64, error) {
	return a.mean(s, "accuracy", func(d *fl.Dataset) float64 { return hits(s, s.Params, d) })
}

// Unit implements fl.Metric.
func (accuracy) Unit() string { return "%" }

// Higher implements fl.Metric.
func (accuracy) Higher() bool { return true }
