package audit

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Effective describes an aggregator's weights over many rounds.
type Effective struct {
	P        fl.Vector `json:"-"`         // p̃: mean weight of each client, scaled to sum 1
	Exact    bool      `json:"exact"`     // a mean over the law; false: over simulated rounds
	Rounds   int       `json:"rounds"`    // simulated rounds behind it; 0 when exact
	Worth    float64   `json:"worth"`     // as many independent rounds; 0 when exact
	Learns   bool      `json:"learns"`    // the weights of a cohort change from round to round
	Total    float64   `json:"total"`     // mean of Σw, the weight of the cohort
	TotalSD  float64   `json:"total_sd"`  // its standard deviation from round to round
	Scale    float64   `json:"scale"`     // mean of Σw plus the weight of θᵗ⁻¹; 1: consensus
	ScaleSD  float64   `json:"scale_sd"`  // its standard deviation; 0 where consensus is kept
	Speaking float64   `json:"speaking"`  // effective cohort size (Kish): mean of (Σw)²/Σw²
	Variance float64   `json:"variance"`  // E‖w‖²/(EΣw)², of a mean of uncorrelated updates
	Cohort   float64   `json:"cohort"`    // mean size of non-empty cohorts
	Thin     bool      `json:"thin"`      // too few rounds to tell clients apart
	Noise    float64   `json:"tv_noise"`  // total variation expected from simulation error alone
	Margin   float64   `json:"tv_margin"` // 95 % of errors of p̃ are smaller in total variation
}

// usualDraws is how many cohorts are drawn to measure weights, by default.
const usualDraws = 20_000

// mostWork bounds what drawing them costs: clients looked at, and floats that probes fill.
const mostWork = 400_000_000

// effectiveOf probes the aggregator of a cell over the law of its cohorts: exactly where the law
// lists them and the weights of a cohort stay the same, over drawn cohorts otherwise. A law that
// is an estimate lists the very cohorts that plans are made with: new ones are drawn to judge them.
func effectiveOf(s *engine.Setup, w *engine.World, law *fl.Law, draws int) (
	Effective, *play, error,
) {
	if s.Statistics != "" {
		return Effective{}, nil, fmt.Errorf("clients send %s, not models, so it has no p̃",
			s.Statistics)
	}
	if s.Losses {
		return Effective{}, nil, errors.New("weights depend on losses of clients, which " +
			"the audit does not simulate, so it has no p̃")
	}
	told := law
	if !s.Law {
		told = nil
	}
	k := &play{setup: s, world: w, law: law, told: told}
	var err error
	if k.beside, err = sent(s, w); err != nil {
		return Effective{}, nil, err
	}
	k.probe = k.newProbe()
	varies, err := varying(s, w)
	if err == nil && !varies {
		varies, err = k.learns()
	}
	switch {
	case err != nil:
		return Effective{}, nil, err
	case varies:
		return k.inTime(varies)
	case law.Sets != nil && law.Draws == 0 && listsPhases(law):
		return k.listed()
	}
	return k.drawn(draws)
}

// listsPhases reports whether all phases of a law list their cohorts; it does where it has none.
func listsPhases(law *fl.Law) bool {
	for k := range law.Phases {
		if phase := &law.Phases[k]; phase.Sets == nil && phase.Empty < 1 {
			return false
		}
	}
	return true
}

// varying reports whether rounds differ by more than participation: by context, or by true
// probabilities that the aggregator reads. Weights of a cohort then belong to a round.
func varying(s *engine.Setup, w *engine.World) (shown bool, err error) {
	if s.Oracle {
		return true, nil
	}
	err = engine.Simulate(s, w, 0, 1, func(turn engine.SimulatedRound) error {
		shown = turn.Context.Cols > 0
		return nil
	})
	return shown, err
}

// A play is the rounds of a cell without local training, and what the aggregator gives in them.
type play struct {
	setup  *engine.Setup
	world  *engine.World
	law    *fl.Law
	told   *fl.Law  // the law as the server knows it; nil: unknown
	beside []string // see probe
	notes  []string
	probe  *probe
	fixed  bool  // the weights of a cohort are the same in all rounds
	list   *list // of cohorts, where the law is their list
}

// newProbe returns a probe of the aggregator before its first round.
func (k *play) newProbe() *probe {
	p := newProbe(k.setup, k.world.Roster, k.told)
	p.beside = k.beside
	return p
}

