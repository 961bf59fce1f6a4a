package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Cell is a run in progress. Step plays one round; between two of them the cell can be
// saved as a checkpoint. What lasts from one round to the next lies in its Progress and in nothing
// else: the rest is fixed, or room for one round.
type Cell struct {
	setup *Setup
	opts  Options
	world *World
	law   *fl.Law // nil when the server does not know it
	facts LawFacts

	progress *Progress

	participation *participation
	trainer       *trainer
	downlink      *downlink       // nil: clients are sent θᵗ
	attacker      *attacker       // nil: all clients are honest
	guarded       *preaggregation // nil: updates are aggregated as they come
	sum           *fl.WeightedSum // models are summed as they come; nil: updates are kept
	server        fl.Stream
	rng           *fl.ReseedableRand
	round         fl.Round
	snapshot      fl.Snapshot
	variant       int // of the global model, or ensembled
	ledger        ledger
	models        *clientModels
	received      fl.Vector // θᵗ with what stays at a client in place
	unread        error     // why a client could not answer the selection
	asked         []int     // room for those that are asked for norms, and for their answers
	norms         fl.Vector
	losses        fl.Vector // room for Round.Losses
	slow          bool      // a round takes long enough to report each one
	watch         stopwatch
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
	c = &Cell{setup: s, opts: o, rng: fl.NewReseedableRand(), watch: startWatch(),
		server: fl.NewStream(s.Seed, "server")}
	if c.world, err = Prepare(s, o); err != nil {
		return nil, err
	}
	c.facts.Known = s.Law
	if s.Law {
		law, err := CohortLaw(s, c.world)
		if err != nil {
			return nil, err
		}
		c.law = &law
		c.facts.Exact, c.facts.Cohorts, c.facts.Draws = law.Exact, len(law.Sets), law.Draws
	}
	start, err := newProgress(s, c.world, o.Keep != nil)
	if err != nil {
		return nil, err
	}
	c.round = fl.Round{Roster: c.world.Roster, Law: c.law, Layout: s.Model.Layout(),
		Model: s.Model, Validation: c.world.Population.Held, Public: c.world.Population.Public}
	if o.Keep != nil {
		c.round.Keep = func(name string, m fl.Matrix) {
			m.Data = slices.Clone(m.Data)
			o.Keep(c.progress.Round+1, name, m)
		}
	}
	c.trainer = newTrainer(s, c.world, o)
	c.downlink = newDownlink(s)
	if c.attacker, err = newAttacker(c); err != nil {
		return nil, err
	}
	c.trainer.attacker = c.attacker
	c.guarded = newPreaggregation(c)
	if c.trainer.memo == nil && o.Record == nil {
		c.sum = s.streams()
	}
	c.ledger.keeps = o.Keep != nil
	c.openMeasures()
	if err := cmp.Or(c.openExposure(start), c.openPerSample()); err != nil {
		return nil, err
	}
	c.participation = newParticipation(s, c.world, "")
	c.participation.selected.Loss, c.participation.selected.Norms = c.ask, c.queried
	c.participation.selected.LossAt = c.askAt
	c.setProgress(start)
	return c, nil
}

// setProgress makes p the progress of the cell.
func (c *Cell) setProgress(p *Progress) {
	c.progress = p
	c.round.State, c.round.Notes, c.snapshot.Notes = p.Aggregator, p.Notes, p.Notes
	c.round.Shared = p.Shared
	c.participation.follow(p)
	p.Clients.spill.folder = c.opts.ClientFolder
}

// Close stops the workers of a cell and frees what it has on disk. Closing twice does no harm.
func (c *Cell) Close() {
	c.trainer.close()
	c.progress.Clients.close()
}

// Rounds returns the number of rounds played.
func (c *Cell) Rounds() int { return c.progress.Round }

