package engine

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hansa-fl/hansa/framework/fl"
)

// alone is the work — samples × parameters of a cohort — below which waking a second
// worker takes longer than it saves.
const alone = 1 << 18

// A crew trains the clients of a cohort, several at once. Who trained a client leaves no
// trace: every update is trained in a place of its own, and updates are added up in the
// order of clients.
type crew struct {
	cell    *Cell
	clients fl.Stream
	initial fl.Stream
	draft   *draft
	starts  []fl.Vector // initial parameters of every variant; nil when there is one
	members []*member
	cohort  []int
	updates []fl.Update
	errs    []error
	floats  []int       // that each member of the cohort uploads
	remarks [][]string  // of each of them
	places  []fl.Vector // the k-th of the cohort is trained in place k modulo their number
	shares  bool        // clients are trained once for all cells that train the same ones
	fold    *fold       // nil where updates are kept until all have come
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

	workers []fl.Worker // by variant, once it has trained one
}

func newCrew(c *Cell) *crew {
	w := &crew{cell: c, clients: fl.NewStream(c.setup.Seed, "client"),
		initial: fl.NewStream(c.setup.Seed, "init"), draft: newDraft(c.setup)}
	for _, m := range w.draft.variants[1:] {
		w.starts = append(w.starts, m.Init(w.initial.Rand()))
	}
	if w.starts != nil {
		w.starts = append([]fl.Vector{c.global}, w.starts...)
	}
	w.shares = c.opts.Trained != nil && c.setup.OneShot()
	if c.setup.Weighs && c.setup.Statistics == "" && !w.shares {
		w.fold = newFold(w)
		c.round.Fold = w.fold.run
	}
	for k := range max(1, c.opts.Workers) {
		m := &member{tap: fl.NewTap()}
		m.task = fl.Task{Client: &m.client}
		m.workers = make([]fl.Worker, len(w.draft.variants))
		m.workers[0] = w.draft.variants[0].Worker()
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

// call returns the updates of the cohort, in its order. They live until the next call. Those
// that will be weighed as they come have no models, and nobody has trained yet.
func (w *crew) call(cohort []int) ([]fl.Update, error) {
	w.cohort = cohort
	if n := len(cohort); n > cap(w.updates) {
		w.updates, w.errs = make([]fl.Update, n), make([]error, n)
		w.floats, w.remarks = make([]int, n), make([][]string, n)
	}
	n := len(cohort)
	w.updates, w.errs = w.updates[:n], w.errs[:n]
	w.floats, w.remarks = w.floats[:n], w.remarks[:n]
	clear(w.errs)
	if w.shares {
		return w.shared()
	}
	if w.fold == nil {
		w.room(n)
		w.train()
		return w.updates, w.settle()
	}
	w.fold.begun, w.fold.misuse = false, nil
	for k, id := range cohort {
		w.updates[k] = fl.Update{Client: id, Samples: w.cell.world.Roster.Samples[id]}
	}
	return w.updates, nil
}

// dismiss ends a round once its aggregator has returned, and returns what went wrong in it.
// Clients train and upload even for an aggregator that had no use for them.
func (w *crew) dismiss(err error) error {
	if w.fold == nil || (err != nil && !w.fold.begun) {
		return err
	}
	if !w.fold.begun {
		r := &w.cell.round
		w.fold.run(r.Scratch(len(w.cohort)), r.Scratch(len(r.Global)))
	}
	if failed := cmp.Or(w.fold.misuse, w.settle()); failed != nil {
		return failed // whatever the aggregator says, it was given too little
	}
	return err
}

// settle returns the error of the first client that has one, or counts what was uploaded.
func (w *crew) settle() error {
	for k, err := range w.errs {
		if err != nil {
			return err
		}
		w.cell.uploaded += int64(w.floats[k])
		for _, remark := range w.remarks[k] {
			w.cell.round.Notes.Add(remark)
		}
	}
	return nil
}

// room readies so many places.
func (w *crew) room(n int) {
	if w.cell.setup.NoModel {
		return // nothing is trained in place
	}
	for len(w.places) < n {
		w.places = append(w.places, make(fl.Vector, w.draft.longest()))
	}
}

// train trains the cohort, with as many members as its work is worth.
func (w *crew) train() {
	load := 0
	for _, i := range w.cohort {
		load += w.cell.world.Roster.Samples[i]
	}
	load *= len(w.cell.global)
	w.cell.slow = load > alone
	hands := w.members[:1]
	if load > alone {
		hands = w.members[:min(len(w.members), len(w.cohort))]
	}
	w.next.Store(0)
	w.wg.Add(len(hands) - 1)
	for _, m := range hands[1:] {
		m.wake <- struct{}{}
	}
	w.work(hands[0])
	w.wg.Wait()
}

// work trains one client after another until none is left.
func (w *crew) work(m *member) {
	for {
		k := int(w.next.Add(1)) - 1
		if k >= len(w.cohort) {
			return
		}
		if w.fold == nil {
			w.updates[k], w.errs[k] = w.one(m, k)
			continue
		}
		w.fold.await(k)
		u, err := w.one(m, k)
		w.errs[k] = err
		w.fold.take(k, u.Params)
	}
}

// one trains the k-th client of the cohort.
func (w *crew) one(m *member, k int) (u fl.Update, err error) {
	c, id := w.cell, w.cohort[k]
	defer guardClient(&err, id)
	m.client = c.world.Population.Client(id)
	t := &m.task
	t.Recycle()
	variant := w.draft.variant(id)
	if m.workers[variant] == nil {
		m.workers[variant] = w.draft.variants[variant].Worker()
	}
	t.Model, t.Worker = w.draft.variants[variant], m.workers[variant]
	if t.Global, t.Params, err = w.send(k, variant); err != nil {
		return u, err
	}
	t.T, t.Broadcast = c.t, c.round.Broadcast
	t.RNG = m.tap.Open(w.clients.At(c.t, id))
	if u, err = c.setup.Local.Run(t); err != nil {
		return u, fmt.Errorf("client %d: %w", id, err)
	}
	u.Client, u.Samples = id, m.client.Data.Len()
	if w.starts != nil {
		u.Model = t.Model
	}
	w.floats[k], w.remarks[k] = u.Floats(), u.Remarks
	if c.setup.Statistics != "" {
		return u, statistics(&u, c.setup.Statistics)
	}
	if u.Params == nil {
		return u, fmt.Errorf("client %d: uploads no model", id)
	}
	if len(u.Params) != len(t.Params) {
		return u, fmt.Errorf("client %d: the update has %d parameters, the model has %d",
			id, len(u.Params), len(t.Params))
	}
	if &u.Params[0] != &t.Params[0] {
		copy(t.Params, u.Params) // it may be scratch, which the next client gets
		u.Params = t.Params
	}
	if !u.Params.Finite() {
		return u, diverged(id)
	}
	return u, nil
}

// send returns the model that the k-th client of the cohort is sent, and the copy that it trains:
// neither where clients are sent none. Cell.models counts them.
func (w *crew) send(k, variant int) (global, params fl.Vector, err error) {
	if w.cell.setup.NoModel {
		return nil, nil, nil
	}
	if global, err = w.begin(w.cohort[k], variant); err != nil {
		return nil, nil, err
	}
	params = w.place(k)[:len(global)]
	copy(params, global)
	return global, params, nil
}

// statistics says what is wrong with an update of statistics of a kind, if anything is.
func statistics(u *fl.Update, kind string) error {
	switch {
	case u.Params != nil:
		return fmt.Errorf("client %d: uploads a model, not only %s", u.Client, kind)
	case !u.Payload.Finite():
		return fmt.Errorf("client %d: the update has NaN or Inf", u.Client)
	}
	return nil
}

// diverged says that a client returned a model with NaN or Inf, and the usual reason.
func diverged(client int) error {
	return fmt.Errorf("client %d: the update has NaN or Inf: local training diverged; "+
		"try a lower lr", client)
}

// place returns where the k-th of the cohort is trained.
func (w *crew) place(k int) fl.Vector { return w.places[k%len(w.places)] }

func guardClient(err *error, id int) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("client %d: %w", id, panicked(p))
	}
}
