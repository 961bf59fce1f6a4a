package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Cell is a run in progress. Step plays one round; between two of them the cell can be
// saved as a Checkpoint.
type Cell struct {
	setup *Setup
	opts  Options
	world *World
	law   *fl.Law // nil when the server does not know it
	facts LawFacts

	t       int       // rounds played
	slow    bool      // a round takes long enough to report each one
	keeps   bool      // Options.Keep is told of every round
	global  fl.Vector // θᵗ
	average fl.Vector // mean of θ¹ … θᵗ; nil when no measure asks for it

	participation *participation
	trainer       *trainer
	round         fl.Round
	sum           *fl.WeightedSum // models are summed as they come; nil: updates are kept
	memory        *fl.Store       // of the aggregator
	broadcast     fl.Tensors      // what clients get with the next model
	server        fl.Stream
	rng           *fl.ReseedableRand
	residual      *residual // nil when no measure asks for residual weights

	current   int   // the variant of the global model, or ensembled
	adopted   []int // the clients whose models were adopted
	adoptedAt int   // the round from which the average counts

	snapshot   fl.Snapshot
	asked      []int // by client: the last round, from 1, in which it was asked for its loss
	uploaded   int64
	downloaded int64
	came       int64       // Σ|Sᵗ|
	rounds     []int       // when metrics were taken
	values     [][]float64 // by measure, one per element of rounds
	watch      stopwatch
}

// Start prepares a cell and takes the measures of its initial model.
func Start(s *Setup, o Options) (*Cell, error) {
	c, err := open(s, o)
	if err != nil {
		return nil, err
	}
	if err := c.measure(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// open prepares a cell before its first round.
func open(s *Setup, o Options) (c *Cell, err error) {
	defer guard(&err)
	c = &Cell{setup: s, opts: o, memory: fl.NewStore(), rng: fl.NewReseedableRand(),
		watch: startWatch()}
	if c.world, err = Prepare(s, o); err != nil {
		return nil, err
	}
	c.uploaded, c.downloaded = c.world.Uploaded, c.world.Downloaded
	c.facts.Known = s.Law
	if s.Law {
		law, err := CohortLaw(s, c.world)
		if err != nil {
			return nil, err
		}
		c.law = &law
		c.facts.Exact, c.facts.Cohorts, c.facts.Draws = law.Exact, len(law.Sets), law.Draws
	}
	c.participation = newParticipation(s, c.world, "")
	c.global = s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	if n := s.Model.Layout().Len(); len(c.global) != n {
		return nil, fmt.Errorf("model: %d initial parameters, the layout has %d", len(c.global), n)
	}
	c.server = fl.NewStream(s.Seed, "server")
	c.broadcast = fl.Tensors{}
	c.round = fl.Round{
		Roster: c.world.Roster, Law: c.law, Layout: s.Model.Layout(), Model: s.Model,
		State: c.memory, Notes: c.world.Prepared.Clone(), Validation: c.world.Population.Held,
	}
	if c.keeps = o.Keep != nil; c.keeps {
		c.round.Keep = func(name string, m fl.Matrix) {
			m.Data = slices.Clone(m.Data)
			o.Keep(c.t+1, name, m)
		}
	}
	c.trainer = newTrainer(s, c.world, o)
	if c.trainer.memo == nil {
		c.sum = s.WeightedSum()
	}
	c.openMeasures()
	c.participation.selected.Loss = c.ask
	return c, nil
}

// Close stops the workers of a cell. Closing twice does no harm.
func (c *Cell) Close() { c.trainer.close() }

// Rounds returns the number of rounds played.
func (c *Cell) Rounds() int { return c.t }

// Step plays one round and takes the measures that are due after it.
func (c *Cell) Step() (err error) {
	defer guardRound(&err, c.t)
	cohort, err := c.participation.cohort(c.t)
	if err != nil {
		return fmt.Errorf("round %d: %w", c.t+1, err)
	}
	if len(cohort) == 0 {
		c.facts.Skipped++ // nobody came: the model stays as it is
	} else if err := c.play(cohort); err != nil {
		return fmt.Errorf("round %d: %w", c.t+1, err)
	}
	c.t++
	if c.average != nil {
		n := float64(c.t - c.adoptedAt)
		c.average.Scale(1 - 1/n)
		c.average.AddScaled(1/n, c.global)
	}
	if c.t%c.setup.Every == 0 || c.t == c.setup.Rounds {
		return c.measure()
	}
	return nil
}

func guardRound(err *error, t int) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("round %d: %w", t+1, panicked(p))
	}
}