// Step plays one round and takes the measures that are due after it.
func (c *Cell) Step() (err error) {
	p := c.progress
	defer guardRound(&err, p.Round)
	c.ledger.begin()
	c.attacker.begin(p.Round)
	cohort, err := c.participation.cohort(p.Round)
	if err = cmp.Or(err, c.unread); err != nil {
		return fmt.Errorf("round %d: %w", p.Round+1, err)
	}
	if c.count(cohort); c.unread != nil {
		return fmt.Errorf("round %d: %w", p.Round+1, c.unread)
	}
	if len(cohort) == 0 && c.setup.Release == nil {
		p.Skipped++ // the model stays as it is
	} else if err := c.play(cohort); err != nil {
		return fmt.Errorf("round %d: %w", p.Round+1, err)
	}
	if c.opts.Keep != nil && len(c.ledger.rows) > 0 {
		c.opts.Keep(p.Round+1, ArraySent, c.ledger.matrix())
	}
	c.participation.asynchronous.settle(p.Mail)
	if err := p.Clients.settle(c.opts.ClientMemory); err != nil {
		return fmt.Errorf("round %d: %w", p.Round+1, err)
	}
	p.Round++
	p.average()
	if p.Round%c.setup.Every == 0 || p.Round == c.setup.Rounds {
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
	p, r := c.progress, &c.round
	p.Came += int64(len(cohort))
	r.Recycle()
	r.T, r.Global, r.Losses = p.Round, p.Global, nil
	r.RNG = c.rng.Open(c.server.At(p.Round, 0))
	c.participation.show(r)
	r.Times, r.Expected = c.participation.selected.Times, c.participation.selected.Expected
	if a := c.participation.asynchronous; a != nil {
		r.Staleness, r.Tier, r.Tiers = a.stale, a.now, len(a.under)-1
	}
	if c.setup.Oracle && len(cohort) > 0 {
		var err error
		if r.Oracle, err = c.participation.oracle(c.world); err != nil {
			return fmt.Errorf("oracle = true: %w", err)
		}
	}
	j := job{p.Round, cohort, p.Global, p.Global, c.variant, p.Broadcast, p.Mail, p.Clients,
		p.Reports, c.starts(), c.limits()}
	if j.starts == nil && len(cohort) > 0 {
		j.sent = c.sent()
	}
	out, err := c.aggregate(j)
	if err != nil {
		return err
	}
	if p.Residual != nil && len(cohort) > 0 {
		p.Residual.observe(c, cohort, c.guarded.weights(out.Weights))
	}
	if out.Adopted != nil {
		if err := c.adopt(out.Adopted, cohort); err != nil {
			return err
		}
	}
	if len(out.Params) != len(p.Global) {
		return fmt.Errorf("the aggregator returned %d parameters, the model has %d",
			len(out.Params), len(p.Global))
	}
	if !out.Params.Finite() {
		return fmt.Errorf("the aggregator returned "+notFinite+" from %d finite updates: they may "+
			"be too large; try a lower lr", len(cohort))
	}
	if err := undeliverable(out.Mail, c.world.Roster); err != nil {
		return err
	}
	if c.opts.Record != nil {
		if err := c.opts.Record(c.record(out)); err != nil {
			return err
		}
	}
	if c.setup.Personal.adopt(p.Global, out.Params); out.Adopted != nil {
		copy(p.Global, out.Params)
	}
	keepTensors(p.Broadcast, out.Broadcast)
	if c.participation.asynchronous != nil {
		cohort = nil // whose mail was handed over when they were asked
	}
	p.Mail.settle(cohort, out.Mail)
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
		c.progress.Training += got.seconds
		if err := c.attacker.corrupt(got); err != nil {
			return fl.Outcome{}, err
		}
		c.sendUp(j.cohort, got)
		c.slow = got.slow
		r.Updates = got.updates
		watch := c.setup.lap()
		out, err := c.fuse(r)
		c.progress.Serving += c.setup.since(watch)
		return out, err
	}
	r.Updates = c.trainer.announce(j.cohort)
	watch := c.setup.lap()
	w, err := c.sum.Weights(r)
	c.progress.Serving += c.setup.since(watch)
	if err != nil {
		return fl.Outcome{}, err
	}
	sum := r.Scratch(len(r.Global))
	got, err := c.trainer.trainSum(j, w.By, sum)
	if err != nil {
		return fl.Outcome{}, err
	}
	c.progress.Training += got.seconds
	c.sendUp(j.cohort, got)
	c.slow = got.slow
	watch = c.setup.lap()
	out, err := c.sum.Finish(r, w, sum)
	c.progress.Serving += c.trainer.streams.adding + c.setup.since(watch)
	return out, err
}

// fuse has the updates of a round guarded and aggregated.
func (c *Cell) fuse(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) > 0 { // an empty round has nothing to guard
		if err := c.guarded.apply(r, c.progress.Guard); err != nil {
			return fl.Outcome{}, err
		}
	}
	return c.setup.Aggregator.Aggregate(r)
}

// Result returns what the cell produced so far.
func (c *Cell) Result() *Result {
	p := c.progress
	r := &Result{
		ID: c.setup.ID, Seed: c.setup.Seed, Parameters: len(p.Global),
		Rounds: append([]int(nil), p.Measured...),
		Notes:  c.notes(), Observed: p.Notes.Observations(),
		Law: c.facts, Data: c.world.Facts,
	}
	r.Law.Skipped, r.Cost = p.Skipped, c.cost()
	if p.Round == c.setup.Rounds {
		r.Sample = c.textSample()
	}
	if p.Round > 0 {
		r.Law.Mean = float64(p.Came) / float64(p.Round)
	}
	for k, m := range c.setup.Measures {
		series := Series{Key: m.Key, Unit: m.Metric.Unit(), Higher: m.Metric.Higher(),
			Describes: m.Describes, Values: append(Floats(nil), p.Values[k]...)}
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
	p := c.progress
	notes := p.Notes.List()
	if p.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rounds were empty, and skipped", p.Skipped,
			p.Round))
	}
	if left := c.world.Facts.LeftOut; left > 0 {
		notes = append(notes, fmt.Sprintf("the partition leaves out %d of %d training samples",
			left, left+c.world.Facts.Samples))
	}
	if n := c.world.Environment.Enrolment(); n < c.world.Environment.N {
		all := c.world.Environment.N
		notes = append(notes, fmt.Sprintf("%d of %d clients are enrolled", n, all))
	}
	if remark := c.trainer.channel.remark(p); remark != "" {
		notes = append(notes, remark)
	}
	if remark := c.downlink.remark(p.Shadow); remark != "" {
		notes = append(notes, remark)
	}
	if remark := c.attacker.remark(); remark != "" {
		notes = append(notes, remark)
	}
	if remark := beyond(c.world, c.absent()); remark != "" {
		notes = append(notes, remark)
	}
	if p.Residual != nil && p.Residual.Untold != "" {
		notes = append(notes, "residual weights are not known: "+p.Residual.Untold)
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
	for _, i := range c.progress.Never {
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