// A list is the cohorts of a law and their weights.
type list struct {
	q       fl.Vector
	end     []int // of each cohort among members
	members []int
	weights fl.Vector // by member
}

// learns reports whether the weights of a cohort change as rounds go by, looking at a few rounds.
// If they do, the aggregator has forgotten these rounds afterwards.
func (k *play) learns() (bool, error) {
	const few = 40
	var first engine.SimulatedRound // that is not empty, and its weights
	var before fl.Vector
	visit := func(turn engine.SimulatedRound) error {
		if len(turn.Cohort) == 0 {
			return nil
		}
		k.probe.see(turn)
		r, err := k.probe.read(turn.T, turn.Cohort)
		switch {
		case err != nil:
			return err
		case !r.linear:
			return errNotLinear
		case first.Cohort == nil:
			first, before = lasting(turn), slices.Clone(r.weights)
		}
		return nil
	}
	if err := engine.Simulate(k.setup, k.world, 1, few, visit); err != nil || before == nil {
		return false, err
	}
	k.probe.see(first)
	r, err := k.probe.read(few, first.Cohort)
	if err != nil || slices.Equal(before, r.weights) {
		return false, err
	}
	k.probe = k.newProbe()
	return true, nil
}

// listed is the exact mean over the cohorts of a law.
func (k *play) listed() (Effective, *play, error) {
	m := newMeasure(k.world.Roster.N, 1)
	k.list = new(list)
	var opening engine.SimulatedRound // the first of them
	for turn := range k.turns() {
		k.probe.see(turn.SimulatedRound)
		r, err := k.probe.read(len(k.list.q), turn.Cohort)
		if err != nil {
			return Effective{}, nil, err
		}
		if !r.linear {
			return Effective{}, nil, errNotLinear
		}
		if len(k.list.q) == 0 {
			opening = turn.SimulatedRound
		}
		m.add(turn.q, turn.Cohort, r)
		k.list.q = append(k.list.q, turn.q)
		k.list.members = append(k.list.members, turn.Cohort...)
		k.list.weights = append(k.list.weights, r.weights...)
		k.list.end = append(k.list.end, len(k.list.members))
	}
	first := k.list.weights[:k.list.end[0]]
	k.probe.see(opening)
	again, err := k.probe.read(len(k.list.q), opening.Cohort)
	if err != nil {
		return Effective{}, nil, err
	}
	if !slices.Equal(first, again.weights) { // it learns slowly
		k.list, k.probe = nil, k.newProbe()
		return k.inTime(true)
	}
	k.fixed, k.notes = true, k.probe.round.Notes.All()
	return m.mean(), k, nil
}

// A turn is a round of a listed law, and its probability.
type turn struct {
	engine.SimulatedRound
	q float64
}

// turns visits all that a round of a listed law may be: each cohort of each phase, or of the law
// where no phases are seen; and how often its clients are counted, where they are repeated.
func (k *play) turns() iter.Seq[turn] {
	return func(yield func(turn) bool) {
		if k.law.Phases == nil {
			turnsIn(k.law, turn{q: 1}, yield)
			return
		}
		for m := range k.law.Phases {
			phase := &k.law.Phases[m]
			at := turn{q: k.law.Shares[m] * (1 - phase.Empty) / (1 - k.law.Empty)}
			at.Phase, at.Phases = m+1, len(k.law.Phases)
			if !turnsIn(phase, at, yield) {
				return
			}
		}
	}
}

// turnsIn visits what a round of a listed law may be, and returns whether to go on.
func turnsIn(law *fl.Law, at turn, yield func(turn) bool) bool {
	for j, cohort := range law.Sets {
		r := at
		r.Cohort, r.q = cohort, at.q*law.Q[j]
		for _, i := range cohort {
			if law.Expected != nil {
				r.Expects = append(r.Expects, law.Expected[i])
			}
		}
		if law.Repeats == nil {
			if !yield(r) {
				return false
			}
			continue
		}
		for _, repeat := range law.Repeats[j] {
			r.Times, r.q = repeat.Times, at.q*law.Q[j]*repeat.Q
			if !yield(r) {
				return false
			}
		}
	}
	return true
}

