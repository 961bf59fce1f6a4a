// Observed — a number that a component observes in every round, such as the sweeps of a
// transport plan or an effective sample size: the footnote as a column.

package metric

import (
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Observed describes the metric to the registry.
var Observed = fl.MetricEntry{
	Name:    "observed",
	Summary: "what components observe of their rounds, by name, over the rounds so far",
	New:     newObserved,
	Example: map[string]any{"of": "effective sample size"},
	Traits:  fl.MetricTraits{Packed: true, Describes: true, Reads: reads()},
	Waives:  map[string]string{"finite": "before anything is observed there is no number"},
}

type observed struct {
	of        string
	statistic string
}

var _ fl.Metric = (*observed)(nil)

func newObserved(p *fl.Params) (fl.Metric, error) {
	return &observed{
		of: p.Text("of", "",
			"the name in the footnote, or its beginning: then the mean of all such"),
		statistic: p.Choice("statistic", "mean", "over the rounds so far",
			"mean", "least", "most"),
	}, nil
}

// Measure implements fl.Metric. It is NaN before anything of that name was observed.
func (m *observed) Measure(s *fl.Snapshot) (float64, error) {
	if s.Notes == nil {
		return math.NaN(), nil
	}
	sum, n, exact := 0.0, 0, false
	for _, o := range s.Notes.Observations() {
		if o.Name != m.of && (exact || !strings.HasPrefix(o.Name, m.of)) {
			continue
		}
		if o.Name == m.of && !exact {
			exact, sum, n = true, 0, 0
		}
		sum += m.pick(o)
		n++
	}
	return sum / float64(n), nil // 0/0 is NaN
}

func (m *observed) pick(o fl.Observation) float64 {
	switch m.statistic {
	case "least":
		return o.Least
	case "most":
		return o.Most
	}
	return o.Mean
}

// Unit implements fl.Metric.
func (*observed) Unit() string { return "" }

// Higher implements fl.Metric: neither direction is better.
func (*observed) Higher() bool { return false }
