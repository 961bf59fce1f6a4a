package fl

import "math/rand/v2"

// A Step is one step of an Optimizer on the parameters of one client.
type Step struct {
	T      int      // steps before it, from 0
	Rate   float64  // η
	Params Vector   // moved in place
	Grad   Vector   // of the loss at Params; scratch after it is read
	Slots  []Vector // what the optimizer keeps between steps; zero before the first
}

// A Rule is an Optimizer as numbers, for networks, which step in float32. The zero Rule: the
// optimizer is known by its Step only.
type Rule struct {
	Form         RuleForm
	Momentum     float64 // μ of Momentum
	Nesterov     bool    // of Momentum
	Beta1, Beta2 float64 // of Adam
	Epsilon      float64 // of Adam
	Decay        float64 // λ: adds λθ to the gradient
	Shrink       float64 // λ of Adam, instead of Decay: θ ← (1 − ηλ)θ before the step
}

// A RuleForm names an update formula, as PyTorch defines it.
type RuleForm int

// The forms of a Rule.
const (
	Unstated RuleForm = iota
	Momentum          // v ← μv + g, θ ← θ − ηv, or θ − η(g + μv) where it looks ahead
	Adam              // θ ← θ − η·m̂/(√v̂ + ε)
)

// A Descent is how one client trains its parameters: Steps steps of an optimizer, each by the
// gradient of one batch. A Worker follows it.
//
// Corrections change what a step goes along. Of the gradient g of a batch at θ, or with Ascent at
// θ + ρg/‖g‖, they make g + (Shift − Unshift) + μ(θ − Anchor), which is 0 where parameters are
// frozen, and then scale it to a norm of Clip where its norm is larger. What the optimizer adds,
// such as weight decay, comes after them. At zero they change no bit.
type Descent struct {
	Params    Vector // from θᵗ⁻¹, trained in place
	Data      *Dataset
	Batches   Batches
	Steps     int // H
	Rate      float64
	Optimizer Optimizer
	Kept      []Vector // what the optimizer keeps, see Keep; nil: zero at first, then forgotten
	Made      int      // steps that it made before, where Kept is given
	Radius    float64  // after each step project on ‖θ‖ ≤ Radius; 0: do not

	Shift   Vector  // as long as Params, or longer; nil: none
	Unshift Vector  // is subtracted from Shift, and of its length, or longer; nil: none
	Pull    float64 // μ ≥ 0, of a proximal term μ/2·‖θ − Anchor‖²; 0: none
	Anchor  Vector  // as long as Params, or longer; nil: Task.Global
	Ascent  float64 // ρ ≥ 0, of sharpness-aware minimisation; 0: none
	Clip    float64 // the largest norm of a corrected gradient; 0: any
	Freeze  []Block // these do not move, whatever optimizer and projection do

	Augment Augmentation // of the rows of a batch, when Next returns it

	Guide Guidance // beside labels; a Worker that is no GuidedWorker takes none

	Snapshot Vector // is set to Params after so many steps, and of their length; nil: none is taken
	At       int    // 1 … Steps

	step  Step
	kept  []Vector // room for Kept
	task  *Task
	dealt int      // batches so far
	moved *Dataset // Data before blending; Task.blended has the rows of this epoch

	source   *Dataset // Data before augmentation; Task.augmented has the rows of this batch
	unpacked Vector   // a row of source
	mixer    mixer

	ascended bool // see Ascended
}

// Descent returns a descent of this task's parameters on its client's data. It lives until
// Run returns.
func (t *Task) Descent() *Descent {
	d := &t.descent
	slots, kept := d.step.Slots[:0], d.kept[:0]
	*d = Descent{}
	d.Params, d.Data, d.step.Slots, d.task = t.Params, &t.Client.Data, slots, t
	d.kept = kept
	return d
}

// keptNames are those of what an optimizer keeps, in the state of a client.
var keptNames = [...]string{"optimizer 0", "optimizer 1"}

// Keep has the optimizer go on from where it was when this client trained last: its vectors and
// its steps are part of the client's state, zero at first. It follows the choice of Optimizer and
// Steps.
func (d *Descent) Keep() {
	state, n := d.task.State, len(d.Params)
	for k := range d.Optimizer.Slots() {
		d.kept = append(d.kept, state.Vector(keptNames[k], n))
	}
	d.Kept = d.kept
	made := state.Vector("optimizer steps", 1)
	d.Made = int(made[0])
	made[0] += float64(d.Steps)
}

