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

// A trainer trains the clients of a cohort, several at once. Which worker trained a client leaves
// no trace: every update is trained in a place of its own, and updates are added up in the
// order of clients.
type trainer struct {
	cell     *Cell
	clients  fl.Stream
	initial  fl.Stream
	variants *modelVariants
	starts   []fl.Vector // initial parameters of every variant; nil when there is one
	workers  []*worker
	cohort   []int
	updates  []fl.Update
	errs     []error
	floats   []int         // that each member of the cohort uploads
	remarks  [][]string    // of each of them
	places   []fl.Vector   // the k-th of the cohort is trained in place k modulo their number
	shares   bool          // clients are trained once for all cells that train the same ones
	sum      *streamingSum // nil where updates are kept until all have come
	next     atomic.Int64
	wg       sync.WaitGroup
	closed   bool
}

// A member is one worker with scratch space of its own.
type worker struct {
	task   fl.Task
	client fl.Client
	rng    *fl.ReseedableRand
	wake   chan struct{} // nil for the first member, which is the caller

	workers []fl.Worker // by variant, once it has trained one
}

func newTrainer(c *Cell) *trainer {
	w := &trainer{cell: c, clients: fl.NewStream(c.setup.Seed, "client"),
		initial: fl.NewStream(c.setup.Seed, "init"), variants: newModelVariants(c.setup)}
	for _, m := range w.variants.models[1:] {
		w.starts = append(w.starts, m.Init(w.initial.Rand()))
	}
	if w.starts != nil {
		w.starts = append([]fl.Vector{c.global}, w.starts...)
	}
	w.shares = c.opts.Trained != nil && c.setup.OneShot()
	if c.setup.Weighs && c.setup.Statistics == "" && !w.shares {
		w.sum = newStreamingSum(w)
		c.round.Fold = w.sum.run
	}
	for k := range max(1, c.opts.Workers) {
		m := &worker{rng: fl.NewReseedableRand()}
		m.task = fl.Task{Client: &m.client}
		m.workers = make([]fl.Worker, len(w.variants.models))
		m.workers[0] = w.variants.models[0].Worker()
		w.workers = append(w.workers, m)
		if k > 0 {
			m.wake = make(chan struct{})
			go w.serve(m)
		}
	}
	return w
}

func (w *trainer) close() {
	if w.closed {
		return
	}
	w.closed = true
	for _, m := range w.workers[1:] {
		close(m.wake)
	}
}

func (w *trainer) serve(m *worker) {
	for range m.wake {
		w.work(m)
		w.wg.Done()
	}
}

// call returns the updates of the cohort, in its order. They live until the next call. Those
// that will be weighed as they come have no models, and nobody has trained yet.
func (w *trainer) call(cohort []int) ([]fl.Update, error) {
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
	if w.sum == nil {
		w.reserve(n)
		w.train()
		return w.updates, w.count()
	}
	w.sum.begun, w.sum.misuse = false, nil
	for k, id := range cohort {
		w.updates[k] = fl.Update{Client: id, Samples: w.cell.world.Roster.Samples[id]}
	}
	return w.updates, nil
}

// dismiss ends a round once its aggregator has returned, and returns what went wrong in it.
// Clients train and upload even for an aggregator that had no use for them.
func (w *trainer) finish(err error) error {
	if w.sum == nil || (err != nil && !w.sum.begun) {
		return err
	}
	if !w.sum.begun {
		r := &w.cell.round
		w.sum.run(r.Scratch(len(w.cohort)), r.Scratch(len(r.Global)))
	}
	if failed := cmp.Or(w.sum.misuse, w.count()); failed != nil {
		return failed // whatever the aggregator says, it was given too little
	}
	return err
}

// settle returns the error of the first client that has one, or counts what was uploaded.
func (w *trainer) count() error {
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
func (w *trainer) reserve(n int) {
	if w.cell.setup.NoModel {
		return // nothing is trained in place
	}
	for len(w.places) < n {
		w.places = append(w.places, make(fl.Vector, w.variants.longest()))
	}
}

// train trains the cohort, with as many members as its work is worth.
func (w *trainer) train() {
	load := 0
	for _, i := range w.cohort {
		load += w.cell.world.Roster.Samples[i]
	}
	load *= len(w.cell.global)
	w.cell.slow = load > alone
	hands := w.workers[:1]
	if load > alone {
		hands = w.workers[:min(len(w.workers), len(w.cohort))]
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
func (w *trainer) work(m *worker) {
	for {
		k := int(w.next.Add(1)) - 1
		if k >= len(w.cohort) {
			return
		}
		if w.sum == nil {
			w.updates[k], w.errs[k] = w.trainOne(m, k)
			continue
		}
		w.sum.await(k)
		u, err := w.trainOne(m, k)
		w.errs[k] = err
		w.sum.take(k, u.Params)
	}
}

// one trains the k-th client of the cohort.
func (w *trainer) trainOne(m *worker, k int) (u fl.Update, err error) {
	c, id := w.cell, w.cohort[k]
	defer guardClient(&err, id)
	m.client = c.world.Population.Client(id)
	t := &m.task
	t.Recycle()
	variant := w.variants.variant(id)
	if m.workers[variant] == nil {
		m.workers[variant] = w.variants.models[variant].Worker()
	}
	t.Model, t.Worker = w.variants.models[variant], m.workers[variant]
	if t.Global, t.Params, err = w.send(k, variant); err != nil {
		return u, err
	}
	t.T, t.Broadcast = c.t, c.round.Broadcast
	t.RNG = m.rng.Open(w.clients.At(c.t, id))
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
func (w *trainer) send(k, variant int) (global, params fl.Vector, err error) {
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
func (w *trainer) place(k int) fl.Vector { return w.places[k%len(w.places)] }

func guardClient(err *error, id int) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("client %d: %w", id, panicked(p))
	}
}
