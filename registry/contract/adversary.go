package contract

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func adversaries() exam[fl.Adversary] {
	type s = *subject[fl.Adversary]
	return exam[fl.Adversary]{
		of:   registry.Adversaries(),
		data: true,
		checks: []check[s]{
			{"length", "what faulty clients send has the length of the model and is finite, " +
				"whether one client is faulty, some are or all; poisoned data keep their size " +
				"and have labels of classes", "", formOfAttack},
			{"corrupts", "with some parameters something is changed, unless all clients are honest",
				"length", changesSomething},
			{readOnly, "Corrupt modifies nothing that it can reach but Params of Updates and " +
				"State, and Poison nothing but Data", "length", readsAttack},
			{"repeatable", "two fresh instances make the same bits of the same attacks",
				"length", repeatsAttack},
			{"state", "nothing lasts outside State: a fresh instance that takes over after any " +
				"round makes the same bits", "repeatable", attackLastsInState},
			{"blind", "what it may not see changes nothing: with own data the other faulty " +
				"clients' updates and samples, and no other updates are shown; without the " +
				"rule, what the server makes of updates", "state", seesNoMore},
			{"at-once", "faulty clients that are corrupted at once, or poisoned, have the bits " +
				"that each gets alone", "blind", attacksAtOnce},
		},
	}
}

// faultyRounds is how many rounds of an attack are looked at.
const faultyRounds = 4

// knowledge is what an adversary says that it knows, by its resolved parameters.
func knowledge(s *subject[fl.Adversary]) fl.Knowledge {
	p := s.registry.Params(s.given, s.toy.setting)
	if _, err := s.entry.New(p); err != nil {
		return fl.KnowsOwn
	}
	return fl.TraitsOf[fl.AdversaryTraits](s.entry).KnowledgeOf(p.Resolved())
}

// updatesOf returns what the clients of a toy train in a round, and the model that they were sent.
func updatesOf(s *subject[fl.Adversary], t int) (updates []fl.Update, global fl.Vector) {
	global = s.toy.model.Init(s.stream("init").At(t, 0).Rand())
	rng := s.stream("updates").At(t, 0).Rand()
	for i := range clients {
		params := global.Clone()
		params.Add(normals(rng, len(params), 0.3))
		updates = append(updates, fl.Update{Client: i, Samples: s.toy.roster.Samples[i], Steps: 5,
			Params: params})
	}
	return updates, global
}

// attackBy returns the attack of a round in which the first clients are faulty, as far as the
// adversary may see it. By own data that is one attack for each.
func attackBy(s *subject[fl.Adversary], faulty, t int, state fl.State) []*fl.Attack {
	updates, global := updatesOf(s, t)
	knows := knowledge(s)
	attack := func(own, honest []fl.Update, rng int) *fl.Attack {
		return &fl.Attack{T: t, Global: global.Clone(), Updates: own, Honest: honest,
			Layout: s.toy.model.Layout(), RNG: s.stream("faulty").At(t, rng).Rand()}
	}
	if knows == fl.KnowsOwn {
		var list []*fl.Attack
		for k := range faulty {
			list = append(list, attack(updates[k:k+1], nil, k))
		}
		return list
	}
	a := attack(updates[:faulty], updates[faulty:], 0)
	a.State = state
	if knows == fl.KnowsRule {
		a.Allow(func() (fl.Vector, error) { return meanOf(updates), nil })
	}
	return []*fl.Attack{a}
}

// meanOf is a rule that an adversary can try.
func meanOf(updates []fl.Update) fl.Vector {
	mean := make(fl.Vector, len(updates[0].Params))
	for _, u := range updates {
		mean.AddScaled(1/float64(len(updates)), u.Params)
	}
	return mean
}

// poisoningOf returns the poisoning of a client.
func poisoningOf(s *subject[fl.Adversary], client, t int) *fl.Poisoning {
	c := s.toy.population.Client(client)
	return &fl.Poisoning{T: t, Client: client, Data: c.Data.Pick(upTo(c.Data.Len())),
		RNG: s.stream("faulty").At(0, client).Rand()}
}

