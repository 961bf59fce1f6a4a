package fl

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Tensors are named matrices that travel beside a model; every float in them is
// counted as communication.
type Tensors map[string]Matrix

// Floats returns the number of floats in t.
func (t Tensors) Floats() int {
	n := 0
	for _, m := range t {
		n += len(m.Data)
	}
	return n
}

// Finite reports whether no element is NaN or infinite.
func (t Tensors) Finite() bool {
	for _, m := range t {
		if !Vector(m.Data).Finite() {
			return false
		}
	}
	return true
}

// A Task is what one client is asked to do in one round.
type Task struct {
	T         int
	Client    *Client
	Global    Vector      // θᵗ⁻¹, read-only; nil where the client is sent no model, see LocalTraits
	Params    Vector      // a copy of Global, to be trained in place and uploaded
	Model     Model       //
	Worker    Worker      // scratch space to evaluate Model with
	Broadcast Tensors     // what the server sent along with Global; read-only
	Mail      Tensors     // what it sent to this client alone, see Outcome; nil: nothing; read-only
	State     ClientState // what this client keeps from round to round
	Public    *Dataset    // public data; nil unless the rule needs them, see LocalTraits; read-only
	RNG       *rand.Rand  // this client's stream for this round

	// Limit is the most local steps that the client makes; 0: as many as its rule has. See Fit.
	Limit int

	// FineTunes says that the client trains for itself, from what it would predict with: Params
	// are to become what it predicts with, and nothing is sent or kept.
	FineTunes bool

	descent Descent
	blended Dataset // of descent: the rows of an epoch

	augmented Dataset // of descent: the rows of a batch
	arena     arena
	room      *PayloadRoom
}

// Payload returns a zero matrix to be sent in a Payload. It lives until the round ends.
func (t *Task) Payload(rows, cols int) Matrix {
	if t.room == nil {
		return NewMatrix(rows, cols)
	}
	return Matrix{Rows: rows, Cols: cols, Data: t.room.arena.vector(rows * cols)}
}

// SendFrom makes room the memory of payloads; the engine calls it before a task. Nil: each is in
// memory of its own.
func (t *Task) SendFrom(room *PayloadRoom) { t.room = room }

// A PayloadRoom is memory of what one client sends in a round.
type PayloadRoom struct{ arena arena }

// Recycle makes room for what is sent in the next round.
func (r *PayloadRoom) Recycle() { r.arena.reset() }

// Fit returns how many of so many local steps the client makes: the first ones. A rule asks for the
// number of all steps that Update.Steps will have.
func (t *Task) Fit(steps int) int {
	if t.Limit > 0 {
		return min(steps, t.Limit)
	}
	return steps
}

// Scratch returns a zero vector of length n. It lives until Run returns.
func (t *Task) Scratch(n int) Vector { return t.arena.vector(n) }

// Ints returns n ints, not necessarily zero. They live until Run returns.
func (t *Task) Ints(n int) []int { return t.arena.ints(n) }

// Recycle makes room for the next task; the engine calls it between tasks.
func (t *Task) Recycle() { t.arena.reset() }

// An Update is what one client uploads.
type Update struct {
	Client  int     // the client that sent it
	Samples int     // nᵢ
	Steps   int     // local steps taken, no more than Task.Limit
	Params  Vector  // θᵢ after local work; nil where Statistics are sent, see LocalTraits
	Model   Model   // what Params are parameters of; nil: of Round.Model
	Payload Tensors // anything else, by name; every float is counted as communication

	// Returned says that Params are those that the client was sent, which are not sent back.
	Returned bool

	// Halves is how many numbers of Payload are sent as float16: two of them count as one float.
	Halves int
	// Remarks on how it was made become footnotes; what several clients say is said once.
	Remarks []string
}

// Floats returns how many floats are sent.
func (u *Update) Floats() int {
	n := u.Payload.Floats() - u.Halves/2
	if !u.Returned {
		n += len(u.Params)
	}
	return n
}

// A Round is everything a server may look at when it aggregates. What is not in a
// Round is not known to the server.
type Round struct {
	T       int
	Global  Vector   // θᵗ⁻¹, read-only
	Updates []Update // from the cohort Sᵗ, by ascending client; empty only by AggregatorTraits

	// Times is how often each update is counted, where the selection may repeat clients: such a
	// client trains and uploads once. Nil: once. Expected is E Times by update, as the selection
	// states it of this round; nil: it states none. See SelectionInput.
	Times    []int
	Expected Vector

	// Losses are Fᵢ(θᵗ⁻¹) by update, of all training samples of the client, before it trained; nil
	// unless AggregatorTraits ask, and while weights of a weighted sum are asked for.
	Losses Vector

	// Staleness is by update how many models were made since its client was sent one: 0 where it
	// was sent θᵗ⁻¹. Params are θᵗ⁻¹ plus the change that the client made of the model that it was
	// sent, unless AggregatorTraits ask for what it trained. Nil: the server is synchronous.
	Staleness []int
	Tier      int // all updates are of clients of this tier, from 1, the fastest; 0: there are none
	Tiers     int // how many there are

	Phase  int // that this round is in, from 1, where the server sees phases; 0: it sees none
	Phases int // how many there are; see Law.Phases

	Context Matrix // Z, N×k: covariates of the enrolled before this round, NaN of others
	Roster  *Roster
	Law     *Law   // nil when nothing is known of it
	Layout  Layout // of Global and of every Params
	Model   Model  //
	State   State  // what this aggregator keeps between rounds
	Shared  State  // what it and the selection both read and write; checkpoints have it
	RNG     *rand.Rand
	Notes   *Notes  // remarks that become footnotes of the table
	Oracle  *Oracle // the true probabilities; nil unless the experiment grants them

	// Validation are samples that the server has itself, of the law of all training samples;
	// nil unless the experiment grants some.
	Validation *Dataset

	// Public are samples that are not of clients, of a data set of their own; nil where the
	// experiment has none. Where their labels are hidden, Y and Target are nil, and Shape has the
	// classes of the clients' data.
	Public *Dataset

	// Keep records an array of this round, such as a transport plan, for figures; it is copied. It
	// is nil unless arrays are requested.
	Keep func(name string, m Matrix)

	arena arena
	views [][]float64
	bare  []Update
}

