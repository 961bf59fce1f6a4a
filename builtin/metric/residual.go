// Residual — how far the weights that clients were given are from correcting participation.
//
//	FedIPW: enrolment and participation. The residual weight error ε of Theorem 6.1 and
//	Corollary 6.2.
//
// Notation: ρᵢ = πᵢωᵢ/pᵢ, the mean over the rounds in which client i participated: πᵢ the true
// probability that it is in the cohort, enrolment included, ωᵢ its weight, pᵢ its importance. In
// the limit client i has weight ρᵢpᵢ.
//
//	raw         ε  = maxᵢ |ρᵢ − 1|
//	scale-free  ε′ = maxᵢ |ρᵢ/ρ̄ − 1|,  ρ̄ = Σ pᵢρᵢ / Σ pᵢ
//
// over the clients that participated, among those with pᵢ > 0. The scale-free one causes bias: a
// common factor of all ρᵢ changes only the length of a step. Clients that never participated are in
// neither.
//
// It is NaN before the first non-empty round; and where the true probability has no closed form, or
// the aggregator is no weighted mean, which a note then says. A table shows such a method as not
// finite, and the others as they are.
//
// Departures: the paper has p = 1/N, and ρᵢ of one round.

package metric

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Residual describes the metric to the registry.
var Residual = fl.MetricEntry{
	Name:       "residual",
	Summary:    "how far weights are from correcting participation, at the worst client",
	Paper:      "fedipw",
	Deviations: "for any p, and means over rounds; clients that never participated are left out",
	New:        newResidual,
	Traits: fl.MetricTraits{Packed: true, Judges: true, Reads: reads(fl.ReadsImportance),
		Range: atLeastZero},
	Waives: map[string]string{"direction": "it measures weights, whatever the model is"},
}

type residual struct{ raw bool }

var _ fl.Metric = residual{}

func newResidual(p *fl.Params) (fl.Metric, error) {
	form := p.Choice("form", "scale-free", "max |ρᵢ/ρ̄ − 1|, which is 0 where there is no bias; "+
		"or max |ρᵢ − 1|, where weights that are all too small count, too", "scale-free", "raw")
	return residual{raw: form == "raw"}, nil
}

// Measure implements fl.Metric.
func (m residual) Measure(s *fl.Snapshot) (float64, error) {
	counts := func(i int) bool { return s.Roster.Importance[i] > 0 && !math.IsNaN(s.Residual[i]) }
	sum, weight := 0.0, 0.0
	for i, rho := range s.Residual {
		if counts(i) {
			sum += s.Roster.Importance[i] * rho
			weight += s.Roster.Importance[i]
		}
	}
	if weight == 0 {
		return math.NaN(), nil
	}
	mean := sum / weight
	if m.raw {
		mean = 1
	}
	worst := 0.0
	for i, rho := range s.Residual {
		if counts(i) {
			worst = max(worst, math.Abs(rho/mean-1))
		}
	}
	return worst, nil
}

// Unit implements fl.Metric.
func (residual) Unit() string { return "" }

// Higher implements fl.Metric.
func (residual) Higher() bool { return false }
