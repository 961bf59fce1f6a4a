package contract

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func localRules() exam[fl.LocalRule] {
	type s = *subject[fl.LocalRule]
	return exam[fl.LocalRule]{
		of:   registry.LocalRules(),
		data: true,
		checks: []check[s]{
			{"length", "an update has the length of the model, or none and a payload; it is " +
				"finite, whatever the client's number of samples", "", lengthOfUpdate},
			{"statistics", "it sends a model, or, where the entry says so, something else alone; " +
				"where the entry says that it needs no model, that does not depend on one; a " +
				"payload is in memory of its own, and has as many numbers as are said to be " +
				"float16, or more",
				"length", sendsStatistics},
			{"steps", "the number of steps is not negative", "length", stepsTaken},
			{readOnly, "Run modifies neither Global nor the client, its data, the broadcast, " +
				"its mail or public data", "length", readsTask},
			{"repeatable", "two fresh instances make the same bits of the same task",
				"length", repeatsTask},
			{"limit", "with Task.Limit it makes as many steps, or all of them where these are " +
				"fewer, unless the entry says that it makes them all or none", "repeatable",
				heedsLimit},
			{"forgets", "an update depends on its Task alone, not on what the instance and the " +
				"scratch space were used for before", "repeatable", forgetsTasks},
			{"state", "what it keeps of a client from round to round is in Task.State, and " +
				"nothing else: a fresh instance goes on with the same bits, whatever other " +
				"clients did between", "forgets", goesOnFromState},
			{"alone", "tasks that run at once give the bits that each gives alone",
				"state", runsAtOnce},
			{"zero-rate", "with a learning rate lr = 0, θᵢ = θᵗ⁻¹", "length", zeroRate},
		},
	}
}

// job returns the task of a client in round t, in fresh memory. Client 6 has one sample.
func job(s *subject[fl.LocalRule], client, t int) *fl.Task {
	m := s.toy.model
	global := m.Init(s.stream("init").At(t, 0).Rand())
	c := s.toy.population.Client(client % clients)
	rows := upTo(c.Data.Len())
	if client == clients {
		rows = rows[:1]
	}
	own := c.Data.Pick(rows)
	if own.Target != nil {
		own.Moments = fl.NewMoments(own, nil)
	}
	task := &fl.Task{
		T: t, Client: &fl.Client{ID: client, Data: *own}, Model: m, Worker: m.Worker(),
		Broadcast: fl.Tensors{}, State: fl.NewStore(),
		RNG: s.stream("client").At(t, client).Rand(),
	}
	traits := fl.TraitsOf[fl.LocalTraits](s.entry)
	if traits.Public {
		task.Public = s.toy.population.Public
	}
	if !traits.NoModel {
		task.Global, task.Params = global, global.Clone()
	}
	return task
}

// trained is what a client made of a task, in memory of its own.
type trained struct {
	update fl.Update
	err    error
}

func train(rule fl.LocalRule, t *fl.Task) trained {
	u, err := rule.Run(t)
	u.Params = u.Params.Clone()
	u.Payload = cloneTensors(u.Payload)
	return trained{u, err}
}

// unlike says where two updates differ in a bit.
func (r trained) unlike(o trained) string {
	switch {
	case r.err != nil || o.err != nil:
		return fmt.Sprintf("error %v against %v", r.err, o.err)
	case r.update.Steps != o.update.Steps:
		return fmt.Sprintf("%d steps against %d", r.update.Steps, o.update.Steps)
	}
	if d := apart(r.update.Params, o.update.Params, 0); d != "" {
		return d
	}
	x, y := newDigest(), newDigest()
	x.tensors(r.update.Payload)
	y.tensors(o.update.Payload)
	if x.sum() != y.sum() {
		return "payloads differ"
	}
	return ""
}

func lengthOfUpdate(s *subject[fl.LocalRule]) string {
	rule := s.build()
	for client := range clients + 1 {
		t := job(s, client, 1)
		r := train(rule, t)
		where := fmt.Sprintf("a client with %d samples", t.Client.Data.Len())
		u, parameters := r.update, t.Model.Layout().Len()
		switch {
		case r.err != nil:
			return at(where, "error: "+r.err.Error())
		case len(u.Params) != parameters && (len(u.Params) > 0 || u.Payload.Floats() == 0):
			return at(where, fmt.Sprintf("%d parameters for %d", len(u.Params), parameters))
		case !u.Params.Finite():
			return at(where, "NaN or Inf")
		}
		for _, name := range slices.Sorted(maps.Keys(u.Payload)) {
			if !fl.Vector(u.Payload[name].Data).Finite() {
				return at(where, "NaN or Inf in payload "+name)
			}
		}
	}
	return ""
}

func stepsTaken(s *subject[fl.LocalRule]) string {
	if n := train(s.build(), job(s, 0, 1)).update.Steps; n < 0 {
		return fmt.Sprintf("%d steps", n)
	}
	return ""
}

// heedsLimit trains a client with limits below, at and above the number of its steps, of which
// there are several where the rule has a parameter for that.
func heedsLimit(s *subject[fl.LocalRule]) string {
	if fl.TraitsOf[fl.LocalTraits](s.entry).Whole {
		return ""
	}
	const steps = 4
	build := s.build
	if slices.Contains(namesOf(s.specs()), "steps") {
		more := s.but("steps", int64(steps))
		if _, problems := more.attempt(more.given, s.toy.setting); len(problems) == 0 {
			build = more.build
		}
	}
	whole := train(build(), job(s, 0, 1))
	all := whole.update.Steps
	for limit := 1; limit <= max(all+1, steps); limit++ {
		t := job(s, 0, 1)
		t.Limit = limit
		r := train(build(), t)
		where := fmt.Sprintf("Limit = %d of %d steps", limit, all)
		switch {
		case r.err != nil:
			return at(where, "error: "+r.err.Error())
		case r.update.Steps != min(limit, all):
			return at(where, fmt.Sprintf("%d steps", r.update.Steps))
		case limit == 1 && all > 1 && movedAs(t.Global, r, whole):
			return at(where, "it trains what it trains with all of them")
		case limit >= all && r.unlike(whole) != "":
			return at(where, r.unlike(whole))
		}
	}
	return ""
}