// play trains the cohort and aggregates what it uploads.
func (c *Cell) play(cohort []int) error {
	c.came += int64(len(cohort))
	c.downloaded += int64(len(cohort)) * int64(c.broadcast.Floats())
	c.downloaded += c.models(cohort)
	r := &c.round
	r.Recycle()
	r.T, r.Global = c.t, c.global
	r.RNG = c.rng.Open(c.server.At(c.t, 0))
	r.Context = c.participation.context
	if c.setup.Oracle {
		var err error
		if r.Oracle, err = c.participation.oracle(c.world); err != nil {
			return fmt.Errorf("oracle = true: %w", err)
		}
	}
	out, err := c.aggregate(job{c.t, cohort, c.global, c.current, c.broadcast})
	if err != nil {
		return err
	}
	if c.residual != nil {
		c.residual.observe(c, cohort, out.Weights)
	}
	if out.Adopted != nil {
		if err := c.adopt(out.Adopted, cohort); err != nil {
			return err
		}
	}
	if len(out.Params) != len(c.global) {
		return fmt.Errorf("the aggregator returned %d parameters, the model has %d",
			len(out.Params), len(c.global))
	}
	if !out.Params.Finite() {
		return fmt.Errorf("the aggregator returned NaN or Inf from %d finite updates: they may be "+
			"too large; try a lower lr", len(cohort))
	}
	copy(c.global, out.Params)
	keepTensors(c.broadcast, out.Broadcast)
	return nil
}

// aggregate has a cohort trained, and returns what becomes of its updates. Those of a weighted sum
// are weighed first: then no model has to be kept.
func (c *Cell) aggregate(j job) (fl.Outcome, error) {
	r := &c.round
	if c.sum == nil {
		got, err := c.trainer.train(j)
		if err != nil {
			return fl.Outcome{}, err
		}
		c.count(got)
		r.Updates = got.updates
		return c.setup.Aggregator.Aggregate(r)
	}
	r.Updates = c.trainer.announce(j.cohort)
	w, err := c.sum.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	sum := r.Scratch(len(r.Global))
	got, err := c.trainer.trainSum(j, w.By, sum)
	if err != nil {
		return fl.Outcome{}, err
	}
	c.count(got)
	return c.sum.Finish(r, w, sum)
}

// count counts what clients uploaded, and notes their remarks.
func (c *Cell) count(got *trained) {
	c.slow = got.slow
	for k, floats := range got.floats {
		c.uploaded += int64(floats)
		for _, remark := range got.remarks[k] {
			c.round.Notes.Add(remark)
		}
	}
}

// keepTensors makes dst a copy of src, in the memory of dst where that has the same sizes.
func keepTensors(dst, src fl.Tensors) {
	for name := range dst {
		if _, stays := src[name]; !stays {
			delete(dst, name)
		}
	}
	for name, m := range src {
		if old := dst[name]; len(old.Data) == len(m.Data) {
			copy(old.Data, m.Data)
			m.Data = old.Data
		} else {
			m.Data = slices.Clone(m.Data)
		}
		dst[name] = m
	}
}

// models returns how many floats of models a cohort is sent in this round: exactly the models
// that the tasks of its clients hold, whatever the local rule does with them. A client that was
// asked for its loss has the model already.
func (c *Cell) models(cohort []int) (floats int64) {
	if c.setup.NoModel {
		return 0
	}
	if c.t > 0 || !c.setup.Apart { // else they have what they start from
		floats = c.trainer.received(cohort, len(c.global))
	}
	for _, i := range cohort {
		if c.asked != nil && c.asked[i] == c.t+1 {
			floats -= int64(len(c.global))
		}
	}
	return floats
}

