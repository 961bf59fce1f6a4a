package contract

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A metric that reads what its entry leaves out is caught, whatever that is.
func TestMetricsThatReadWhatTheyDoNotSay(t *testing.T) {
	for reading, measure := range map[fl.Reading]func(s *fl.Snapshot) float64{
		fl.ReadsTest: func(s *fl.Snapshot) float64 {
			return s.Worker.Loss(s.Params, s.Population.Test)
		},
		fl.ReadsTraining: (*fl.Snapshot).Objective,
		fl.ReadsPopulation: func(s *fl.Snapshot) float64 {
			return slices.Max(s.ClientLosses())
		},
		fl.ReadsImportance: (*fl.Snapshot).Objective,
		fl.ReadsEnrollment: func(s *fl.Snapshot) float64 {
			sum := 0.0
			for i, loss := range s.ClientLosses() {
				if s.Roster.Reaches(i) {
					sum += loss
				}
			}
			return sum
		},
		fl.ReadsLoss: (*fl.Snapshot).Objective,
		fl.ReadsOptimum: func(s *fl.Snapshot) float64 {
			best, err := s.Optimal()
			if err != nil {
				panic(err)
			}
			return s.Params.Distance(best.Params)
		},
	} {
		var all []fl.Reading
		for _, d := range disturbances() {
			if d.reading != reading {
				all = append(all, d.reading)
			}
		}
		entry := func(declared ...fl.Reading) fl.MetricEntry {
			return fl.MetricEntry{
				New: func(*fl.Params) (fl.Metric, error) {
					return metric{measure: func(s *fl.Snapshot) (float64, error) {
						return measure(s), nil
					}}, nil
				},
				Traits: fl.MetricTraits{Reads: func(map[string]any) []fl.Reading { return declared }},
			}
		}
		found := examined(t, metrics(), entry(all...))
		if len(found) != 1 || found[0].Check != "reads" {
			t.Errorf("all but %s: %v", reading, found)
		}
		if found := examined(t, metrics(), entry(append(all, reading)...)); len(found) > 0 {
			t.Errorf("with %s: %v", reading, found)
		}
		if found := examined(t, metrics(), entry(append(all, reading, "mood")...)); len(found) != 1 {
			t.Errorf("what is no reading is accepted: %v", found)
		}
	}
}
