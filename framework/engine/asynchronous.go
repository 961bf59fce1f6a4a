package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// asynchronous decides which clients an asynchronous server asks, and whose updates it aggregates
// in a round, by events in virtual time.
//
// A server with concurrency asks clients until so many of them train. Whenever one of them has
// finished, the next one is asked; when enough updates have arrived the round ends. All that
// arrive at one moment arrive before the next ones are asked, so that clients that are equally fast
// train as they would for a synchronous server. Clients that the selection returns beyond the free
// places wait, in random order, until there is one; those that are not available any more are
// passed over. When none waits the selection is asked again. It sees neither clients that train,
// nor those that were asked in this round or whose updates have arrived in it: no client has two
// updates in a round.
//
// With tiers, each tier has synchronous rounds of its own, and a round is that of the tier that
// ends first.
//
// Training changes nothing of it, so that clients train when their updates are aggregated.
type asynchronous struct {
	of      *participation
	pending *pending
	tier    []int // by client, from 1; nil: there are none

	available []int  // in this round, and enrolled
	working   []bool // by client
	under     []int  // by tier: its updates that are pending
	left      []int  // room for the same
	done      []int  // by client: the last round, from 1, in which it was asked or heard
	calls     int    // of the selection in this round
	idlers    []int  // room for clients that can be selected
	next      []int  // room for clients that are asked next
	order     fl.Stream
	rng       *fl.ReseedableRand

	started []int           // clients that were asked in this round, ascending
	heard   []pendingUpdate // that arrived in this round, by client
	missed  []pendingUpdate // that ended in this round and did not count
	cohort  []int           // clients of heard
	stale   []int           // staleness of heard
	starts  []start         // of heard
	now     int             // the tier whose round it is; 0: there are none
	lasts   float64         // virtual seconds of this round
	mailed  bool            // a client has been sent mail
}

// newAsynchronous returns the asynchronous server of a participation with completion; nil: it is
// synchronous.
func newAsynchronous(m *participation, prefix string) *asynchronous {
	c := m.completion
	if c == nil || !c.Policy.Asynchronous() {
		return nil
	}
	n := m.available.Roster.N
	return &asynchronous{of: m, working: make([]bool, n), done: make([]int, n),
		under: make([]int, c.Policy.Tiers+1), rng: fl.NewReseedableRand(),
		order: fl.NewStream(m.setup.Seed, prefix+"waiting clients")}
}

// tiers splits clients into groups of similar speed, whose sizes differ by one at most: by the
// seconds that each needs in one round that is drawn for this alone, as a server measures them.
func (c *completion) tiers(clients []int) ([]int, error) {
	f := c.ask(clients)
	draw, rng := f.Draw, fl.NewReseedableRand()
	f.Draw = func(i int) *rand.Rand { return rng.Open(c.profile.At(0, i)) }
	f.T, f.Now = 0, 0
	err := c.seconds()
	f.Draw = draw
	if err != nil {
		return nil, err
	}
	order := make([]int, len(clients))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(f.After[x], f.After[y]) })
	tier := make([]int, f.Roster.N)
	for rank, k := range order {
		tier[clients[k]] = rank*c.Policy.Tiers/len(order) + 1
	}
	return tier, nil
}

// follow makes p what is pending.
func (a *asynchronous) follow(p *Progress) {
	if p.Pending == nil {
		p.Pending = new(pending)
	}
	a.pending = p.Pending
	clear(a.working)
	clear(a.under)
	for k := range a.pending.Updates {
		u := &a.pending.Updates[k]
		a.working[u.Client] = true
		a.under[u.Tier]++
	}
}

