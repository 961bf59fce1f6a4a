package plugins_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// slow is a weighted sum, which takes as long as its clients do, and an aggregator that never ends.
const slow = `package slow

import "github.com/hansa-fl/hansa/framework/fl"

var Patient = fl.AggregatorEntry{Name: "patient", Summary: "waits for its clients",
	New: func(p *fl.Params) (fl.Aggregator, error) { return fl.WeighThen(&patient{}, &patient{}), nil }}

type patient struct{}

func (patient) Weights(r *fl.Round) (fl.Weights, error) {
	return fl.Weights{By: r.Scratch(len(r.Updates))}, nil
}

func (patient) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	return fl.Outcome{Params: sum}, nil
}

var Endless = fl.AggregatorEntry{Name: "endless", Summary: "never ends",
	New: func(p *fl.Params) (fl.Aggregator, error) { return &endless{}, nil }}

type endless struct{}

func (endless) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := 0
	for {
		n++
	}
}
`

// aggregatorOf loads a strategy from its text, and returns one of its aggregators, built.
func aggregatorOf(
	t *testing.T, text, name string, budget time.Duration,
) (*plugins.Strategy, fl.Aggregator) {
	t.Helper()
	source := plugins.NewSource("x.go", []vet.File{{Name: "x.go", Text: text}})
	s, err := plugins.Load(t.Context(), source, budget)
	if err != nil {
		t.Fatal(err)
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		t.Fatal(err)
	}
	e, _ := r.Aggregators.Get(name)
	a, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

func roundOf(params int) *fl.Round {
	return &fl.Round{Global: make(fl.Vector, params), Roster: &fl.Roster{}, State: fl.NewStore(),
		Updates: []fl.Update{{Client: 0, Params: make(fl.Vector, params)}}, Notes: new(fl.Notes)}
}

// The time in which clients train, between weights and step, is not the aggregator's.
func TestTrainingIsNotOnTheClockOfTheAggregator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that nothing but sleep takes time
		const budget = 100 * time.Millisecond
		_, a := aggregatorOf(t, slow, "patient", budget)
		for range 2 {
			r := roundOf(3)
			sum := a.(*fl.WeightedSum)
			w, err := sum.Weights(r)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * budget)
			if _, err := sum.Finish(r, w, make(fl.Vector, 3)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// asking is a selection that asks a client for its loss.
const asking = `package asking

import "github.com/hansa-fl/hansa/framework/fl"

var Asking = fl.SelectionEntry{Name: "asking", Summary: "asks the first client",
	New: func(p *fl.Params) (fl.Selection, error) { return &asking{}, nil }}

type asking struct{}

func (*asking) Select(d *fl.SelectionInput) []int {
	if d.Loss(0) > 1 {
		return d.Available
	}
	return nil
}

func (*asking) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
`

// The time in which clients compute their losses is not the selection's.
func TestLossesAreNotOnTheClockOfTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that nothing but sleep takes time
		const budget = 100 * time.Millisecond
		source := plugins.NewSource("x.go", []vet.File{{Name: "x.go", Text: asking}})
		strategy, err := plugins.Load(t.Context(), source, budget)
		if err != nil {
			t.Fatal(err)
		}
		var r registry.Registry
		if err := strategy.Register(&r); err != nil {
			t.Fatal(err)
		}
		e, _ := r.Selections.Get("asking")
		s, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			d := &fl.SelectionInput{Roster: &fl.Roster{N: 1}, Available: []int{0}}
			d.Loss = func(int) float64 { time.Sleep(3 * budget); return 2 }
			if got := s.Select(d); len(got) != 1 {
				t.Errorf("%v", got)
			}
		}
	})
}

// Calls says what runs, at which line, and by how much it is late.
func TestCallsThatHaveNotReturned(t *testing.T) {
	const budget = 100 * time.Millisecond
	s, a := aggregatorOf(t, slow, "endless", budget)
	if len(s.Calls()) != 0 {
		t.Fatalf("%+v before any", s.Calls())
	}
	done, began := make(chan error), time.Now()
	go func() {
		_, err := a.Aggregate(roundOf(3))
		done <- err
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	c := s.Calls()
	early := time.Since(began) < budget // a busy machine may have looked too late
	if len(c) != 1 || c[0].Name != "endless" || c[0].Method != "Aggregate" ||
		c[0].Pos.Line < 25 || c[0].Pos.Line > 26 || early && c[0].Late != 0 {
		t.Errorf("%+v", c)
	}
	err := <-done
	if err == nil || !strings.Contains(err.Error(), "endless: Aggregate: took longer than 100ms") {
		t.Errorf("%v", err)
	}
	if len(s.Calls()) != 0 {
		t.Errorf("%+v after the end", s.Calls())
	}
}

// A New that does not end is waited for once, however many cells are built.
func TestNewThatHangsIsWaitedForOnce(t *testing.T) {
	const budget = 100 * time.Millisecond
	text := strings.Replace(slow, "return &endless{}, nil", "for { }", 1)
	source := plugins.NewSource("x.go", []vet.File{{Name: "x.go", Text: text}})
	s, err := plugins.Load(t.Context(), source, budget)
	if err != nil {
		t.Fatal(err)
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		t.Fatal(err)
	}
	e, _ := r.Aggregators.Get("endless")
	_, first := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if first == nil || !strings.Contains(first.Error(), "endless: New: took longer than 100ms") {
		t.Fatalf("%v", first)
	}
	for range 3 {
		if _, again := e.New(fl.NewParams(nil, fl.Setting{}, nil)); again != first {
			t.Errorf("%v, and then %v", first, again)
		}
	}
}
