package engine

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An Adversary is the adversary of a setup, which clients it has, and what it knows.
type Adversary struct {
	Name      string
	Component fl.Adversary // nil: all clients are honest
	Knows     fl.Knowledge
	Faulty    fl.Faulty
}

// poisoner returns what changes data, or nil where updates are changed.
func (a *Adversary) poisoner() fl.Poisoner {
	if data, ok := a.Component.(*fl.PoisonedData); ok {
		return data.Poisoner
	}
	return nil
}

// Colludes reports whether updates are corrupted together, after all clients have trained.
func (a *Adversary) Colludes() bool {
	return a.Component != nil && a.poisoner() == nil && a.Knows != fl.KnowsOwn
}

// An attacker is the adversary of a cell at work. Of a nil one all clients are honest. It stands
// after the clients' local work and before the server: what it changes is what is sent. What
// clients keep, how many steps they make, and what a model attack sends beside parameters is that
// of honest training; with poisoned data, losses that clients tell are those of these data.
type attacker struct {
	Adversary
	poisons fl.Poisoner
	cell    *Cell
	draws   fl.Stream // which clients are faulty
	own     fl.Stream // what each of them draws
	all     fl.Stream // what they draw together

	faulty  []bool // by client, in this round
	order   []int  // room for a draw
	clients []int  // the enrolled

	attack  fl.Attack
	rng     *fl.ReseedableRand
	trained *trained // of the cohort that is corrupted
	at      []int    // of the faulty clients, among the cohort
	trial   trial
}

// attackRoom is what a worker needs to corrupt what a client sends.
type attackRoom struct {
	attack    fl.Attack
	one       [1]fl.Update
	poisoning fl.Poisoning
	data      fl.Dataset // the poisoned samples
	labels    []int
	rng       *fl.ReseedableRand
}

// newAttacker returns the attacker of a cell, or nil.
func newAttacker(c *Cell) (*attacker, error) {
	s := c.setup
	if s.Adversary.Component == nil {
		return nil, nil
	}
	a := &attacker{Adversary: s.Adversary, poisons: s.Adversary.poisoner(), cell: c,
		draws: fl.NewStream(s.Seed, "adversary"), own: fl.NewStream(s.Seed, "faulty client"),
		all: fl.NewStream(s.Seed, "faulty clients"), rng: fl.NewReseedableRand(),
		clients: enrolled(c.world.Environment), faulty: make([]bool, c.world.Roster.N)}
	a.order = make([]int, len(a.clients))
	a.attack.Layout = c.round.Layout
	if a.Knows == fl.KnowsRule {
		a.attack.Allow(a.try)
	}
	f := &a.Faulty
	for _, i := range f.Clients {
		a.faulty[i] = true
	}
	if f.Domains != nil && !a.ofDomains() {
		return nil, fmt.Errorf("adversary %s: no client has samples of these domains alone", a.Name)
	}
	if f.Clients == nil && f.Domains == nil && !f.Redrawn {
		a.draw(0)
	}
	for _, m := range c.trainer.workers {
		m.attack.rng = fl.NewReseedableRand()
		m.attack.attack.Layout = c.round.Layout
	}
	return a, nil
}

// ofDomains makes clients faulty whose samples are of the domains, and reports whether there are
// any.
func (a *attacker) ofDomains() (some bool) {
	pop := a.cell.world.Population
	for i := range a.faulty {
		own := pop.Train.Domain[pop.Start[i]:pop.Start[i+1]]
		other := slices.ContainsFunc(own, func(d int) bool {
			return !slices.Contains(a.Faulty.Domains, d)
		})
		a.faulty[i] = !other
		some = some || !other
	}
	return some
}

// draw draws the faulty clients by the stream of a round. A larger share has those of a
// smaller one.
func (a *attacker) draw(round int) {
	clear(a.faulty)
	copy(a.order, a.clients)
	rng := a.rng.Open(a.draws.At(round, 0))
	for k := range a.Faulty.Draws(len(a.order)) {
		j := k + rng.IntN(len(a.order)-k)
		a.order[k], a.order[j] = a.order[j], a.order[k]
		a.faulty[a.order[k]] = true
	}
}

// begin begins round t.
func (a *attacker) begin(t int) {
	if a != nil && a.Faulty.Redrawn {
		a.draw(t + 1)
	}
}

// has reports whether a client is faulty in this round.
func (a *attacker) has(client int) bool { return a != nil && a.faulty[client] }

// samples returns how many samples a client reports that has n.
func (a *attacker) samples(client, n int) int {
	if a.has(client) && a.Faulty.Reported > 1 {
		return n * a.Faulty.Reported
	}
	return n
}

// poison changes the data on which a faulty client of a worker is about to train: a copy of them,
// without what was computed of the true ones.
func (a *attacker) poison(m *worker) error {
	id := m.client.ID
	if !a.has(id) || a.poisons == nil {
		return nil
	}
	room, from := &m.attack, &m.client.Data
	x, y, target := room.data.X.Data, room.labels, room.data.Target
	room.data = *from
	d := &room.data
	d.Moments, d.Blend, d.Raw = nil, nil, fl.Matrix{}
	d.X.Data = append(x[:0], from.X.Data...)
	if from.Y != nil {
		room.labels = append(y[:0], from.Y...)
		d.Y = room.labels
	}
	if d.Target = nil; from.Target != nil {
		d.Target = append(target[:0], from.Target...)
	}
	p := &room.poisoning
	*p = fl.Poisoning{T: m.task.T, Client: id, Data: d, RNG: room.rng.Open(a.own.At(0, id))}
	if err := a.poisons.Poison(p); err != nil {
		return a.failed(id, err)
	}
	if broken := unlike(p.Data, from); broken != "" {
		return a.failed(id, fmt.Errorf("the poisoned data have %s", broken))
	}
	m.client.Data = *p.Data
	return nil
}