// Follow makes the steps of d by the gradients of w, in float64. A Worker without a faster way
// calls it.
func (d *Descent) Follow(w Worker) {
	s, n := &d.step, len(d.Params)
	defer d.task.arena.release(d.task.arena.mark()) // a rule may make many descents
	s.Params, s.Rate, s.Grad = d.Params, d.Rate, d.task.Scratch(n)
	for k := range d.Optimizer.Slots() {
		if d.Kept != nil {
			s.Slots = append(s.Slots, d.Kept[k][:n])
			continue
		}
		s.Slots = append(s.Slots, d.task.Scratch(n))
	}
	c, corrects := correction{d: d}, d.corrects()
	if corrects {
		c.begin()
	}
	for t := range d.Steps {
		s.T = d.Made + t
		clear(s.Grad)
		rows := d.Next()
		d.Gradient(w, s.Grad, s.Params, rows)
		if corrects {
			c.correct(w, rows)
		}
		d.Optimizer.Step(s)
		if d.Radius > 0 {
			s.Params.Project(d.Radius)
		}
		if corrects {
			c.hold()
		}
		if d.Snapshot != nil && t+1 == d.At {
			copy(d.Snapshot, s.Params)
		}
	}
}

// Seed returns what seeds the masks of a descent whose model draws some: from the stream of the
// client, so that they are the same whatever else runs.
func (d *Descent) Seed() (a, b uint64) { return d.task.RNG.Uint64(), d.task.RNG.Uint64() }

// Next returns the rows of the next batch, until the next call; nil stands for all rows. Where
// rows are blended, d.Data has those of the epoch from then on; where they are augmented, it has
// those of the batch, as they are this time, and nothing else.
func (d *Descent) Next() []int {
	if d.dealt == 0 && d.Data.Blend != nil {
		own := &d.task.blended
		d.moved, *own = d.Data, *d.Data
		own.X.Data = d.task.Scratch(own.X.Rows * own.X.Cols)
		own.Moments, own.Blend = nil, nil // the moments are those of fully moved rows
		d.Data = own
	}
	if d.moved != nil {
		if per := d.Batches.PerEpoch(); d.dealt%per == 0 {
			d.blend(d.moved.Blend(d.dealt/per, (d.Steps+per-1)/per))
		}
	}
	d.dealt++
	rows := d.Batches.Next()
	if d.Augment.Active() {
		d.augment(rows)
	}
	return rows
}

// blend moves the rows of d.Data a share of the way.
func (d *Descent) blend(share float64) {
	x := d.task.blended.X.Data
	if share == 1 { // exact at 1 despite rounding
		copy(x, d.moved.X.Data)
		return
	}
	for k, raw := range d.moved.Raw.Data {
		x[k] = raw + share*(d.moved.X.Data[k]-raw)
	}
}

// Batches draw a client's samples without replacement, reshuffled every epoch; the last batch of an
// epoch may be smaller.
type Batches struct {
	rng   *rand.Rand
	order []int // nil: every batch is all samples
	size  int
	at    int
}

// Batches returns batches of size samples of this client, or of all of them when size is 0 or not
// below their number. They live until Run returns.
func (t *Task) Batches(size int) Batches { return t.BatchesOf(t.Client.Data.Len(), size) }

// BatchesOf is Batches of n samples that are not the client's, for a Descent with other Data.
func (t *Task) BatchesOf(n, size int) Batches {
	if size == 0 || size >= n {
		return Batches{}
	}
	b := Batches{rng: t.RNG, order: t.Ints(n), size: size, at: n}
	for i := range b.order {
		b.order[i] = i
	}
	return b
}

// PerEpoch returns the number of batches in an epoch.
func (b *Batches) PerEpoch() int {
	if b.order == nil {
		return 1
	}
	return (len(b.order) + b.size - 1) / b.size
}

// Next returns the rows of the next batch, until the next call; nil stands for all rows.
func (b *Batches) Next() []int {
	if b.order == nil {
		return nil
	}
	if b.at == len(b.order) {
		b.at = 0
	}
	from := b.at
	b.at = min(from+b.size, len(b.order))
	for i := from; i < b.at; i++ { // Fisher–Yates, as far as this batch needs
		k := i + b.rng.IntN(len(b.order)-i)
		b.order[i], b.order[k] = b.order[k], b.order[i]
	}
	return b.order[from:b.at]
}