// An Oracle is the true participation probabilities, which no server knows.
type Oracle struct {
	Enrollment Vector // eᵢ = P(client i enrols), length N
	Inclusion  Vector // πᵢ = P(i ∈ Sᵗ | i is enrolled, Z), length N; as AvailabilityInput has it
}

// Task returns a task to train a copy of Global on samples that the server has, as a client
// would train it.
func (r *Round) Task(d *Dataset) *Task {
	return &Task{T: r.T, Client: &Client{ID: -1, Data: *d}, Global: r.Global,
		Params: r.Global.Clone(), Model: r.Model, Worker: r.Model.Worker(), State: NewStore(),
		RNG: r.RNG}
}

// Scratch returns a zero vector of length n. It lives until Aggregate returns; what an Outcome
// holds may be one.
func (r *Round) Scratch(n int) Vector { return r.arena.vector(n) }

// Recycle makes room for the next round; the engine calls it between rounds.
func (r *Round) Recycle() { r.arena.reset() }

// ModelOf returns the model whose parameters the k-th update has.
func (r *Round) ModelOf(k int) Model {
	if m := r.Updates[k].Model; m != nil {
		return m
	}
	return r.Model
}

// Count returns how often the k-th update is counted.
func (r *Round) Count(k int) float64 {
	if r.Times == nil {
		return 1
	}
	return float64(r.Times[k])
}

// Counted returns how many updates are counted: the size of the cohort, repeated clients included.
func (r *Round) Counted() float64 {
	n := len(r.Updates)
	for _, m := range r.Times {
		n += m - 1
	}
	return float64(n)
}

// Room returns an empty slice with room for n ints. It lives until Aggregate returns.
func (r *Round) Room(n int) []int { return r.arena.ints(n)[:0] }

// Models returns the θₖ of the updates, in the order of clients: a list of views, as tensor
// and stats take them, and as read-only as Updates. It lives until Aggregate returns.
func (r *Round) Models() [][]float64 {
	r.views = r.views[:0]
	for k := range r.Updates {
		r.views = append(r.views, r.Updates[k].Params)
	}
	return r.views
}

// Cohort returns the clients of the cohort Sᵗ, ascending. It lives until Aggregate
// returns.
func (r *Round) Cohort() []int {
	ids := r.arena.ints(len(r.Updates))
	for k := range r.Updates {
		ids[k] = r.Updates[k].Client
	}
	return ids
}

// Combine returns Σₖ w[k]·θₖ over the updates, in the order of clients. It lives
// until Aggregate returns.
func (r *Round) Combine(w Vector) Vector {
	sum := r.Scratch(len(r.Global))
	sum.AddWeighted(w, r.Models())
	return sum
}

// CombineDeltas returns θᵗ⁻¹ + Σₖ w[k]·(θₖ − θᵗ⁻¹). It lives until Aggregate returns. Running
// statistics go no further than to the clients' weighted mean: where the weights sum to more than
// 1, they are that mean.
func (r *Round) CombineDeltas(w Vector) Vector {
	next := r.Combine(w)
	r.complete(next, w.Sum())
	return next
}

// complete makes of Σₖ w[k]·θₖ what CombineDeltas returns, given the sum of the weights.
func (r *Round) complete(sum Vector, total float64) {
	n := len(sum)
	if total > 1 {
		n = r.Layout.Trained(n)
		sum[n:].Scale(1 / total)
	}
	sum[:n].AddScaled(1-total, r.Global[:n])
}

// arena lends memory that is taken back all at once.
type arena struct {
	floats  []float64
	numbers []int
	f, n    int
}

func (a *arena) reset() { a.f, a.n = 0, 0 }

// A mark is how much an arena has lent.
type mark struct{ floats, f, numbers, n int }

func (a *arena) mark() mark { return mark{len(a.floats), a.f, len(a.numbers), a.n} }

// release takes back what was lent since a mark. What was lent before it stays lent: where the
// arena has grown, that lies in an older block.
func (a *arena) release(m mark) {
	a.f, a.n = 0, 0
	if m.floats == len(a.floats) {
		a.f = m.f
	}
	if m.numbers == len(a.numbers) {
		a.n = m.n
	}
}

func (a *arena) vector(n int) Vector {
	if a.f+n > len(a.floats) {
		tensor.Fit(2*(len(a.floats)+n), 8)
		// What was lent before keeps its old block alive until it is dropped.
		a.floats, a.f = make([]float64, 2*(len(a.floats)+n)), 0
	}
	v := a.floats[a.f : a.f+n : a.f+n]
	a.f += n
	clear(v)
	return v
}

func (a *arena) ints(n int) []int {
	if a.n+n > len(a.numbers) {
		tensor.Fit(2*(len(a.numbers)+n), 8)
		a.numbers, a.n = make([]int, 2*(len(a.numbers)+n)), 0
	}
	v := a.numbers[a.n : a.n+n : a.n+n]
	a.n += n
	return v
}