// round plays round t in virtual time and returns the clients whose updates arrive, ascending.
func (a *asynchronous) round(t int) (cohort []int, err error) {
	if a.tier == nil && a.of.completion.Policy.Tiers > 0 {
		if a.tier, err = a.of.completion.tiers(a.of.enrolled); err != nil {
			return nil, err
		}
	}
	if a.available, err = a.of.reach(t); err != nil {
		return nil, err
	}
	a.calls, a.started, a.heard, a.missed = 0, a.started[:0], a.heard[:0], a.missed[:0]
	before := a.of.progress.Time
	if a.tier == nil {
		err = a.fillBuffer(t)
	} else {
		err = a.endTier(t)
	}
	if err != nil {
		return nil, err
	}
	a.lasts = a.of.progress.Time - before
	slices.Sort(a.started)
	slices.SortFunc(a.heard, func(x, y pendingUpdate) int { return x.Client - y.Client })
	a.cohort, a.stale = a.cohort[:0], a.stale[:0]
	for k := range a.heard {
		a.cohort = append(a.cohort, a.heard[k].Client)
		a.stale = append(a.stale, t-a.heard[k].Model)
	}
	return a.cohort, nil
}

// fillBuffer has clients train until enough updates have arrived, or none is under way.
func (a *asynchronous) fillBuffer(t int) error {
	p, take := a.pending, a.of.completion.Policy.Take
	for {
		if err := a.fillPlaces(t); err != nil || len(p.Updates) == 0 {
			return err
		}
		now := p.Updates[0].At
		a.of.progress.Time = now
		for len(p.Updates) > 0 && p.Updates[0].At == now && len(a.heard) < take {
			a.end(t, 0)
		}
		if len(a.heard) == take {
			return nil
		}
	}
}

// fillPlaces asks clients until as many train as can, or there is none to be asked.
func (a *asynchronous) fillPlaces(t int) error {
	p := a.pending
	free := a.of.completion.Policy.Concurrency - len(p.Updates)
	a.next = a.next[:0]
	for len(a.next) < free {
		if len(p.Waiting) == 0 {
			chosen, err := a.choose(t, a.calls, 0)
			if err != nil {
				return err
			}
			if len(chosen) == 0 {
				break
			}
			p.Waiting = append(p.Waiting, chosen...)
			rng := a.rng.Open(a.order.At(t, a.calls))
			rng.Shuffle(len(p.Waiting), func(i, j int) {
				p.Waiting[i], p.Waiting[j] = p.Waiting[j], p.Waiting[i]
			})
			a.calls++
		}
		i := p.Waiting[0]
		p.Waiting = slices.Delete(p.Waiting, 0, 1)
		if _, available := slices.BinarySearch(a.available, i); available && a.idle(t, i) {
			a.working[i], a.done[i] = true, t+1
			a.next = append(a.next, i)
		}
	}
	return a.start(t, a.next, 0)
}

// idle reports whether a client can be asked in round t.
func (a *asynchronous) idle(t, client int) bool {
	return !a.working[client] && a.done[client] != t+1
}

// choose has clients selected, for the given time in round t: of a tier, where it is not 0.
func (a *asynchronous) choose(t, time, tier int) ([]int, error) {
	a.idlers = a.idlers[:0]
	for _, i := range a.available {
		if a.idle(t, i) && (tier == 0 || a.tier[i] == tier) {
			a.idlers = append(a.idlers, i)
		}
	}
	return a.of.choose(t, time, a.idlers)
}

// endTier has tiers whose rounds have ended begin the next ones, and ends the round of the tier
// that is the first to finish.
func (a *asynchronous) endTier(t int) error {
	p := a.pending
	for tier := range a.under {
		if tier == 0 || a.under[tier] > 0 {
			continue
		}
		chosen, err := a.choose(t, tier-1, tier)
		if err != nil {
			return err
		}
		a.next = append(a.next[:0], chosen...) // selection may have them in memory of its own
		for _, i := range a.next {
			a.working[i], a.done[i] = true, t+1
		}
		if err := a.start(t, a.next, tier); err != nil {
			return err
		}
	}
	a.now = 0
	if len(p.Updates) == 0 {
		return nil
	}
	// Of each tier the last update in their order ends its round.
	a.left = append(a.left[:0], a.under...)
	for k := 0; a.now == 0; k++ {
		u := &p.Updates[k]
		if a.left[u.Tier]--; a.left[u.Tier] == 0 {
			a.now, a.of.progress.Time = u.Tier, u.At
		}
	}
	for k := 0; k < len(p.Updates); {
		if p.Updates[k].Tier != a.now {
			k++
		} else {
			a.end(t, k)
		}
	}
	return nil
}

