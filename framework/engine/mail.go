package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// mail is what the server has for single clients, by client: it waits until the client participates
// next, and is sent with the model then. It grows with the clients that have mail, not with N.
type mail struct {
	waiting map[int]fl.Tensors
	spare   []fl.Tensors // memory of mail that was sent in earlier rounds
	sent    []fl.Tensors // the same of this round, of which an outcome may be made
}

func newMail() *mail { return &mail{waiting: map[int]fl.Tensors{}} }

// of returns what waits for a client; nil where nothing does. It is read-only.
func (m *mail) of(client int) fl.Tensors { return m.waiting[client] }

// settle ends a round: the mail of its cohort was sent, and that of its outcome waits from now on,
// instead of what waited for the same clients. Mail of nothing withdraws what waits.
func (m *mail) settle(cohort []int, out map[int]fl.Tensors) {
	if len(m.waiting) > 0 {
		for _, i := range cohort {
			m.drop(i)
		}
	}
	for i, t := range out {
		if len(t) == 0 {
			m.drop(i)
			continue
		}
		if m.waiting[i] == nil {
			m.waiting[i] = m.fresh()
		}
		keepTensors(m.waiting[i], t)
	}
	m.spare, m.sent = append(m.spare, m.sent...), m.sent[:0]
}

// drop takes what waits for a client away.
func (m *mail) drop(client int) {
	if t, waits := m.waiting[client]; waits {
		delete(m.waiting, client)
		m.sent = append(m.sent, t)
	}
}

// hand takes what waits for a client that is asked now and is in the cohort of a later round; nil
// where nothing does. Nothing waits at a server that only simulates rounds.
func (m *mail) hand(client int) fl.Tensors {
	if m == nil || len(m.waiting) == 0 {
		return nil
	}
	t := m.waiting[client]
	delete(m.waiting, client)
	return t
}

// back has mail wait again that a client did not use, unless there is newer mail for it, and keeps
// the memory of mail that was used.
func (m *mail) back(client int, t fl.Tensors, used bool) {
	if t == nil {
		return
	}
	if _, newer := m.waiting[client]; used || newer {
		m.sent = append(m.sent, t)
		return
	}
	m.waiting[client] = t
}

// fresh returns memory for mail.
func (m *mail) fresh() fl.Tensors {
	n := len(m.spare)
	if n == 0 {
		return fl.Tensors{}
	}
	t := m.spare[n-1]
	m.spare = m.spare[:n-1]
	return t
}

// undeliverable says which mail of an outcome has no client that it can reach, if some has none.
func undeliverable(out map[int]fl.Tensors, r *fl.Roster) error {
	if len(out) == 0 {
		return nil
	}
	bad := r.N
	for i := range out {
		if i < 0 || i >= r.N {
			return fmt.Errorf("the aggregator has mail for a client that is none of 0 to %d", r.N-1)
		}
		if !r.Reaches(i) {
			bad = min(bad, i)
		}
	}
	if bad < r.N {
		return fmt.Errorf("the aggregator has mail for client %d, which is not enrolled", bad)
	}
	return nil
}

// clone returns a deep copy of what waits.
func (m *mail) clone() *mail {
	c := newMail()
	if m == nil {
		return c
	}
	for i, t := range m.waiting {
		c.waiting[i] = fl.Tensors{}
		keepTensors(c.waiting[i], t)
	}
	return c
}

// any reports whether mail waits.
func (m *mail) any() bool { return m != nil && len(m.waiting) > 0 }

// mail carries what waits for clients.
func (w *codec) mail(m **mail) {
	if w.reads() {
		*m = newMail()
	}
	ids := slices.Sorted(maps.Keys((*m).waiting))
	list(w, &ids, w.number)
	for _, i := range ids {
		t := (*m).waiting[i]
		w.tensors(&t)
		(*m).waiting[i] = t
	}
}