// movedAs reports whether an update moves the model, and to the bits of another. Later steps of
// some rules move nothing that is sent.
func movedAs(global fl.Vector, r, other trained) bool {
	return len(r.update.Params) > 0 && slices.Equal(r.update.Params, other.update.Params) &&
		!slices.Equal(r.update.Params, global)
}

func readsTask(s *subject[fl.LocalRule]) string {
	t := job(s, 0, 1)
	t.Broadcast["extra"] = fl.Matrix{Rows: 1, Cols: 2, Data: []float64{1, 2}}
	t.Mail = fl.Tensors{"extra": {Rows: 1, Cols: 2, Data: []float64{3, 4}}}
	parts := []string{"Global", "the client", "the broadcast", "the mail", "the public data"}
	look := func() []string {
		global, client, broadcast, mail := newDigest(), newDigest(), newDigest(), newDigest()
		global.floats(t.Global)
		client.ints(t.Client.ID)
		client.dataset(&t.Client.Data)
		broadcast.tensors(t.Broadcast)
		mail.tensors(t.Mail)
		public := newDigest()
		if t.Public != nil {
			public.dataset(t.Public)
		}
		return []string{global.sum(), client.sum(), broadcast.sum(), mail.sum(), public.sum()}
	}
	before := look()
	train(s.build(), t)
	for k, now := range look() {
		if now != before[k] {
			return parts[k] + " changed"
		}
	}
	return ""
}

func repeatsTask(s *subject[fl.LocalRule]) string {
	for client := range clients {
		first, second := train(s.build(), job(s, client, 1)), train(s.build(), job(s, client, 1))
		if d := first.unlike(second); d != "" {
			return d
		}
	}
	return ""
}

func forgetsTasks(s *subject[fl.LocalRule]) string {
	rule := s.build()
	used := new(fl.Task) // one worker serves many clients
	for client := range clients {
		t := job(s, client, 1)
		used.Recycle()
		used.T, used.Client, used.Global, used.Params = t.T, t.Client, t.Global, t.Params
		used.Model, used.Worker, used.Broadcast, used.RNG = t.Model, t.Worker, t.Broadcast, t.RNG
		used.State, used.Mail, used.Public = t.State, t.Mail, t.Public
		if d := train(rule, used).unlike(train(s.build(), job(s, client, 1))); d != "" {
			return at(fmt.Sprintf("client %d, after others", client), d)
		}
	}
	return ""
}

// goesOnFromState trains clients for some rounds: by one instance, which clients absent in some
// rounds interrupt, and by fresh ones with copies of the state.
func goesOnFromState(s *subject[fl.LocalRule]) string {
	const rounds = 4
	lasting := s.build()
	kept := make([]*fl.Store, clients)
	for i := range kept {
		kept[i] = fl.NewStore()
	}
	for t := range rounds {
		for client := range clients {
			if (client+t)%3 == 0 {
				continue // it is absent
			}
			a, b := job(s, client, t), job(s, client, t)
			own := kept[client].Clone()
			a.State, b.State = kept[client], own
			if d := train(lasting, a).unlike(train(s.build(), b)); d != "" {
				return at(fmt.Sprintf("client %d in round %d", client, t+1), d)
			}
			if d := unlikeStates(kept[client], own); d != "" {
				return at(fmt.Sprintf("client %d after round %d", client, t+1), d)
			}
		}
	}
	return ""
}

// unlikeStates says in which name two states differ.
func unlikeStates(a, b *fl.Store) string {
	if x, y := a.Names(), b.Names(); !slices.Equal(x, y) {
		return fmt.Sprintf("the states have names %q and %q", x, y)
	}
	for _, name := range a.Names() {
		m, x, _ := a.Holds(name)
		n, y, _ := b.Holds(name)
		if d := apart(m.Data, n.Data, 0); d != "" {
			return "state " + name + ": " + d
		}
		if !slices.EqualFunc(x, y, func(x, y float32) bool {
			return math.Float32bits(x) == math.Float32bits(y)
		}) {
			return "state " + name + " differs"
		}
	}
	return ""
}

func runsAtOnce(s *subject[fl.LocalRule]) string {
	times := s.options.repeated(500) // so many that they meet in what they share
	rule := s.build()
	loop := func(client int) func() string {
		alone := train(s.build(), job(s, client, 1))
		return func() string {
			for range times {
				if d := train(rule, job(s, client, 1)).unlike(alone); d != "" {
					return at(fmt.Sprintf("client %d, beside another", client), d)
				}
			}
			return ""
		}
	}
	return together(loop(0), loop(clients-1))
}

func zeroRate(s *subject[fl.LocalRule]) string {
	if !slices.Contains(namesOf(s.specs()), "lr") {
		return ""
	}
	still := s.but("lr", 0.0)
	rule, problems := still.attempt(still.given, s.toy.setting)
	if len(problems) > 0 {
		return "" // 0 is outside its range
	}
	t := job(s, 1, 1)
	r := train(rule, t)
	if r.err != nil {
		return "error: " + r.err.Error()
	}
	return apart(t.Global, r.update.Params, 1e-15)
}
