package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Completion is the completion model of a setup, and when its rounds end.
type Completion struct {
	Name      string
	Component fl.Completion // nil: all clients finish at once, and no time passes
	Policy    fl.RoundPolicy
	// Steps returns how many local steps a client with so many samples makes.
	Steps func(samples int) int
}

// A completion decides which of the clients that are asked finish in time. All is known before
// any of them trains, so that only those train whose updates are aggregated.
//
// A client that does not finish in time is one that did not participate: what it keeps stays as it
// was, and its mail goes on waiting. It was sent all that it is sent to train; if it finishes late
// it sends an update, too, which the server does not take. Both are counted, the update in full
// unless it is known how many bits every code of one takes.
//
// How long clients need depends on the same bits of an update, but on those of a whole model where
// downloads are compressed: what a client lacks of it depends on when it was sent it last, and then
// whether it is heard would, too, and rounds would not be independent.
type completion struct {
	Completion
	input fl.Finishing
	luck  fl.Stream // of the engine: dropouts and ties

	profile fl.Stream // of the round by which clients are in tiers
	slow    fl.Stream // of how many steps stragglers make

	size   func(client int) int // of its model, in numbers that are sent
	coded  int64                // bits of an update; uncoded: those of all its numbers
	random *fl.ReseedableRand
	tosses fl.Vector // by client of Asked: which of several that arrive at once comes first
	lost   []bool    // the same: it drops out
	order  []int     // of Asked, by time
	heard  []int     // clients whose updates are aggregated, ascending
	times  []int     // of them
	most   []int     // of them: the most steps that they make, 0: all
	took   fl.Vector // of them: seconds
	limits []int     // by client of Asked: the same as most
	missed []int     // clients that are asked and not heard, ascending
	upload []int     // those of them that send an update all the same
	lasts  float64   // virtual seconds of this round
}

// newCompletion returns the completion of a cell or of simulated rounds, or nil where everyone
// finishes at once. Simulated rounds have a prefix.
func newCompletion(s *Setup, w *World, prefix string) *completion {
	if s.Completion.Component == nil {
		return nil
	}
	m := &completion{Completion: s.Completion, random: fl.NewReseedableRand(),
		luck: fl.NewStream(s.Seed, prefix+"completion policy"), size: modelSizes(s),
		coded: s.coded()}
	m.profile = fl.NewStream(s.Seed, "completion profile")
	m.slow = fl.NewStream(s.Seed, prefix+"completion stragglers")
	m.input.Partial = m.Policy.Partial
	fixed := fl.NewStream(s.Seed, "completion fixed")
	round := fl.NewStream(s.Seed, prefix+"completion")
	once, now := fl.NewReseedableRand(), fl.NewReseedableRand()
	f := &m.input
	f.Roster, f.Folders = w.Environment, w.Folders
	f.Fixed = func(i int) *rand.Rand { return once.Open(fixed.At(0, i)) }
	f.Draw = func(i int) *rand.Rand { return now.Open(round.At(f.T, i)) }
	return m
}

// coded returns how many bits a compressed update takes, where that is known before it is made, and
// else uncoded.
func (s *Setup) coded() int64 {
	sized, known := s.Compressor.Component.(fl.Sized)
	if !known || s.Model == nil {
		return uncoded
	}
	return int64(sized.Bits(s.Personal.leave(s.Model.Layout())))
}

// modelSizes returns how many parameters a client is sent, and sends.
func modelSizes(s *Setup) func(client int) int {
	if s.Model == nil { // of a law that is asked for alone
		return func(int) int { return 0 }
	}
	models, stays := newModelVariants(s), s.Personal.floats()
	sizes := make([]int, len(models.models))
	for k, m := range models.models {
		sizes[k] = m.Layout().Len() - stays
	}
	return func(client int) int { return sizes[models.variant(client)] }
}