// attacked plays a round of an adversary and returns what it came to, by faulty client.
func attacked(
	s *subject[fl.Adversary], a fl.Adversary, faulty, t int, state fl.State,
) (came []string, err error) {
	if data, ok := a.(*fl.PoisonedData); ok {
		for k := range faulty {
			p := poisoningOf(s, k, t)
			err = errors.Join(err, data.Poisoner.Poison(p))
			d := newDigest()
			d.dataset(p.Data)
			came = append(came, d.sum())
		}
		return came, err
	}
	for _, k := range attackBy(s, faulty, t, state) {
		err = errors.Join(err, a.Corrupt(k))
		for _, u := range k.Updates {
			d := newDigest()
			d.floats(u.Params)
			came = append(came, d.sum())
		}
	}
	return came, err
}

func formOfAttack(s *subject[fl.Adversary]) string {
	a := s.build()
	for t := range faultyRounds {
		for _, faulty := range []int{1, 2, clients} {
			where := fmt.Sprintf("%d of %d faulty", faulty, clients)
			if data, ok := a.(*fl.PoisonedData); ok {
				p := poisoningOf(s, faulty-1, t)
				if err := data.Poisoner.Poison(p); err != nil {
					return at(where, "error: "+err.Error())
				}
				if broken := formOfData(p.Data, poisoningOf(s, faulty-1, t).Data); broken != "" {
					return at(where, broken)
				}
				continue
			}
			for _, k := range attackBy(s, faulty, t, fl.NewStore()) {
				updates := len(k.Updates)
				if err := a.Corrupt(k); err != nil {
					return at(where, "error: "+err.Error())
				}
				if len(k.Updates) != updates {
					return at(where, fmt.Sprintf("%d updates for %d", len(k.Updates), updates))
				}
				for _, u := range k.Updates {
					if len(u.Params) != len(k.Global) || !u.Params.Finite() {
						return at(where, fmt.Sprintf("%d parameters for %d, finite: %t",
							len(u.Params), len(k.Global), u.Params.Finite()))
					}
				}
			}
		}
	}
	return ""
}

// formOfData says in what poisoned data have another form than the true ones.
func formOfData(d, from *fl.Dataset) string {
	if d.X.Rows != from.X.Rows || len(d.X.Data) != len(from.X.Data) || len(d.Y) != len(from.Y) ||
		len(d.Target) != len(from.Target) {
		return "data of another size"
	}
	if !fl.Vector(d.X.Data).Finite() || !d.Target.Finite() {
		return "NaN or Inf in data"
	}
	for _, y := range d.Y {
		if y < 0 || y >= d.Shape.Classes {
			return fmt.Sprintf("label %d of %d classes", y, d.Shape.Classes)
		}
	}
	return ""
}

func changesSomething(s *subject[fl.Adversary]) string {
	a := s.build()
	if _, none := a.(fl.NoAdversary); none || len(s.given) > len(s.entry.Example) {
		return "" // another parameter may change nothing
	}
	for t := range faultyRounds {
		if data, ok := a.(*fl.PoisonedData); ok {
			p, before, after := poisoningOf(s, 0, t), newDigest(), newDigest()
			before.dataset(p.Data)
			if err := data.Poisoner.Poison(p); err != nil {
				return "error: " + err.Error()
			}
			if after.dataset(p.Data); before.sum() != after.sum() {
				return ""
			}
			continue
		}
		updates, _ := updatesOf(s, t)
		for _, k := range attackBy(s, 2, t, fl.NewStore()) {
			if err := a.Corrupt(k); err != nil {
				return "error: " + err.Error()
			}
			if u := k.Updates[0]; apart(u.Params, updates[u.Client].Params, 0) != "" {
				return ""
			}
		}
	}
	return "faulty clients do what honest ones do"
}

