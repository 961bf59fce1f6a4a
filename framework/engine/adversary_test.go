package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// other is a source whose rows of some clients are other ones.
type other struct {
	fl.Source
	clients []int
}

func (o other) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	train, test, err := o.Source.Load(l)
	for r, i := range train.Owner {
		if slices.Contains(o.clients, i) {
			train.X.Row(r).AddConst(5)
		}
	}
	return train, test, err
}

// A watcher is an adversary that writes down all that it is shown.
type watcher struct {
	seen  *[]float64
	tries bool
}

func (w watcher) Corrupt(a *fl.Attack) error {
	for _, list := range [][]fl.Update{a.Updates, a.Honest} {
		for _, u := range list {
			*w.seen = append(*w.seen, float64(u.Client), float64(u.Samples))
			*w.seen = append(*w.seen, u.Params...)
		}
	}
	*w.seen = append(*w.seen, a.Global...)
	*w.seen = append(*w.seen, a.RNG.Float64())
	next, err := a.Try()
	if w.tries != (err == nil) {
		return errors.New("the rule")
	}
	*w.seen = append(*w.seen, next...)
	return nil
}

// besieged is a setup of five clients of which 1 and 3 are faulty.
func besieged(a fl.Adversary, knows fl.Knowledge) *engine.Setup {
	s := big()
	s.Clients, s.Rounds, s.Every = 5, 2, 1
	s.Adversary = engine.Adversary{Name: "x", Component: a, Knows: knows,
		Faulty: fl.Faulty{Clients: []int{1, 3}}}
	s.Source = other{s.Source, nil}
	return s
}

// What an adversary is shown does not change with data of clients that it may not see: with those of
// other clients where it knows its own data. Where it knows the updates of the cohort, it does.
func TestAdversariesSeeWhatTheyDeclare(t *testing.T) {
	shown := func(knows fl.Knowledge, changed ...int) []float64 {
		var seen []float64
		s := besieged(watcher{&seen, knows == fl.KnowsRule}, knows)
		s.Rounds = 1 // after which the model that all are sent depends on all
		s.Source = other{s.Source, changed}
		run(t, s, engine.Options{})
		return seen
	}
	if !slices.Equal(shown(fl.KnowsOwn), shown(fl.KnowsOwn, 0, 2, 4)) {
		t.Error("with own data it sees data of others")
	}
	if slices.Equal(shown(fl.KnowsOwn), shown(fl.KnowsOwn, 3)) {
		t.Error("with own data it does not see these")
	}
	for _, knows := range []fl.Knowledge{fl.KnowsCohort, fl.KnowsRule} {
		if slices.Equal(shown(knows), shown(knows, 2)) {
			t.Errorf("%s: it does not see the updates of others", knows)
		}
	}
}

// shifted is a data attack.
type shifted struct{ by float64 }

func (s shifted) Poison(p *fl.Poisoning) error {
	for r := range p.Data.Len() {
		p.Data.X.Row(r).AddConst(s.by)
	}
	return nil
}

// A data attack trains faulty clients as if their data were others, to the bit, and leaves the data
// themselves, by which the model is measured, as they are.
func TestPoisonIsOtherData(t *testing.T) {
	poisoned := besieged(fl.DataAttack(shifted{5}), fl.KnowsOwn)
	honest := besieged(nil, "")
	honest.Source = other{honest.Source, []int{1, 3}}
	model := func(s *engine.Setup) fl.Vector {
		cell, err := engine.Start(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cell.Close()
		for range s.Rounds {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return cell.Checkpoint().Global
	}
	if a, b := model(poisoned), model(honest); !slices.Equal(a, b) {
		t.Errorf("poisoned %v, other data %v", a[:3], b[:3])
	}
}

// greedy tries the rule several times, and then sends what it trained.
type greedy struct{ t *testing.T }

func (g greedy) Corrupt(a *fl.Attack) error {
	kept := a.Updates[0].Params.Clone()
	first, err := a.Try()
	if err != nil {
		return err
	}
	first = first.Clone()
	a.Updates[0].Params.AddConst(100)
	second, err := a.Try()
	if err != nil || slices.Equal(first, second) {
		g.t.Errorf("other updates make the same model; error %v", err)
	}
	copy(a.Updates[0].Params, kept)
	if third, err := a.Try(); err != nil || !slices.Equal(first, third) {
		g.t.Errorf("the same updates make another model; error %v", err)
	}
	return nil
}

// Trying the rule leaves no trace in what the server keeps: an adversary that tries and then sends
// what was trained changes nothing.
func TestTryingLeavesNoTrace(t *testing.T) {
	for _, aggregator := range []fl.Aggregator{momentum{}, average{}} {
		honest, tried := besieged(nil, ""), besieged(greedy{t}, fl.KnowsRule)
		honest.Aggregator, tried.Aggregator = aggregator, aggregator
		honest.Rounds, tried.Rounds = 4, 4
		a, b := run(t, honest, engine.Options{}), run(t, tried, engine.Options{})
		for k := range a.Series {
			if !slices.Equal(a.Series[k].Values, b.Series[k].Values) {
				t.Errorf("%T: %v, and tried %v", aggregator, a.Series[k].Values, b.Series[k].Values)
			}
		}
	}
}

// What no server takes is an error that names the client and the adversary.
func TestAdversariesSendNumbers(t *testing.T) {
	for _, knows := range []fl.Knowledge{fl.KnowsOwn, fl.KnowsCohort} {
		_, err := engine.Run(t.Context(), besieged(endless{}, knows), engine.Options{})
		if err == nil || !strings.Contains(err.Error(), "adversary x: an update has NaN or Inf") {
			t.Errorf("%s: %v", knows, err)
		}
	}
}

// endless sends numbers that are none.
type endless struct{}

func (endless) Corrupt(a *fl.Attack) error {
	a.Updates[0].Params.Fill(1e308)
	a.Updates[0].Params.Scale(10)
	return nil
}