// ask readies what the model is told of clients.
func (m *completion) ask(clients []int) *fl.Finishing {
	f, n := &m.input, len(clients)
	f.Recycle()
	f.Asked = clients
	f.Steps, f.Down, f.Up = f.Steps[:0], f.Down[:0], f.Up[:0]
	for _, i := range clients {
		bits := int64(8 * fl.BytesPerNumber * m.size(i))
		f.Steps = append(f.Steps, m.steps(i))
		f.Down = append(f.Down, bits)
		if m.coded != uncoded {
			bits = m.coded
		}
		f.Up = append(f.Up, bits)
	}
	f.After = slices.Grow(f.After[:0], n)[:n]
	f.After.Fill(math.NaN())
	f.Work = slices.Grow(f.Work[:0], n)[:n]
	clear(f.Work)
	return f
}

func (m *completion) steps(client int) int {
	if m.Steps == nil || m.input.Roster.Samples == nil {
		return 1
	}
	return m.Steps(m.input.Roster.Samples[client])
}

// seconds has the model say how long the clients need that are asked.
func (m *completion) seconds() error {
	f := &m.input
	if len(f.Asked) == 0 {
		return nil
	}
	if err := m.Component.Finish(f); err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	for k, x := range f.After {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("completion: client %d needs %v seconds", f.Asked[k], x)
		}
		if !(f.Work[k] >= 0 && f.Work[k] <= x) {
			return fmt.Errorf("completion: client %d needs %v seconds, and %v of them for steps",
				f.Asked[k], x, f.Work[k])
		}
	}
	return nil
}

// finish sets which of those asked in round t, which begins at a moment, are heard, how often they
// are counted, and how long the round lasts.
func (m *completion) finish(t int, now float64, asked, times []int) error {
	f := m.ask(asked)
	f.T, f.Now = t, now
	if err := m.seconds(); err != nil {
		return err
	}
	m.cut(t)
	m.drop(t)
	m.rank(t)
	m.end()
	m.heard, m.missed, m.upload, m.times = m.heard[:0], m.missed[:0], m.upload[:0], m.times[:0]
	m.most, m.took = m.most[:0], m.took[:0]
	for k, i := range asked {
		switch {
		case m.order[k] >= 0:
			m.heard = append(m.heard, i)
			m.most, m.took = append(m.most, m.limits[k]), append(m.took, f.After[k])
			if times != nil {
				m.times = append(m.times, times[k])
			}
			continue
		case !m.lost[k]:
			m.upload = append(m.upload, i)
		}
		m.missed = append(m.missed, i)
	}
	return nil
}

// drop draws which clients drop out: their connections end before they have finished.
func (m *completion) drop(t int) {
	f := &m.input
	m.lost = slices.Grow(m.lost[:0], len(f.Asked))[:len(f.Asked)]
	clear(m.lost)
	if m.Policy.Dropout == 0 {
		return
	}
	for k, i := range f.Asked {
		rng := m.random.Open(m.luck.At(t, i))
		if m.lost[k] = rng.Float64() < m.Policy.Dropout; m.lost[k] {
			f.After[k] *= rng.Float64()
		}
	}
}

// rank orders clients by time. Of several that arrive at once the first is drawn: by their numbers
// it would always be the same ones.
func (m *completion) rank(t int) {
	f, n := &m.input, len(m.input.Asked)
	m.order = slices.Grow(m.order[:0], n)[:n]
	for k := range m.order {
		m.order[k] = k
	}
	if m.Policy.Take == 0 {
		return
	}
	m.toss(t)
	slices.SortFunc(m.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.After[a], f.After[b]), cmp.Compare(m.tosses[a], m.tosses[b]),
			cmp.Compare(a, b))
	})
}

// toss draws which of several clients that arrive at once comes first.
func (m *completion) toss(t int) {
	f := &m.input
	m.tosses = slices.Grow(m.tosses[:0], len(f.Asked))[:len(f.Asked)]
	for k, i := range f.Asked {
		rng := m.random.Open(m.luck.At(t, i))
		rng.Float64() // as drop does
		rng.Float64()
		m.tosses[k] = rng.Float64()
	}
}