// ask returns the loss of the global model on the samples of a client, if that is available.
func (c *Cell) ask(client int) float64 {
	if _, available := slices.BinarySearch(c.participation.selected.Available, client); !available {
		return math.NaN()
	}
	if c.asked == nil {
		c.asked = make([]int, c.world.Roster.N)
	}
	if c.asked[client] != c.t+1 {
		c.asked[client] = c.t + 1
		c.downloaded += int64(len(c.global))
		c.uploaded++
	}
	own := c.world.Population.Client(client)
	return c.snapshot.Worker.Loss(c.global, &own.Data)
}

// Result returns what the cell produced so far.
func (c *Cell) Result() *Result {
	r := &Result{
		ID: c.setup.ID, Seed: c.setup.Seed, Parameters: len(c.global),
		Rounds: append([]int(nil), c.rounds...),
		Notes:  c.notes(), Observed: c.round.Notes.Observations(),
		Law: c.facts, Data: c.world.Facts,
	}
	if c.t > 0 {
		r.Law.Mean = float64(c.came) / float64(c.t)
	}
	for k, m := range c.setup.Measures {
		series := Series{Key: m.Key, Unit: m.Metric.Unit(), Higher: m.Metric.Higher(),
			Describes: m.Describes, Values: append(Floats(nil), c.values[k]...)}
		series.InBytes()
		if m.Volatile() {
			r.Volatile = append(r.Volatile, series)
		} else {
			r.Series = append(r.Series, series)
		}
	}
	return r
}

// notes are the remarks of the components and those of the engine itself.
func (c *Cell) notes() []string {
	notes := c.round.Notes.List()
	if c.facts.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rounds were empty, and skipped",
			c.facts.Skipped, c.t))
	}
	if left := c.world.Facts.LeftOut; left > 0 {
		notes = append(notes, fmt.Sprintf("the partition leaves out %d of %d training samples",
			left, left+c.world.Facts.Samples))
	}
	if n := c.world.Environment.Enrolment(); n < c.world.Environment.N {
		all := c.world.Environment.N
		notes = append(notes, fmt.Sprintf("%d of %d clients are enrolled", n, all))
	}
	if remark := beyond(c.world, c.absent()); remark != "" {
		notes = append(notes, remark)
	}
	if c.residual != nil && c.residual.Untold != "" {
		notes = append(notes, "residual weights are not known: "+c.residual.Untold)
	}
	if remark := c.stakes(); remark != "" {
		notes = append(notes, remark)
	}
	return notes
}

// absent returns for every client whether it is known that it can never come once it is
// enrolled: from an exact law, or from what the availability model says of each round.
func (c *Cell) absent() []bool {
	out := make([]bool, c.world.Roster.N)
	if c.law != nil && c.law.Exact {
		for i, pi := range c.law.Inclusion {
			out[i] = pi == 0 && c.world.Environment.Reaches(i)
		}
	}
	for _, i := range c.participation.never {
		out[i] = true
	}
	return out
}

// stakes says what there is to lose by wrong weights, where that is small: methods that
// differ in nothing but weights then differ in nothing but noise.
func (c *Cell) stakes() string {
	if c.world.Pooled == nil || c.setup.Model.Facts().Solve == nil {
		return ""
	}
	best, err := Optimum(c.setup, c.opts, c.world)
	if err != nil || best.Gap == nil {
		return "" // the measures that need the optimum say why
	}
	key := c.world.key(optimaGaps, c.setup.GoalKey)
	gap, err := remember(c.opts.Memo, key, func() (float64, error) {
		n := c.world.Roster.N
		equal := make(fl.Vector, n)
		for i := range equal {
			equal[i] = 1 / float64(n)
		}
		other, err := c.setup.Model.Facts().Solve(c.world.Population, equal)
		if err != nil {
			return 0, err
		}
		return best.Gap(other.Params), nil
	})
	if err != nil || gap == 0 || gap > 0.01*best.Value {
		return ""
	}
	return fmt.Sprintf("clients agree, so weights hardly matter: the optimum for equal weights "+
		"costs %.2g more than that for p, of F* = %.4g", gap, best.Value)
}
