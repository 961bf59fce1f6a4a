// Package metric holds what can be measured of a global model. Every metric says what it
// weights by; a number without its weighting cannot be compared.
package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// counter is a metric of what a cell spent so far: neither high nor low is better as such,
// but less is cheaper.
type counter struct {
	unit string
	read func(s *fl.Snapshot) float64
}

var _ fl.Metric = counter{}

// Measure implements fl.Metric.
func (c counter) Measure(s *fl.Snapshot) (float64, error) { return c.read(s), nil }

// Unit implements fl.Metric.
func (c counter) Unit() string { return c.unit }

// Higher implements fl.Metric.
func (c counter) Higher() bool { return false }

// reads says that a metric reads these, whatever its parameters.
func reads(list ...fl.Reading) func(map[string]any) []fl.Reading {
	return func(map[string]any) []fl.Reading { return slices.Clone(list) }
}

// readsObjective is what the training objective depends on.
var readsObjective = []fl.Reading{fl.ReadsTraining, fl.ReadsPopulation, fl.ReadsImportance,
	fl.ReadsLoss}

// readsGap says what a distance from the optimum of that depends on.
var readsGap = reads(append(slices.Clone(readsObjective), fl.ReadsOptimum)...)

// readsTests says what a mean over test data depends on.
func readsTests(params map[string]any) []fl.Reading {
	switch params["weighting"] {
	case "samples":
		return []fl.Reading{fl.ReadsTest}
	case "importance":
		return []fl.Reading{fl.ReadsTest, fl.ReadsPopulation, fl.ReadsImportance}
	}
	return []fl.Reading{fl.ReadsTest, fl.ReadsPopulation}
}

// percentage is the range of a share in per cent.
func percentage(map[string]any) (low, high float64) { return 0, 100 }

// atLeastZero is the range of losses, distances, bytes and seconds.
func atLeastZero(map[string]any) (low, high float64) { return 0, math.Inf(1) }

// needsOptimum refuses settings whose optimum cannot be computed.
func needsOptimum(s fl.Setting) error {
	if !s.Solvable {
		return errors.New("needs the optimum: of linear or quantile, or of softmax or " +
			"logistic with l2 > 0")
	}
	return nil
}

// needsClasses refuses regression.
func needsClasses(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("needs classes; these data have a regression target")
	}
	return nil
}

// needsTests refuses data without test samples.
func needsTests(s fl.Setting) error {
	if !s.Shape.Tested && !s.Own {
		return errors.New("needs test samples; this dataset has none")
	}
	return nil
}

// perClient says how the test sets of clients are weighted against each other.
type perClient string

// weighting declares how test samples count.
func weighting(p *fl.Params) perClient {
	w := perClient(p.Choice("weighting", "samples", "test samples count the same; or clients, "+
		"by p or the same, where test data belong to clients", "samples", "importance", "uniform"))
	switch s := p.Setting(); {
	case !s.Known():
	case w != "samples" && !s.ClientTests():
		p.Fail("weighting", "%s %s", w, unassigned)
	case w == "samples" && !s.Shape.Tested && s.Own:
		p.Fail("weighting", "samples needs test samples; this dataset has none, and what clients "+
			"hold out is weighed by client: importance or uniform")
	}
	return w
}

// unassigned is why what is measured by client cannot be measured on test data.
const unassigned = "needs test data that belong to clients; by this dataset and partition " +
	"they do not, but with test = \"client\" or held_out"

// mean returns the mean of a measurement over the test data.
func (w perClient) mean(s *fl.Snapshot, measure func(d *fl.Dataset) float64) (float64, error) {
	pop := s.Population
	_, start := pop.ClientTests()
	switch none := pop.Test == nil || pop.Test.Len() == 0; {
	case none && (w == "samples" || start == nil):
		return 0, errors.New("this dataset has no test samples")
	case w == "samples":
		return measure(pop.Test), nil
	case start == nil:
		return 0, fmt.Errorf("weighting = %q needs test data that belong to clients", w)
	}
	sum := 0.0
	for i := range pop.N() {
		d := pop.ClientTest(i)
		share := 1 / float64(pop.N())
		if w == "importance" {
			share = s.Roster.Importance[i]
		}
		if d.Len() == 0 {
			return 0, errors.New("a client has no test samples")
		}
		sum += share * measure(&d)
	}
	return sum, nil
}

// hits returns the share of samples whose class has the largest score, in percent.
func hits(s *fl.Snapshot, d *fl.Dataset) float64 {
	return 100 * float64(fl.Correct(s.Worker, s.Params, d)) / float64(d.Len())
}
