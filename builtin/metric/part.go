package metric

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A part is what is measured at each client.
type part struct {
	whose fl.Whose // model
	of    string   // loss or accuracy
	test  bool     // on its test samples, not its training samples
}

// newPart declares what is measured at each client.
func newPart(p *fl.Params) part {
	m := part{of: p.Choice("of", "loss", "what is measured at each client", "loss", "accuracy")}
	m.test = p.Choice("on", "train", "each client's training samples, or its test samples",
		"train", "test") == "test"
	m.whose = newWhose(p)
	s := p.Setting()
	if !s.Known() {
		return m
	}
	if err := needsClasses(s); m.of == "accuracy" && err != nil {
		p.Fail("of", "accuracy %v", err)
	}
	if err := needsTests(s); m.test && err != nil {
		p.Fail("on", "test %v", err)
	}
	if m.test && !s.ClientTests() {
		p.Fail("on", "test %s", unassigned)
	}
	return m
}

// readsPart says what is read of clients that are measured one by one.
func readsPart(params map[string]any) []fl.Reading {
	list := []fl.Reading{fl.ReadsPopulation, fl.ReadsTraining}
	if params["on"] == "test" {
		list[1] = fl.ReadsTest
	}
	if params["of"] == "loss" {
		list = append(list, fl.ReadsLoss)
	}
	return list
}

// rangeOfPart is that of what is measured of clients one by one, and of its spread.
func rangeOfPart(params map[string]any) (low, high float64) {
	if params["of"] == "accuracy" {
		return percentage(params)
	}
	return atLeastZero(params)
}

// samples returns how many there are at client i.
func (m part) samples(pop *fl.Population, i int) int {
	start := pop.Start
	if m.test {
		_, start = pop.ClientTests()
	}
	return start[i+1] - start[i]
}

// byClient measures each client; the result may be written to. What it says of a client
// without samples means nothing.
func (m part) byClient(s *fl.Snapshot) (fl.Vector, error) {
	if _, start := s.Population.ClientTests(); m.test && start == nil {
		return nil, errors.New("on = \"test\" needs test data that belong to clients; these do not")
	}
	if m.of == "loss" && !m.test && (m.whose == fl.GlobalModel || m.whose == "") {
		return s.ClientLosses().Clone(), nil
	}
	x, err := s.ByClient(fl.ClientMeasure{Whose: m.whose, Of: m.of, Test: m.test},
		func(i int, params fl.Vector) float64 { return m.at(s, i, params) })
	return x.Clone(), err
}

// at measures client i at some parameters: 0 where it has no samples.
func (m part) at(s *fl.Snapshot, i int, params fl.Vector) float64 {
	d := s.Population.Client(i).Data
	if m.test {
		d = s.Population.ClientTest(i)
	}
	switch {
	case d.Len() == 0:
		return 0
	case m.of == "loss":
		return s.Worker.Loss(params, &d)
	}
	return hits(s, params, &d)
}

func (m part) unit() string {
	if m.of == "accuracy" {
		return "%"
	}
	return ""
}

// unitOf returns the unit of a statistic: an index has none, and a variance that of a square.
func (m part) unitOf(statistic string) string {
	switch statistic {
	case "variance", "jain", "entropy":
		return ""
	}
	return m.unit()
}

// higher reports whether more of a statistic is better.
func (m part) higher(statistic string) bool {
	switch statistic {
	case "spread", "variance":
		return false
	case "jain", "entropy":
		return true
	}
	return m.of == "accuracy"
}
