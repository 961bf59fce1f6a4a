// Clients — what one number over all clients hides: their mean, the worst and the best of them, and
// how unequal they are. Each client counts the same, or by its samples.
//
//	T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in Federated Learning. ICLR
//	2020, Table 1: average, worst and best 10 %, variance over devices; Appendix: entropy.
//	R. Jain, D.-M. Chiu, W. Hawe. A Quantitative Measure of Fairness and Discrimination for
//	Resource Allocation in Shared Computer Systems. DEC Research Report TR-301, 1984.
//
// Notation: xᵢ the measurement of client i, wᵢ its weight, 1/N or nᵢ/n, x̄ = Σ wᵢxᵢ, sᵢ = wᵢxᵢ/x̄
// its share of the whole:
//
//	variance: Σ wᵢ(xᵢ − x̄)², of accuracies in squared percentage points; spread: its root,
//	jain:     x̄²/Σ wᵢxᵢ², from minᵢ wᵢ to 1,
//	entropy:  1 − Σ sᵢ log(sᵢ/wᵢ)/log(1/minᵢ wᵢ), from 0 to 1.
//
// The last two are 1 where all clients have the same; where each counts the same, entropy is that
// of the shares, divided by log N. They are defined for measurements that are not negative. The
// worst and the best decile are means over a tenth of the clients, rounded up, or of the samples,
// of which the last client gives a part.
//
// Departures: the paper divides no entropy by its maximum.

package metric

import (
	"errors"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Clients describes the metric to the registry.
var Clients = fl.MetricEntry{
	Name:       "clients",
	Summary:    "loss or accuracy by client: mean, worst and best decile, or how unequal they are",
	Paper:      "li2020fair",
	Deviations: "entropy is divided by its maximum",
	Waives: map[string]string{
		"direction": "far from the optimum losses are large, and more equal than at it",
	},
	New:    newClients,
	Traits: fl.MetricTraits{Packed: true, Reads: readsPart, Range: rangeOfClients},
}

type clients struct {
	part      part
	statistic string
	bySamples bool // each client counts by its samples
}

var _ fl.Metric = (*clients)(nil)

func newClients(p *fl.Params) (fl.Metric, error) {
	m := &clients{
		part: newPart(p),
		statistic: p.Choice("statistic", "worst-decile", "over clients: their mean; the mean of "+
			"the worst or the best tenth; the worst; the standard deviation, or its square; "+
			"Jain's index; entropy, divided by its maximum", "mean", "worst-decile", "worst",
			"spread", "variance", "best-decile", "jain", "entropy"),
		bySamples: p.Choice("weighting", "uniform", "whether each client counts the same, or by "+
			"the samples on which it is measured", "uniform", "samples") == "samples",
	}
	p.Later("weighting")
	return m, nil
}

// rangeOfClients is that of a measurement, of its variance, or of an index.
func rangeOfClients(params map[string]any) (low, high float64) {
	low, high = rangeOfPart(params)
	switch params["statistic"] {
	case "jain", "entropy":
		return 0, 1
	case "variance":
		return 0, high * high / 4
	}
	return low, high
}

// Measure implements fl.Metric.
func (m *clients) Measure(s *fl.Snapshot) (float64, error) {
	x, err := m.part.byClient(s)
	if err != nil {
		return 0, err
	}
	count := make(fl.Vector, len(x))
	for i := range x {
		n := m.part.samples(s.Population, i)
		if n == 0 {
			return 0, errors.New("a client has no test samples")
		}
		if count[i] = 1; m.bySamples {
			count[i] = float64(n)
		}
	}
	switch m.statistic {
	case "mean":
		return weightedMean(x, count), nil
	case "spread":
		return math.Sqrt(variance(x, count)), nil
	case "variance":
		return variance(x, count), nil
	case "jain":
		return jain(x, count), nil
	case "entropy":
		return entropy(x, count), nil
	}
	if largest := m.statistic == "best-decile"; (m.part.of == "accuracy") != largest {
		for i := range x {
			x[i] = -x[i]
		}
		return -m.tail(x, count), nil
	}
	return m.tail(x, count), nil
}

// tail returns the mean of the largest tenth, or of the largest.
func (m *clients) tail(x, count fl.Vector) float64 {
	if m.statistic == "worst" {
		return slices.Max(x)
	}
	most := count.Sum() / 10
	if !m.bySamples {
		most = math.Ceil(most)
	}
	return largest(x, count, most)
}

// Unit implements fl.Metric.
func (m *clients) Unit() string { return m.part.unitOf(m.statistic) }

// Higher implements fl.Metric.
func (m *clients) Higher() bool { return m.part.higher(m.statistic) }
