package engine

import (
	"fmt"
	"slices"
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
	setup    *Setup
	world    *World
	clients  fl.Stream
	initial  fl.Stream
	variants *modelVariants
	starts   []fl.Vector // initial parameters of every variant but the first
	workers  []*worker
	places   []fl.Vector       // the k-th of the cohort is trained in place k modulo their number
	rooms    []*fl.PayloadRoom // of payloads, as places
	streams  *streamingSum
	memo     *Memo // of what clients sent, for all cells that train the same ones; nil: none

	references []aloneModel // what clients train alone besides
	first      fl.Vector    // θ⁰, where they do
	alone      fl.Stream

	channel  *channel  // nil: updates are sent as they are
	attacker *attacker // nil: all clients are honest

	job     job
	trained trained
	errs    []error       // by client of the cohort
	sum     *streamingSum // of this job; nil: updates are kept until all have come
	norms   fl.Vector     // of this job, where clients are asked for no more; nil: they are not
	next    atomic.Int64
	wg      sync.WaitGroup
	closed  bool
}

// A job is what a cohort is to train in one round.
type job struct {
	t         int
	cohort    []int     // ascending
	global    fl.Vector // θᵗ⁻¹
	sent      fl.Vector // what clients are sent of it
	variant   int       // of the model that global are parameters of, or ensembled
	broadcast fl.Tensors
	mail      *mail
	states    *clientStates
	told      reports // of its clients, whose updates are written where they have room
	starts    []start // by client of the cohort; nil: all start from what is sent
	limits    []int   // of steps, by client of the cohort; nil: of those of starts, or none
}

// trained is what came of a job, by client of its cohort. It lives until the next one.
type trained struct {
	updates []fl.Update // without Params where models are summed
	floats  []int       // that each client uploads
	coded   []int64     // bits that each uploads of compressed parameters, or uncoded
	remarks [][]string  // of each of them
	answers []answer    // of each of them; nil where the server asks for none
	slow    bool        // it took long enough to report each round
	seconds float64     // of all clients together, where they are timed

	states *clientStates // of the cell that trained, where it is shared
}

// resize makes room for n clients.
func (r *trained) resize(n int) {
	if n > cap(r.updates) {
		r.updates, r.floats = make([]fl.Update, n), make([]int, n)
		r.remarks, r.coded = make([][]string, n), make([]int64, n)
	}
	r.updates, r.floats, r.remarks = r.updates[:n], r.floats[:n], r.remarks[:n]
	r.coded = r.coded[:n]
}

// A worker trains one client after another, with scratch space of its own.
type worker struct {
	at      int // among the workers
	task    fl.Task
	state   *taskState
	client  fl.Client
	rng     *fl.ReseedableRand
	attack  attackRoom
	channel *channelRoom // nil: updates are sent as they are
	losses  fl.Vector    // room for those of the client's samples
	seconds float64      // that it trained in this job

	alone    fl.Task // of what a client trains alone
	aloneRNG *fl.ReseedableRand

	wake    chan struct{} // nil for the first worker, which is the caller
	workers []fl.Worker   // by variant, once it has trained one
}