func readsAttack(s *subject[fl.Adversary]) string {
	a := s.build()
	if data, ok := a.(*fl.PoisonedData); ok {
		before, after := newDigest(), newDigest()
		own := s.toy.population.Client(0)
		before.dataset(&own.Data)
		p := poisoningOf(s, 0, 0)
		err := data.Poisoner.Poison(p)
		after.dataset(&own.Data)
		if err != nil || before.sum() != after.sum() || p.Client != 0 || p.T != 0 {
			return fmt.Sprintf("the client's own data or its number changed; error %v", err)
		}
		return ""
	}
	for _, k := range attackBy(s, 2, 1, fl.NewStore()) {
		look := func() []string {
			global, honest := newDigest(), newDigest()
			global.floats(k.Global)
			honest.updates(k.Honest)
			var clients []int
			for _, u := range k.Updates {
				clients = append(clients, u.Client, u.Samples)
			}
			global.ints(clients...)
			return []string{global.sum(), honest.sum()}
		}
		before := look()
		if err := a.Corrupt(k); err != nil {
			return "error: " + err.Error()
		}
		if after := look(); !slices.Equal(before, after) {
			return "Global, Honest or the clients of Updates changed"
		}
	}
	return ""
}

func repeatsAttack(s *subject[fl.Adversary]) string {
	a, b, x, y := s.build(), s.build(), fl.NewStore(), fl.NewStore()
	for t := range faultyRounds {
		one, _ := attacked(s, a, 2, t, x)
		other, _ := attacked(s, b, 2, t, y)
		if !slices.Equal(one, other) {
			return fmt.Sprintf("two instances differ in %s", whichRound(t))
		}
	}
	return ""
}

func attackLastsInState(s *subject[fl.Adversary]) string {
	for after := 1; after < faultyRounds; after++ {
		lasting, x, y := s.build(), fl.NewStore(), fl.NewStore()
		var want, have []string
		for t := range faultyRounds {
			came, _ := attacked(s, lasting, 2, t, x)
			want = append(want, came...)
		}
		first := s.build()
		for t := range faultyRounds {
			if t == after {
				first, y = s.build(), y.Clone()
			}
			came, _ := attacked(s, first, 2, t, y)
			have = append(have, came...)
		}
		if !slices.Equal(want, have) {
			return fmt.Sprintf("an instance that takes over after %d rounds makes other bits",
				after)
		}
		if d := unlikeStates(x, y); d != "" {
			return d
		}
	}
	return ""
}

// seesNoMore corrupts client 1 after others and before any, and refuses the rule to those that say
// that they do not know it.
func seesNoMore(s *subject[fl.Adversary]) string {
	a := s.build()
	_, data := a.(*fl.PoisonedData)
	if knows := knowledge(s); data || knows == fl.KnowsOwn {
		after, _ := attacked(s, a, clients, 0, nil)
		alone, _ := attacked(s, s.build(), 1, 0, nil)
		for k := range clients {
			one := s.build()
			came, err := lastOf(s, one, k)
			if err != nil {
				return "error: " + err.Error()
			}
			if came != after[k] || k == 0 && alone[0] != after[0] {
				return fmt.Sprintf("client %d gets other bits after other faulty clients", k)
			}
		}
	} else if knows == fl.KnowsCohort {
		k := attackBy(s, 2, 0, fl.NewStore())[0]
		asked := false
		k.Allow(func() (fl.Vector, error) { asked = true; return k.Global, nil })
		if err := a.Corrupt(k); err != nil {
			return "error: " + err.Error()
		}
		if asked {
			return "it tries the rule, and its traits do not say that it knows it"
		}
	}
	return ""
}

// lastOf has one client alone corrupted or poisoned.
func lastOf(s *subject[fl.Adversary], a fl.Adversary, client int) (string, error) {
	d := newDigest()
	if data, ok := a.(*fl.PoisonedData); ok {
		p := poisoningOf(s, client, 0)
		err := data.Poisoner.Poison(p)
		d.dataset(p.Data)
		return d.sum(), err
	}
	k := attackBy(s, clients, 0, nil)[client]
	err := a.Corrupt(k)
	d.floats(k.Updates[0].Params)
	return d.sum(), err
}

func attacksAtOnce(s *subject[fl.Adversary]) string {
	a := s.build()
	if _, data := a.(*fl.PoisonedData); !data && knowledge(s) != fl.KnowsOwn {
		return "" // it is called once in a round
	}
	loop := func(client int) func() string {
		alone, _ := lastOf(s, s.build(), client)
		return func() string {
			for range s.options.repeated(500) {
				if came, err := lastOf(s, a, client); err != nil || came != alone {
					return fmt.Sprintf("client %d beside another gets other bits, error %v", client,
						err)
				}
			}
			return ""
		}
	}
	return together(loop(0), loop(clients-1))
}