// start asks clients in round t.
func (a *asynchronous) start(t int, clients []int, tier int) error {
	if len(clients) == 0 {
		return nil
	}
	slices.Sort(clients)
	c, p, now := a.of.completion, a.pending, a.of.progress.Time
	f := c.ask(clients)
	f.T, f.Now = t, now
	if err := c.seconds(); err != nil {
		return err
	}
	c.cut(t)
	c.drop(t)
	c.toss(t)
	for k, i := range clients {
		u := pendingUpdate{Client: i, Model: t, Tier: tier, At: now + f.After[k],
			Toss: c.tosses[k], Missed: c.lost[k], Limit: c.limits[k],
			Seconds: f.After[k]}
		if limit := c.Policy.Deadline; limit > 0 && f.After[k] > limit {
			u.At, u.Missed, u.Arrives = now+limit, true, !c.lost[k]
		}
		u.Mail = a.of.progress.Mail.hand(i)
		a.mailed = a.mailed || u.Mail != nil
		p.add(u)
		a.under[tier]++
	}
	a.started = append(a.started, clients...)
	return nil
}

// end ends the k-th of the updates that are pending, in round t.
func (a *asynchronous) end(t, k int) {
	p := a.pending
	u := p.Updates[k]
	p.Updates = slices.Delete(p.Updates, k, k+1)
	a.working[u.Client] = false
	a.under[u.Tier]--
	if u.Missed {
		a.missed = append(a.missed, u)
	} else {
		a.heard = append(a.heard, u)
		a.done[u.Client] = t + 1
	}
}

// mail returns what a client was sent with the model of round t, in which it was asked.
func (a *asynchronous) mail(t, client int) fl.Tensors {
	for _, list := range [][]pendingUpdate{a.pending.Updates, a.heard, a.missed} {
		for k := range list {
			if u := &list[k]; u.Client == client && u.Model == t {
				return u.Mail
			}
		}
	}
	return nil
}

// starts returns what each client of the cohort was sent. Nil: the server is synchronous.
func (c *Cell) starts() []start {
	a, p := c.participation.asynchronous, c.progress
	if a == nil {
		return nil
	}
	a.starts = a.starts[:0]
	for k := range a.heard {
		u := &a.heard[k]
		s := start{u.Model, nil, p.Broadcast, u.Mail, u.Limit}
		if u.Model == p.Round {
			s.global = c.sent()
		} else {
			m := a.pending.model(u.Model)
			s.global, s.broadcast = m.Params, m.Broadcast
		}
		a.starts = append(a.starts, s)
	}
	return a.starts
}

// rebase makes an update that was made of an earlier model, or of what compression left of the
// present one, the present model plus the change that the client made, where the aggregator does
// not ask for what it trained.
func (w *trainer) rebase(u *fl.Update, from *start) {
	if same(from.global, w.job.global) || w.setup.Stale || u.Params == nil {
		return
	}
	for j, x := range w.job.global {
		u.Params[j] = x + (u.Params[j] - from.global[j])
	}
}

// settle forgets what no client needs any more, at the end of a round.
func (a *asynchronous) settle(m *mail) {
	if a == nil {
		return
	}
	for k := range a.heard {
		m.back(a.heard[k].Client, a.heard[k].Mail, true)
	}
	for k := range a.missed {
		m.back(a.missed[k].Client, a.missed[k].Mail, false)
	}
	a.pending.drop()
}
