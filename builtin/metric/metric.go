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
	_, own := params["model"] // of clients, which have test samples of their own
	switch by := params["weighting"]; {
	case by == "samples" && !own:
		return []fl.Reading{fl.ReadsTest}
	case by == "importance":
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

// A tested says what is measured on test data: how samples count, and of whose model.
type tested struct {
	weighting perClient
	whose     fl.Whose
}

// newTested declares what is measured on test data.
func newTested(p *fl.Params) tested {
	t := tested{weighting: weighting(p), whose: newWhose(p)}
	s, global := p.Setting(), t.whose == fl.GlobalModel
	switch {
	case !s.Known():
	case !global && !s.ClientTests():
		p.Fail("model", "%s %s", t.whose, unassigned)
	case global && t.weighting == "samples" && !s.Shape.Tested && s.Own:
		p.Fail("weighting", "samples needs test samples; this dataset has none, and what clients "+
			"hold out is weighed by client: importance or uniform")
	}
	return t
}

// mean returns the mean of a measurement over the test data, of the global model, or of models of
// clients each over its own.
func (t tested) mean(
	s *fl.Snapshot, of string, global func(d *fl.Dataset) float64,
) (float64, error) {
	if t.whose == fl.GlobalModel {
		return t.weighting.mean(s, global)
	}
	return t.weighting.own(s, part{whose: t.whose, of: of, test: true})
}

// weighting declares how test samples count.
func weighting(p *fl.Params) perClient {
	w := perClient(p.Choice("weighting", "samples", "test samples count the same; or clients, "+
		"by p or the same, where test data belong to clients", "samples", "importance", "uniform"))
	if s := p.Setting(); w != "samples" && s.Known() && !s.ClientTests() {
		p.Fail("weighting", "%s %s", w, unassigned)
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

// hits returns the share of labels whose class has the largest score, in percent.
func hits(s *fl.Snapshot, params fl.Vector, d *fl.Dataset) float64 {
	return 100 * float64(fl.Correct(s.Worker, params, d)) / float64(len(d.Y))
}
