package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hansa-fl/hansa/framework/fl"
)

// alone is the work — samples × parameters of a cohort — below which waking a second
// worker takes longer than it saves.
const alone = 1 << 18

// A crew trains the clients of a cohort, several at once. Every client's update has a
// place of its own, so who trained it leaves no trace.
type crew struct {
	cell    *Cell
	clients fl.Stream
	members []*member
	cohort  []int
	updates []fl.Update
	errs    []error
	params  []fl.Vector // where the update of each member of a cohort is trained
	next    atomic.Int64
	wg      sync.WaitGroup
	closed  bool
}

// A member is one worker with scratch space of its own.
type member struct {
	task   fl.Task
	client fl.Client
	tap    *fl.Tap
	wake   chan struct{} // nil for the first member, which is the caller
}

func newCrew(c *Cell) *crew {
	w := &crew{cell: c, clients: fl.NewStream(c.setup.Seed, "client")}
	for k := range max(1, c.opts.Workers) {
		m := &member{tap: fl.NewTap()}
		m.task = fl.Task{Client: &m.client, Model: c.setup.Model, Worker: c.setup.Model.Worker()}
		w.members = append(w.members, m)
		if k > 0 {
			m.wake = make(chan struct{})
			go w.serve(m)
		}
	}
	return w
}

func (w *crew) close() {
	if w.closed {
		return
	}
	w.closed = true
	for _, m := range w.members[1:] {
		close(m.wake)
	}
}

func (w *crew) serve(m *member) {
	for range m.wake {
		w.work(m)
		w.wg.Done()
	}
}

// train returns the updates of the cohort, in its order. They live until the next call.
func (w *crew) train(t int, cohort []int) ([]fl.Update, error) {
	w.cohort = cohort
	w.room(len(cohort))
	w.next.Store(0)
	load := 0
	for _, i := range cohort {
		load += w.cell.world.Roster.Samples[i]
	}
	load *= len(w.cell.global)
	w.cell.slow = load > alone
	hands := w.members[:1]
	if load > alone {
		hands = w.members[:min(len(w.members), len(cohort))]
	}
	w.wg.Add(len(hands) - 1)
	for _, m := range hands[1:] {
		m.wake <- struct{}{}
	}
	w.work(hands[0])
	w.wg.Wait()
	for _, err := range w.errs {
		if err != nil {
			return nil, err
		}
	}
	return w.updates, nil
}

// room readies a place for the update of each member of the cohort.
func (w *crew) room(n int) {
	if n > cap(w.updates) {
		w.updates, w.errs = make([]fl.Update, n), make([]error, n)
	}
	w.updates, w.errs = w.updates[:n], w.errs[:n]
	for len(w.params) < n {
		w.params = append(w.params, make(fl.Vector, len(w.cell.global)))
	}
}

// work trains one client after another until none is left.
func (w *crew) work(m *member) {
	for {
		k := int(w.next.Add(1)) - 1
		if k >= len(w.cohort) {
			return
		}
		w.errs[k] = w.one(m, k)
	}
}

// one trains the k-th client of the cohort.
func (w *crew) one(m *member, k int) (err error) {
	c, id := w.cell, w.cohort[k]
	defer guardClient(&err, id)
	m.client = c.world.Population.Client(id)
	t := &m.task
	t.Recycle()
	t.T, t.Global, t.Params, t.Broadcast = c.t, c.global, w.params[k], c.round.Broadcast
	t.RNG = m.tap.Open(w.clients.At(c.t, id))
	copy(t.Params, t.Global)
	u, err := c.setup.Local.Run(t)
	if err != nil {
		return fmt.Errorf("client %d: %w", id, err)
	}
	u.Client, u.Samples = id, m.client.Data.Len()
	if u.Params != nil {
		if len(u.Params) != len(t.Params) {
			return fmt.Errorf("client %d: the update has %d parameters, the model has %d",
				id, len(u.Params), len(t.Params))
		}
		if &u.Params[0] != &t.Params[0] {
			copy(t.Params, u.Params) // it may be scratch, which the next client gets
			u.Params = t.Params
		}
		if !u.Params.Finite() {
			return fmt.Errorf("client %d: the update has NaN or Inf", id)
		}
	}
	w.updates[k] = u
	return nil
}

func guardClient(err *error, id int) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("client %d: panic: %v", id, p)
	}
}
