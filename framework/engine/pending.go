package engine

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A pendingUpdate is one that a client makes for an asynchronous server.
type pendingUpdate struct {
	Client  int
	Model   int     // the round before which the server had the model that the client was sent
	Tier    int     // of the client, from 1; 0: there are none
	At      float64 // virtual seconds: it arrives, or the server waits for it no longer
	Toss    float64 // orders those of one moment: by numbers it would always be the same one
	Missed  bool    // it does not count: the client drops out, or is too late
	Arrives bool    // it was missed, and is sent all the same
	Limit   int     // the most steps of the client; 0: all
	Seconds float64 // that the client needs
	Mail    fl.Tensors
}

// before orders updates by the moment in which they end.
func (u *pendingUpdate) before(o *pendingUpdate) int {
	return cmp.Or(cmp.Compare(u.At, o.At), cmp.Compare(u.Toss, o.Toss),
		cmp.Compare(u.Client, o.Client))
}

// pending is what lasts from one round of an asynchronous server to the next.
type pending struct {
	Updates []pendingUpdate // in the order in which they end
	Waiting []int           // clients that were selected and are not asked yet, in their order
	Models  []sentModel     // of which clients make updates, ascending, θᵗ⁻¹ left out

	spare []sentModel // memory of models that no client has any more
}

// A sentModel is what clients were sent in a round.
type sentModel struct {
	Round     int
	Params    fl.Vector
	Broadcast fl.Tensors
}

// add puts an update into its place.
func (p *pending) add(u pendingUpdate) {
	k, _ := slices.BinarySearchFunc(p.Updates, u, func(a, b pendingUpdate) int {
		return a.before(&b)
	})
	p.Updates = slices.Insert(p.Updates, k, u)
}

// keep keeps the model of round t where clients make updates of it after that round. It is called
// after the cohort of the round is known, and before the model changes.
func (p *pending) keep(t int, params fl.Vector, broadcast fl.Tensors) {
	if !p.needs(t) {
		return
	}
	m := sentModel{Broadcast: fl.Tensors{}}
	if n := len(p.spare); n > 0 {
		m, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	m.Round, m.Params = t, append(m.Params[:0], params...)
	keepTensors(m.Broadcast, broadcast)
	p.Models = append(p.Models, m)
}

// needs reports whether a client makes an update of the model of round t.
func (p *pending) needs(t int) bool {
	return slices.ContainsFunc(p.Updates, func(u pendingUpdate) bool { return u.Model == t })
}

// model returns what clients were sent in round t; nil: it is not kept.
func (p *pending) model(t int) *sentModel {
	k, found := slices.BinarySearchFunc(p.Models, t, func(m sentModel, t int) int {
		return m.Round - t
	})
	if !found {
		return nil
	}
	return &p.Models[k]
}

// drop drops models of which no client makes an update any more.
func (p *pending) drop() {
	left := p.Models[:0]
	for _, m := range p.Models {
		if p.needs(m.Round) {
			left = append(left, m)
		} else {
			p.spare = append(p.spare, m)
		}
	}
	clear(p.Models[len(left):])
	p.Models = left
}

// clone returns a deep copy.
func (p *pending) clone() *pending {
	if p == nil {
		return nil
	}
	c := &pending{Updates: slices.Clone(p.Updates), Waiting: slices.Clone(p.Waiting)}
	for k, u := range c.Updates {
		if u.Mail != nil {
			c.Updates[k].Mail = fl.Tensors{}
			keepTensors(c.Updates[k].Mail, u.Mail)
		}
	}
	for _, m := range p.Models {
		o := sentModel{Round: m.Round, Params: m.Params.Clone(), Broadcast: fl.Tensors{}}
		keepTensors(o.Broadcast, m.Broadcast)
		c.Models = append(c.Models, o)
	}
	return c
}

// fits reports whether p can be of a cell of so many clients and parameters.
func (p *pending) fits(clients, parameters, round int) bool {
	for k := range p.Updates {
		u := &p.Updates[k]
		if u.Client < 0 || u.Client >= clients || u.Model < 0 || u.Model >= round ||
			p.model(u.Model) == nil || k > 0 && p.Updates[k-1].before(u) >= 0 {
			return false
		}
	}
	for _, i := range p.Waiting {
		if i < 0 || i >= clients {
			return false
		}
	}
	return !slices.ContainsFunc(p.Models, func(m sentModel) bool {
		return len(m.Params) != parameters
	})
}

// pending carries what an asynchronous server waits for.
func (w *codec) pending(to **pending) {
	p := *to
	if w.reads() {
		p = new(pending)
		*to = p
	}
	list(w, &p.Waiting, w.number)
	list(w, &p.Models, func(m *sentModel) {
		w.number(&m.Round)
		w.vector(&m.Params)
		w.tensors(&m.Broadcast)
	})
	list(w, &p.Updates, func(u *pendingUpdate) {
		w.number(&u.Client)
		w.number(&u.Model)
		w.number(&u.Tier)
		w.float(&u.At)
		w.float(&u.Toss)
		w.truth(&u.Missed)
		w.truth(&u.Arrives)
		w.number(&u.Limit)
		w.float(&u.Seconds)
		mail := u.Mail != nil
		if w.truth(&mail); mail {
			w.tensors(&u.Mail)
		}
	})
}
