package contract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A sender sends what an aggregator takes instead of models, or beside them.
type sender struct {
	rule    fl.LocalRule
	noModel bool
	models  bool // they are sent, too
	toy     *fixture
}

// senderOf returns the rule that sends what an aggregator takes, or that is the client's half of
// its method; nil where any rule does, or none.
func senderOf(s *subject[fl.Aggregator]) *sender {
	rules, takes := &s.registry.LocalRules, fl.TraitsOf[fl.AggregatorTraits](s.entry)
	for _, name := range rules.Names() {
		e, _ := rules.Get(name)
		sends := fl.TraitsOf[fl.LocalTraits](e)
		if takes.Statistics == "" && takes.Method == "" || sends.Statistics != takes.Statistics ||
			sends.Method != takes.Method {
			continue
		}
		p := s.registry.Params(e.Example, s.toy.setting)
		if rule, err := e.New(p); err == nil && len(p.Finish()) == 0 {
			return &sender{rule, sends.NoModel, takes.Statistics == "", s.toy}
		}
	}
	return nil
}

// payload returns what a client sends of some of its samples; nothing if it cannot.
func (d *sender) payload(client int, rng *rand.Rand) fl.Tensors {
	own := d.toy.population.Client(client % clients).Data
	rows := rng.Perm(own.Len())[:1+rng.IntN(own.Len())]
	m := d.toy.model
	t := &fl.Task{Client: &fl.Client{ID: client, Data: *own.Pick(rows)}, RNG: rng,
		Model: m, Worker: m.Worker(), Broadcast: fl.Tensors{}, State: fl.NewStore(),
		Public: d.toy.population.Public}
	if !d.noModel {
		t.Global = m.Init(rand.New(rand.NewPCG(uint64(client), 0)))
		t.Params = t.Global.Clone()
	}
	u, _ := d.rule.Run(t) // an error is the business of the rule's own examination
	return cloneTensors(u.Payload)
}

// stageOf returns a stage on which an aggregator gets what it takes.
func stageOf(s *subject[fl.Aggregator], sc scene) *stage {
	g := newStage(sc, s.toy, s.stream("server"))
	g.sender = senderOf(s)
	g.losses = fl.TraitsOf[fl.AggregatorTraits](s.entry).Losses
	return g
}

// takenBy names what an aggregator takes instead of models, or nothing.
func takenBy(s *subject[fl.Aggregator]) string {
	return fl.TraitsOf[fl.AggregatorTraits](s.entry).Statistics
}

func takesStatistics(s *subject[fl.Aggregator]) string {
	_, sums := s.build().(*fl.WeightedSum)
	takes, traits := takenBy(s), fl.TraitsOf[fl.AggregatorTraits](s.entry)
	method := traits.Method
	switch {
	case takes == "" && method == "":
	case senderOf(s) == nil && takes != "":
		return "no local rule sends " + takes
	case senderOf(s) == nil && !(traits.Selects && selectsFor(s, method)):
		return "no local rule is the client's half of " + method
	case sums && takes != "":
		return "it sums models, and the entry says that it takes " + takes
	}
	return ""
}

// selectsFor reports whether there is a selection of a method.
func selectsFor(s *subject[fl.Aggregator], method string) bool {
	selections := &s.registry.Selections
	return slices.ContainsFunc(selections.Names(), func(name string) bool {
		e, _ := selections.Get(name)
		return fl.TraitsOf[fl.SelectionTraits](e).Method == method
	})
}

// sendsStatistics looks at what is sent beside a model, or instead of one.
func sendsStatistics(s *subject[fl.LocalRule]) string {
	rule, traits := s.build(), fl.TraitsOf[fl.LocalTraits](s.entry)
	says := traits.Statistics
	if says == "" && traits.NoModel {
		return "the entry says that it needs no model, and not what it sends instead of one"
	}
	for client := range clients + 1 {
		t := job(s, client, 1)
		u, _ := rule.Run(t) // an error is the business of the check before
		switch has, floats := len(u.Params) > 0, u.Payload.Floats(); {
		case says == "" && !has:
			return "it sends no model, and the entry does not say what it sends instead"
		case says != "" && has:
			return "it sends a model, not only " + says
		case u.Halves < 0 || u.Halves > floats:
			return fmt.Sprintf("%d of %d numbers are float16", u.Halves, floats)
		case lent(t, u.Payload):
			return "the payload lies in scratch memory, which the next client gets"
		}
		if !traits.NoModel {
			continue
		}
		other := job(s, client, 1)
		other.Global = normals(s.stream("another").Rand(), other.Model.Layout().Len(), 1)
		other.Params = other.Global.Clone()
		if d := train(rule, job(s, client, 1)).unlike(train(rule, other)); d != "" {
			return at("from a model, which the entry says that it does not need", d)
		}
	}
	return ""
}

// lent reports whether a payload changes when the task's scratch space is used again.
func lent(t *fl.Task, payload fl.Tensors) bool {
	before, after := newDigest(), newDigest()
	before.tensors(payload)
	t.Recycle()
	for range 1 << 12 {
		t.Scratch(1)[0] = math.Pi
	}
	after.tensors(payload)
	return before.sum() != after.sum()
}