// end sets when the round ends, and leaves in order, by client of Asked, −1 for those that are not
// heard. It ends when as many updates as it takes have arrived, or those of all whose connections
// have not ended; and at the deadline.
func (m *completion) end() {
	f, taken := &m.input, 0
	limit := m.Policy.Deadline
	if limit == 0 {
		limit = math.Inf(1)
	}
	m.lasts = 0
	ranks := m.order
	hears := m.input.Scratch(len(ranks))
	for _, k := range ranks {
		if m.Policy.Take > 0 && taken == m.Policy.Take {
			break
		}
		m.lasts = max(m.lasts, min(limit, f.After[k]))
		if !m.lost[k] && f.After[k] <= limit {
			hears[k] = 1
			taken++
		}
	}
	for k := range m.order {
		m.order[k] = -1
		if hears[k] == 1 {
			m.order[k] = k
		}
	}
}

// chances returns the probability of each client that is asked to be heard, nil where all are.
func (m *completion) chances() (fl.Vector, error) {
	if m == nil {
		return nil, nil
	}
	n := m.input.Roster.N
	if m.Policy.Asynchronous() {
		return nil, errors.New("to be heard by an asynchronous server has no probability in " +
			"closed form")
	}
	if m.Policy.Take > 0 {
		return nil, fmt.Errorf("to be among the first %d to finish has no probability in closed "+
			"form", m.Policy.Take)
	}
	if m.Policy.Stragglers > 0 && m.Policy.Deadline > 0 && !m.Policy.Partial {
		return nil, errors.New("to finish a random number of steps in time has no probability in " +
			"closed form")
	}
	heard := make(fl.Vector, n)
	heard.Fill(1)
	if m.Policy.Deadline > 0 {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		known := false
		if heard, known = m.askChances(all); !known {
			return nil, errors.New("this completion model states no probabilities")
		}
		if len(heard) != n {
			return nil, fmt.Errorf("completion states probabilities of %d clients of %d",
				len(heard), n)
		}
		heard = heard.Clone() // which the next round would overwrite
	}
	for i, x := range heard {
		if !(x >= 0 && x <= 1) {
			return nil, fmt.Errorf("completion: client %d finishes with probability %v", i, x)
		}
		heard[i] = x * (1 - m.Policy.Dropout)
	}
	return heard, nil
}

// askChances asks the model for probabilities, which depend on no round.
func (m *completion) askChances(clients []int) (fl.Vector, bool) {
	f := m.ask(clients)
	draw, state := f.Draw, f.State
	f.Draw, f.State, f.T = nil, nil, 0
	p, known := m.Component.Chances(f, m.Policy.Deadline)
	f.Draw, f.State = draw, state
	return p, known
}

// spent says of a simulated round what completion made of it.
func (m *participation) spent(r *SimulatedRound) {
	r.Asked = len(r.Cohort)
	switch c, a := m.completion, m.asynchronous; {
	case a != nil:
		r.Asked, r.Missed, r.Seconds = len(a.started), len(a.missed), a.lasts
		r.Staleness, r.Tier, r.Tiers = a.stale, a.now, len(a.under)-1
	case c != nil:
		r.Asked, r.Missed, r.Seconds = r.Asked+len(c.missed), len(c.missed), c.lasts
	}
}

// count counts what the clients that are asked in a round are sent, and what those send whose
// updates are not aggregated.
func (c *Cell) count(cohort []int) {
	m, p := c.participation.completion, c.progress
	switch a := c.participation.asynchronous; {
	case a != nil:
		c.sendDown(a.started)
		if len(a.started) > 0 {
			a.pending.keep(p.Round, c.sent(), p.Broadcast)
		}
		for k := range a.missed {
			if u := &a.missed[k]; u.Arrives {
				c.sendInVain(u.Client)
			}
		}
	case m != nil:
		c.sendDown(cohort)
		c.sendDown(m.missed)
		for _, i := range m.upload {
			c.sendInVain(i)
		}
	default:
		c.sendDown(cohort)
	}
}

// sendInVain counts an update that is sent and not aggregated.
func (c *Cell) sendInVain(client int) {
	if bits := c.participation.completion.coded; bits != uncoded {
		c.progress.Coded += bits
		c.ledger.addCoded(client, 0, bits)
		return
	}
	n := int64(c.participation.completion.size(client))
	c.progress.Uploaded += n
	c.ledger.add(client, 0, n)
}
