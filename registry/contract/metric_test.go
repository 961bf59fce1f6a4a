package contract

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// measuring is a metric that makes something of the objective.
func measuring(breaks, found string,
	do func(s *fl.Snapshot, objective float64) (float64, error)) citizen[fl.Metric] {
	return made(breaks, found, func() fl.Metric {
		return metric{measure: func(s *fl.Snapshot) (float64, error) {
			return do(s, s.Objective())
		}}
	})
}

func TestBadMetrics(t *testing.T) {
	calls := 0.0
	catches(t, metrics(), metrics().checks, []citizen[fl.Metric]{
		measuring("finite", "it measures NaN", func(*fl.Snapshot, float64) (float64, error) {
			return math.NaN(), nil
		}),
		measuring("finite", "error: no test data", func(*fl.Snapshot, float64) (float64, error) {
			return 0, errors.New("no test data")
		}),
		measuring("finite", "it measures +Inf", func(s *fl.Snapshot, _ float64) (float64, error) {
			return 1 / s.Params.Norm(), nil
		}),

		measuring("repeatable", " against ", func(_ *fl.Snapshot, x float64) (float64, error) {
			calls++
			return x * (1 + calls*1e-6), nil
		}),

		measuring("read-only", "the model changed", func(s *fl.Snapshot, x float64) (float64, error) {
			s.Params.Scale(2)
			return x, nil
		}),
		measuring("read-only", "the population changed", func(s *fl.Snapshot, x float64) (float64, error) {
			s.Population.Test.X.Data[0]++
			return x, nil
		}),
		measuring("read-only", "the losses of clients changed", func(s *fl.Snapshot, _ float64) (float64, error) {
			slices.Sort(s.ClientLosses())
			return slices.Max(s.ClientLosses()), nil
		}),

		measuring("client-order", " against ", func(s *fl.Snapshot, _ float64) (float64, error) {
			return s.ClientLosses()[0], nil
		}),

		measuring("direction", "Higher is false", func(_ *fl.Snapshot, x float64) (float64, error) {
			return -x, nil
		}),
		made("direction", "Higher is true", func() fl.Metric {
			return metric{measure: lossOfAll, higher: true}
		}),
		measuring("direction", "it measures 1 at the optimum and 1 far away",
			func(*fl.Snapshot, float64) (float64, error) { return 1, nil }),

		{"finite", "and says that it lies in [0, 1]", fl.MetricEntry{
			New: func(*fl.Params) (fl.Metric, error) {
				return metric{measure: func(s *fl.Snapshot) (float64, error) {
					return 2 + s.Objective(), nil
				}}, nil
			},
			Traits: fl.MetricTraits{Range: func(map[string]any) (low, high float64) { return 0, 1 }},
		}},

		{"reads", "it reads p, and does not say so", fl.MetricEntry{
			New: func(*fl.Params) (fl.Metric, error) {
				return metric{measure: func(s *fl.Snapshot) (float64, error) {
					return s.Objective(), nil
				}}, nil
			},
			Traits: fl.MetricTraits{Reads: func(map[string]any) []fl.Reading {
				return []fl.Reading{fl.ReadsTraining, fl.ReadsPopulation, fl.ReadsLoss}
			}},
		}},
	})
}
