// Backdoor — how often a pattern of pixels makes the model say the class that an adversary wants.
//
//	T. Gu, B. Dolan-Gavitt, S. Garg. BadNets: Identifying Vulnerabilities in the Machine Learning
//	Model Supply Chain. arXiv:1708.06733, 2017.
//
// It is the share of test images of other classes that the global model takes for the target once
// the pattern is set. Without a backdoor it is about the share of mistakes that the pattern causes
// by itself, which a table can show beside it: the metric does not need the adversary.

package metric

import (
	"cmp"
	"errors"

	"github.com/hansa-fl/hansa/builtin/adversary"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Backdoor describes the metric to the registry.
var Backdoor = fl.MetricEntry{
	Name:     "backdoor",
	Summary:  "share of test images that a pattern of pixels makes the model take for one class",
	Paper:    "gu2017",
	OneLabel: true,
	New:      newBackdoor,
	Traits: fl.MetricTraits{Range: percentage,
		Reads: func(map[string]any) []fl.Reading { return []fl.Reading{fl.ReadsTest} }},
	Fits: func(s fl.Setting) error {
		if s.Shape.Image == (fl.Image{}) {
			return errors.New("needs images")
		}
		return cmp.Or(needsClasses(s), needsTestRows(s))
	},
}

// needsTestRows refuses data without test samples that belong to no client alone.
func needsTestRows(s fl.Setting) error {
	if !s.Shape.Tested {
		return errors.New("needs test samples; this dataset has none")
	}
	return nil
}

// newBackdoor declares the pattern, which is that of the adversary where that is a backdoor.
func newBackdoor(p *fl.Params) (fl.Metric, error) {
	b := &backdoor{adversary.NewPattern(p)}
	s := p.Setting()
	if s.Adversary != "backdoor" {
		return b, nil
	}
	own := map[string]float64{"target": float64(b.pattern.Target), "size": float64(b.pattern.Size),
		"value": b.pattern.Value}
	for _, n := range s.Attacks {
		if mine, ok := own[n.Name]; ok && mine != n.Value {
			p.Fail(n.Name, "%v, and the pattern of adversary backdoor has %v", mine, n.Value)
		}
	}
	return b, nil
}

type backdoor struct{ pattern adversary.Pattern }

var _ fl.Metric = (*backdoor)(nil)

// stamped is how many images are stamped at once.
const stamped = 256

// Measure implements fl.Metric.
func (b *backdoor) Measure(s *fl.Snapshot) (float64, error) {
	test := s.Population.Test
	if test == nil {
		return 0, errors.New("this dataset has no test samples")
	}
	part := &fl.Dataset{Shape: test.Shape, X: fl.NewMatrix(stamped, test.X.Cols)}
	part.X.Rows = 0
	hits, all := 0, 0
	count := func() {
		part.X.Data = part.X.Data[:part.X.Rows*part.X.Cols]
		hits += fl.Correct(s.Worker, s.Params, part)
		all += part.X.Rows
		part.X.Data, part.X.Rows, part.Y = part.X.Data[:stamped*part.X.Cols], 0, part.Y[:0]
	}
	for r, y := range test.Y {
		if y == b.pattern.Target {
			continue
		}
		row := fl.Vector(part.X.Data[len(part.Y)*part.X.Cols:][:part.X.Cols])
		copy(row, test.X.Row(r))
		b.pattern.Stamp(row, test.Shape.Image)
		part.Y, part.X.Rows = append(part.Y, b.pattern.Target), part.X.Rows+1
		if part.X.Rows == stamped {
			count()
		}
	}
	if part.X.Rows > 0 {
		count()
	}
	if all == 0 {
		return 0, errors.New("all test images are of the target class")
	}
	return 100 * float64(hits) / float64(all), nil
}

// Unit implements fl.Metric.
func (*backdoor) Unit() string { return "%" }

// Higher implements fl.Metric.
func (*backdoor) Higher() bool { return false }