func newTrainer(s *Setup, world *World, o Options) *trainer {
	w := &trainer{setup: s, world: world, clients: fl.NewStream(s.Seed, "client"),
		initial: fl.NewStream(s.Seed, "init"), variants: newModelVariants(s),
		channel: newChannel(s, s.Compressor, "compressor")}
	w.streams = newStreamingSum(w)
	if w.references = s.references(); len(w.references) > 0 {
		w.first = world.first(s)
		w.alone = fl.NewStream(s.Seed, "alone")
	} else if s.OneShot() && !s.tells() && !s.Completion.Policy.Cuts() {
		w.memo = o.Trained
	}
	for _, m := range w.variants.models[1:] {
		w.starts = append(w.starts, m.Init(w.initial.Rand()))
	}
	for k := range max(1, o.Workers) {
		m := &worker{at: k, rng: fl.NewReseedableRand(), aloneRNG: fl.NewReseedableRand(),
			state: newTaskState()}
		m.channel = newChannelRoom(w.channel, newEncoder(m.state))
		m.task = fl.Task{Client: &m.client, State: m.state}
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

// announce returns the updates of a cohort before it has trained: clients and samples.
func (w *trainer) announce(cohort []int) []fl.Update {
	w.trained.resize(len(cohort))
	for k, id := range cohort {
		w.trained.updates[k] = fl.Update{Client: id,
			Samples: w.attacker.samples(id, w.world.Roster.Samples[id])}
	}
	return w.trained.updates
}

// train trains a cohort and keeps its updates.
func (w *trainer) train(j job) (*trained, error) {
	if w.memo != nil {
		return w.trainShared(j)
	}
	return w.trainOwn(j)
}

// trainOwn is train for this cell alone.
func (w *trainer) trainOwn(j job) (*trained, error) {
	w.job, w.sum = j, nil
	w.trained.resize(len(j.cohort))
	w.reserve(len(j.cohort))
	w.readyAnswers(len(j.cohort))
	return w.run()
}

// trainSum trains a cohort that was announced, and adds Σₖ weights[k]·θₖ to sum.
func (w *trainer) trainSum(j job, weights, sum fl.Vector) (*trained, error) {
	w.job, w.sum = j, w.streams
	w.sum.begin(weights, sum)
	w.readyAnswers(len(j.cohort))
	return w.run()
}

// readyAnswers makes room for what so many clients tell beside their updates.
func (w *trainer) readyAnswers(n int) {
	if n > len(w.trained.answers) && w.setup.tells() {
		w.trained.answers = make([]answer, n)
	}
}

// reserve readies so many places and rooms.
func (w *trainer) reserve(n int) {
	for len(w.rooms) < n {
		w.rooms = append(w.rooms, new(fl.PayloadRoom))
	}
	if w.setup.NoModel {
		return // nothing is trained in place
	}
	for len(w.places) < n {
		w.places = append(w.places, make(fl.Vector, w.variants.longest()))
	}
}

// run does the job, with as many workers as it is worth. The error is that of the first client
// that has one.
func (w *trainer) run() (*trained, error) {
	n, load := len(w.job.cohort), 0
	for _, i := range w.job.cohort {
		load += w.world.Roster.Samples[i]
	}
	load *= len(w.job.global)
	w.trained.slow = load > alone
	hands := w.workers[:1]
	if load > alone {
		hands = w.workers[:min(len(w.workers), n)]
	}
	if n > cap(w.errs) {
		w.errs = make([]error, n)
	}
	w.errs = w.errs[:n]
	clear(w.errs)
	w.next.Store(0)
	w.wg.Add(len(hands) - 1)
	for _, m := range hands[1:] {
		m.wake <- struct{}{}
	}
	w.work(hands[0])
	w.wg.Wait()
	w.trained.seconds = 0
	for _, m := range hands {
		w.trained.seconds += m.seconds
	}
	for _, err := range w.errs {
		if err != nil {
			return nil, err
		}
	}
	return &w.trained, nil
}

// work trains one client after another until none is left.
func (w *trainer) work(m *worker) {
	m.seconds = 0
	for {
		k := int(w.next.Add(1)) - 1
		if k >= len(w.job.cohort) {
			return
		}
		if w.sum == nil {
			w.trained.updates[k], w.errs[k] = w.timeOne(m, k)
			continue
		}
		w.sum.await(k)
		u, err := w.timeOne(m, k)
		w.errs[k] = err
		w.sum.take(k, u.Params)
	}
}

// timeOne is trainOne by the clock.
func (w *trainer) timeOne(m *worker, k int) (fl.Update, error) {
	watch := w.setup.lap()
	u, err := w.trainOne(m, k)
	m.seconds += w.setup.since(watch)
	return u, err
}

// trainOne trains the k-th client of the cohort.
func (w *trainer) trainOne(m *worker, k int) (u fl.Update, err error) {
	id := w.job.cohort[k]
	defer guardClient(&err, id)
	w.world.Population.Open(&m.client, id)
	t := &m.task
	t.Recycle()
	at := k // where it trains
	if w.norms != nil {
		at = m.at
	}
	room := w.rooms[at%len(w.rooms)]
	room.Recycle()
	t.SendFrom(room)
	variant := w.variants.variant(id)
	if m.workers[variant] == nil {
		m.workers[variant] = w.variants.models[variant].Worker()
	}
	t.Model, t.Worker = w.variants.models[variant], m.workers[variant]
	from := w.job.start(k)
	if t.Global, t.Params, err = w.send(&from, id, at, variant); err != nil {
		return u, err
	}
	t.T, t.Broadcast, t.Mail, t.Limit = from.t, from.broadcast, from.mail, from.limit
	t.RNG = m.rng.Open(w.clients.At(from.t, id))
	t.Public = w.setup.Public.toClients(w.world)
	m.state.open(w.job.states, id)
	w.restore(m)
	if err = w.attacker.poison(m); err != nil {
		return u, err
	}
	if w.setup.sendsLosses() && w.norms == nil {
		w.trained.answers[k].loss = t.Worker.Loss(t.Params, &m.client.Data)
	}
	if w.setup.Selects.SquaredLosses && w.norms == nil {
		w.trained.answers[k].rms = m.rootMeanSquare()
	}
	if u, err = w.setup.Local.Run(t); err != nil {
		return u, fmt.Errorf("client %d: %w", id, err)
	}
	if u.Steps > t.Fit(u.Steps) {
		return u, fmt.Errorf("client %d: made %d local steps, its limit was %d", id, u.Steps,
			t.Limit)
	}
	w.attacker.cleanse(m)
	u.Client, u.Samples = id, w.attacker.samples(id, m.client.Data.Len())
	if w.starts != nil {
		u.Model = t.Model
	}
	w.trained.floats[k], w.trained.coded[k] = w.setup.Personal.sent(&u), uncoded
	w.trained.remarks[k] = u.Remarks
	if err = w.accept(t, &u); err != nil {
		return u, err
	}
	err = w.finish(m, k, &u)
	w.rebase(&u, &from)
	return u, err
}

// accept moves the parameters of an update to the place of its task, or says what is wrong with it.
func (w *trainer) accept(t *fl.Task, u *fl.Update) error {
	id := u.Client
	if w.setup.Statistics != "" {
		return statistics(u, w.setup.Statistics)
	}
	if u.Params == nil {
		return fmt.Errorf("client %d: uploads no model", id)
	}
	if len(u.Params) != len(t.Params) {
		return fmt.Errorf("client %d: the update has %d parameters, the model has %d",
			id, len(u.Params), len(t.Params))
	}
	if &u.Params[0] != &t.Params[0] {
		copy(t.Params, u.Params) // it may be scratch, which the next client gets
		u.Params = t.Params
	}
	if u.Returned && !slices.Equal(u.Params, t.Global) {
		return fmt.Errorf("client %d: says that it returns the model that it was sent, and "+
			"returns another", id)
	}
	if !u.Params.Finite() {
		return diverged(id)
	}
	return nil
}

// send returns the model that a client is sent, and the copy that it trains, at a place: neither
// where clients are sent none. Cell.sendDown counts them.
func (w *trainer) send(from *start, id, at, variant int) (global, params fl.Vector, err error) {
	if w.setup.NoModel {
		return nil, nil, nil
	}
	if global, err = w.begin(from, id, variant); err != nil {
		return nil, nil, err
	}
	params = w.place(at)[:len(global)]
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

// place returns where the k-th of the cohort is trained.
func (w *trainer) place(k int) fl.Vector { return w.places[k%len(w.places)] }

func guardClient(err *error, id int) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("client %d: %w", id, panicked(p))
	}
}