// drawn is a mean over as many cohorts of the distribution of a single round as the caller asks
// for: drawn from that distribution where clients participate independently in a round, by
// simulated rounds in their order otherwise.
func (k *play) drawn(draws int) (Effective, *play, error) {
	if draws == 0 {
		draws = usualDraws
	}
	n := k.world.Roster.N
	size := int(k.law.Inclusion.Sum()) + 1
	probed := 1
	if !k.probe.sums {
		probed = size
	}
	draws = min(draws, max(2000, mostWork/(n+size*probed)))
	m := newMeasure(n, draws)
	visit := func(turn engine.SimulatedRound) error {
		if len(turn.Cohort) == 0 {
			return nil
		}
		k.probe.see(turn)
		r, err := k.probe.read(turn.T, turn.Cohort)
		if err == nil && !r.linear {
			err = errNotLinear
		}
		if err == nil {
			m.add(1, turn.Cohort, r)
		}
		return err
	}
	var err error
	independent := k.law.Memoryless
	if !independent && k.law.Chance != nil && k.law.Size == 0 {
		independent, err = true, k.single(draws, visit)
	} else {
		err = engine.Simulate(k.setup, k.world, 1, draws, visit)
	}
	switch {
	case err != nil:
		return Effective{}, nil, err
	case m.mass == 0:
		return Effective{}, nil, fmt.Errorf("all of %d simulated rounds were empty", draws)
	}
	k.fixed, k.notes = true, k.probe.round.Notes.All()
	return m.estimate(k.law, independent), k, nil
}

// single visits cohorts of independent clients, each drawn by the law of one round alone.
func (k *play) single(draws int, visit func(engine.SimulatedRound) error) error {
	rng := fl.NewStream(k.setup.Seed, "audit cohorts").Rand()
	var cohort []int
	for t := range draws {
		cohort = stats.DrawBernoulli(cohort, k.law.Chance, rng)
		if err := visit(engine.SimulatedRound{T: t, Cohort: cohort}); err != nil {
			return err
		}
	}
	return nil
}

// inTime is a mean over consecutive rounds, where weights belong to a round. Weights that are
// learnt need time: the first half of the rounds is left out of the mean.
func (k *play) inTime(learns bool) (Effective, *play, error) {
	rounds := min(20_000, max(k.setup.Rounds, 2000))
	m := newMeasure(k.world.Roster.N, rounds-rounds/2)
	var first engine.SimulatedRound // the first non-empty round, and its weights
	var before fl.Vector
	err := engine.Simulate(k.setup, k.world, 1, rounds, func(turn engine.SimulatedRound) error {
		if len(turn.Cohort) == 0 {
			return nil
		}
		k.probe.see(turn)
		r, err := k.probe.read(turn.T, turn.Cohort)
		if err != nil {
			return err
		}
		if !r.linear {
			return errNotLinear
		}
		if first.Cohort == nil {
			first, before = lasting(turn), slices.Clone(r.weights)
		}
		if turn.T >= rounds/2 {
			m.add(1, turn.Cohort, r)
		}
		return nil
	})
	if err != nil {
		return Effective{}, nil, err
	}
	if m.mass == 0 {
		return Effective{}, nil, fmt.Errorf("all of %d simulated rounds were "+
			"empty", rounds-rounds/2)
	}
	k.probe.see(first)
	again, err := k.probe.read(rounds, first.Cohort)
	if err != nil {
		return Effective{}, nil, err
	}
	e := m.estimate(k.law, false)
	e.Learns = learns && !slices.Equal(before, again.weights)
	k.notes = k.probe.round.Notes.All()
	return e, k, nil
}

// lasting returns a turn that outlives its round.
func lasting(t engine.SimulatedRound) engine.SimulatedRound {
	t.Cohort, t.Times = slices.Clone(t.Cohort), slices.Clone(t.Times)
	t.Expects, t.Staleness = t.Expects.Clone(), slices.Clone(t.Staleness)
	t.Context.Data = slices.Clone(t.Context.Data)
	if t.Oracle != nil {
		truth := *t.Oracle
		truth.Inclusion = truth.Inclusion.Clone()
		t.Oracle = &truth
	}
	return t
}

// errNotLinear is why some aggregators have no p̃.
var errNotLinear = errors.New("it is no weighted mean of updates, so it has no p̃")

// meanSD returns the mean and the standard deviation of what has this mean and this mean
// square. A deviation within rounding of the mean is none.
func meanSD(mean, square float64) (float64, float64) {
	variance := square - mean*mean
	if variance < 1e-14*square {
		return mean, 0
	}
	return mean, math.Sqrt(variance)
}
