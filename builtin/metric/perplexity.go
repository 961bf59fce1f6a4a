// Perplexity — of how many classes, all alike, the model leaves the choice.
//
//	F. Jelinek, R. L. Mercer, L. R. Bahl, J. K. Baker. Perplexity: a Measure of the Difficulty of
//	Speech Recognition Tasks. Journal of the Acoustical Society of America 62, 1977.
//
// It is e to the mean cross-entropy of all labels of the test data: of the next token at every
// position of a text, or of the one label of a row. A uniform guess among C classes has
// perplexity C.
//
// Departures: a penalty of the model is part of its loss, and so of this.

package metric

import (
	"cmp"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Perplexity describes the metric to the registry.
var Perplexity = fl.MetricEntry{
	Name:       "perplexity",
	Summary:    "e to the mean cross-entropy of the labels of the test data",
	Paper:      "jelinek1977",
	Deviations: "a penalty of the model is part of the loss",
	New: func(p *fl.Params) (fl.Metric, error) {
		return perplexity{loss{newTested(p)}}, nil
	},
	Fits: func(s fl.Setting) error {
		return cmp.Or(needsClasses(s), needsTests(s))
	},
	Traits: fl.MetricTraits{
		Range: func(map[string]any) (low, high float64) { return 1, math.Inf(1) },
		Reads: func(params map[string]any) []fl.Reading {
			return append(readsTests(params), fl.ReadsLoss)
		},
	},
}

type perplexity struct{ loss }

var _ fl.Metric = perplexity{}

// Measure implements fl.Metric.
func (p perplexity) Measure(s *fl.Snapshot) (float64, error) {
	mean, err := p.loss.Measure(s)
	return math.Exp(mean), err
}
