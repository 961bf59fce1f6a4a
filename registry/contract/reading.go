package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A disturbance changes what one reading reads, and nothing else.
type disturbance struct {
	reading fl.Reading
	change  func(s *fl.Snapshot)
}

// disturbances are one for every reading.
func disturbances() []disturbance {
	return []disturbance{
		{fl.ReadsTest, func(s *fl.Snapshot) { disturbRows(s.Population.Test) }},
		{fl.ReadsTraining, func(s *fl.Snapshot) {
			disturbRows(s.Population.Train)
			for k := range s.Roster.Covariates.Data { // means over training rows
				s.Roster.Covariates.Data[k] *= float64(1 + k%3)
			}
		}},
		{fl.ReadsPopulation, func(s *fl.Snapshot) { // rows go to the client before
			for i := 1; i < clients; i++ {
				s.Population.Start[i]++
				s.Population.TestStart[i]++
			}
		}},
		{fl.ReadsImportance, func(s *fl.Snapshot) { slices.Reverse(s.Roster.Importance) }},
		{fl.ReadsEnrollment, func(s *fl.Snapshot) {
			for i := range s.Roster.Enrolled {
				s.Roster.Enrolled[i] = i%2 == 0
			}
		}},
		{fl.ReadsLoss, func(s *fl.Snapshot) { s.Worker = otherLoss{s.Worker} }},
		{fl.ReadsOptimum, func(s *fl.Snapshot) {
			optimal := s.Optimal
			s.Optimal = func() (*fl.Optimum, error) {
				best, err := optimal()
				other := fl.Optimum{Params: best.Params.Clone(), Value: best.Value - 1,
					Unique: true}
				other.Params.AddConst(1)
				return &other, err
			}
		}},
	}
}

// otherLoss predicts the same and has another loss.
type otherLoss struct{ fl.Worker }

func (w otherLoss) Loss(params fl.Vector, d *fl.Dataset) float64 {
	return 1 + 2*w.Worker.Loss(params, d)
}

// disturbRows gives rows other features and other labels or targets.
func disturbRows(d *fl.Dataset) {
	for k := range d.X.Data {
		d.X.Data[k] = 1 - d.X.Data[k]*float64(1+k%3)
	}
	for r := range d.Y {
		d.Y[r] = (d.Y[r] + 1) % d.Shape.Classes
	}
	for r := range d.Target {
		d.Target[r] += float64(1 + r%3)
	}
}

// disturbed returns a snapshot of the toy with one thing changed, and all that follows from it.
func (t *fixture) disturbed(params fl.Vector, change func(s *fl.Snapshot)) *fl.Snapshot {
	shot := t.snapshot(params)
	change(shot)
	addMoments(shot.Population)
	if train := shot.Population.Train; train.Target != nil {
		mix := shot.Population.Mix(shot.Roster.Importance)
		shot.Pooled = &fl.Dataset{Shape: train.Shape, Moments: mix}
	}
	return shot
}

// readsDeclared checks that a metric does not read what its entry leaves out.
func readsDeclared(s *subject[fl.Metric]) string {
	reads := fl.TraitsOf[fl.MetricTraits](s.entry).Reads
	if reads == nil {
		return ""
	}
	p := s.registry.Params(s.given, s.toy.setting)
	// It was built before, and so there is no error.
	_, _ = s.entry.New(p)
	declared := reads(p.Resolved())
	known := map[fl.Reading]bool{}
	params := far(s, 0)
	want, _ := measure(s, s.toy.disturbed(params, func(*fl.Snapshot) {}))
	for _, d := range disturbances() {
		known[d.reading] = true
		if slices.Contains(declared, d.reading) {
			continue
		}
		got, broken := measure(s, s.toy.disturbed(params, d.change))
		if broken != "" {
			return fmt.Sprintf("with other %s: %s", d.reading, broken)
		}
		if math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Sprintf("it reads %s, and does not say so: it measures %v, then %v",
				d.reading, want, got)
		}
	}
	for _, r := range declared {
		if !known[r] {
			return fmt.Sprintf("it says that it reads %q, which is no reading", r)
		}
	}
	return ""
}