// unlike says what keeps poisoned data from being data of the same form.
func unlike(d, from *fl.Dataset) string {
	switch {
	case d.X.Rows != from.X.Rows || d.X.Cols != from.X.Cols || len(d.X.Data) != len(from.X.Data) ||
		len(d.Y) != len(from.Y) || len(d.Target) != len(from.Target):
		return "another size"
	case !fl.Vector(d.X.Data).Finite() || !d.Target.Finite():
		return "NaN or Inf"
	}
	for _, c := range d.Y {
		if c < 0 || c >= d.Shape.Classes {
			return fmt.Sprintf("label %d of %d classes", c, d.Shape.Classes)
		}
	}
	return ""
}

func (a *attacker) failed(client int, err error) error {
	return fmt.Errorf("client %d: adversary %s: %w", client, a.Name, err)
}

// cleanse gives the client of a worker its true data back, after it has trained.
func (a *attacker) cleanse(m *worker) {
	if a.has(m.client.ID) && a.poisons != nil {
		a.cell.world.Population.Open(&m.client, m.client.ID)
	}
}

// corruptOwn changes the update of a faulty client that knows no others, and reports whether it
// did.
func (a *attacker) corruptOwn(m *worker, u *fl.Update) (bool, error) {
	if !a.has(u.Client) || a.poisons != nil || a.Knows != fl.KnowsOwn {
		return false, nil
	}
	room := &m.attack
	k := &room.attack
	k.Recycle()
	room.one[0] = *u
	k.T, k.Global, k.Updates = m.task.T, m.task.Global, room.one[:]
	k.RNG = room.rng.Open(a.own.At(m.task.T+1, u.Client))
	err := a.Component.Corrupt(k)
	if err == nil {
		err = a.settle(&room.one[0], u, k.Global)
	}
	if err != nil {
		return true, a.failed(u.Client, err)
	}
	return true, nil
}

// settle makes u send what was made of it: parameters in its own memory, of which those that stay
// at the client are as it was sent them.
func (a *attacker) settle(made, u *fl.Update, global fl.Vector) error {
	if len(made.Params) != len(u.Params) {
		return fmt.Errorf("an update has %d parameters, the model has %d", len(made.Params),
			len(u.Params))
	}
	if &made.Params[0] != &u.Params[0] {
		copy(u.Params, made.Params)
	}
	for k := range a.cell.setup.Personal.Stays {
		b := &a.cell.setup.Personal.Stays[k]
		copy(b.Of(u.Params).Data, b.Of(global).Data)
	}
	u.Returned = false
	if !u.Params.Finite() {
		return fmt.Errorf("an update has " + notFinite + ", which every server refuses")
	}
	return nil
}

// corrupt changes the updates of the faulty clients of a cohort, where they collude.
func (a *attacker) corrupt(got *trained) error {
	if a == nil || !a.Colludes() {
		return nil
	}
	k, c := &a.attack, a.cell
	k.Recycle()
	k.Updates, k.Honest, a.at, a.trained = k.Updates[:0], k.Honest[:0], a.at[:0], got
	for i, u := range got.updates {
		if a.faulty[u.Client] {
			k.Updates, a.at = append(k.Updates, u), append(a.at, i)
		} else {
			k.Honest = append(k.Honest, u)
		}
	}
	if len(a.at) == 0 {
		return nil
	}
	k.T, k.Global, k.State = c.progress.Round, c.progress.Global, c.progress.Adversary
	k.RNG = a.rng.Open(a.all.At(k.T, 0))
	if err := a.Component.Corrupt(k); err != nil {
		return fmt.Errorf("adversary %s: %w", a.Name, err)
	}
	if err := a.sync(); err != nil {
		return err
	}
	for _, i := range a.at {
		u := &got.updates[i]
		got.floats[i] = c.setup.floats(u, got.coded[i])
		c.setup.note(u, k.Global, got, i, c.progress.Reports)
	}
	return nil
}

// sync makes the updates of the cohort those that faulty clients send as it stands.
func (a *attacker) sync() error {
	for j, i := range a.at {
		u := &a.trained.updates[i]
		if err := a.settle(&a.attack.Updates[j], u, a.attack.Global); err != nil {
			return a.failed(u.Client, err)
		}
	}
	return nil
}

// Faulty returns the clients that the adversary has in the round that is played, ascending; nil
// where all are honest.
func (c *Cell) Faulty() (clients []int) {
	if c.attacker == nil {
		return nil
	}
	for i, faulty := range c.attacker.faulty {
		if faulty {
			clients = append(clients, i)
		}
	}
	return clients
}

// remark says how many clients are faulty.
func (a *attacker) remark() string {
	if a == nil {
		return ""
	}
	knows, n, of := "knows "+string(a.Knows), 0, "clients"
	if a.poisons != nil {
		knows = "changes what they train on"
	}
	for _, faulty := range a.faulty {
		if faulty {
			n++
		}
	}
	if a.Faulty.Redrawn {
		n, of = a.Faulty.Draws(len(a.clients)), "clients, drawn anew in every round,"
	}
	return fmt.Sprintf("adversary %s %s: %d of %d %s are faulty", a.Name, knows, n,
		len(a.faulty), of)
}
