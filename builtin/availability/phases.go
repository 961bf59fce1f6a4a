// Phases — clients are available at other rates in other phases.
//
//	H. Eichner, T. Koren, B. McMahan, N. Srebro, K. Talwar. Semi-Cyclic Stochastic Gradient
//	Descent. ICML 2019: the distribution of the clients that train depends on the hour.
//
// Notation: F phases, two or three; r^φ the prior of phase φ, L_φ its turn. In phase φ the cohort
// is that of "bernoulli" with that prior, or with k > 0 that of "k-subset": given phases, the
// cohorts of rounds are independent. Phases follow each other
//
//   - "cycle": in their order, each for L_φ rounds. The first round is any of a period, ΣL_φ.
//   - "chain": a phase ends in every round with probability 1/L_φ, and any other one follows.
//
// Both start from stationarity: a round is in phase φ with probability ρ_φ = L_φ/ΣL, so the law
// of the first round is that of all, the mixture Σρ_φ q_φ. It states the laws of phases, too, where
// the server sees them. Oracles read probabilities given the phase where it is seen, and those of
// the mixture where it is hidden.
//
// In "cyclic" only the block whose turn it is can take part; here every client can in every phase,
// but for those with a prior of 0. In "markov" each client has a chain of its own.

package availability

import (
	"slices"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Phases describes the availability model to the registry.
var Phases = fl.AvailabilityEntry{
	Name:       "phases",
	Summary:    "clients are available at other rates in other phases, seen or not",
	Paper:      "eichner2019",
	Deviations: "phases are priors of all clients, not blocks of them, and may be random",
	New:        newPhases,
}

// phases keeps in State: phase, length 1, with "cycle" the round of the period that the first round
// is in, from 1, with "chain" the current phase, from 1; and of each phase what stats draws from,
// length N+1 or 2N+1, after a 1 that says it was computed, and its inclusion probabilities.
type phases struct {
	priors []fl.Importance
	turns  []int // L
	period int
	random bool // "chain"
	seen   bool
	k      int // K; 0: independent
	rate   float64

	// Inclusion probabilities of many clients take as long as thousands of rounds: those of the
	// population that was asked for last are kept.
	kept struct {
		sync.Mutex
		of   *fl.Roster
		laws []fl.Law // of phases; nil: they state none
	}
}

var _ fl.Availability = (*phases)(nil)

// Names of phases, and of what State has of them.
var (
	phaseNames     = [...]string{"first", "second", "third"}
	phaseInclusion = [...]string{"inclusion first", "inclusion second", "inclusion third"}
)

func newPhases(p *fl.Params) (fl.Availability, error) {
	a := &phases{
		turns: p.Ints("turns", []int{50, 50}, fl.AtLeast(1), "L, rounds that each phase lasts, in "+
			"the mean where that is random"),
		random: p.Choice("order", "cycle", "phases take turns of L rounds, in their order; or end "+
			"with probability 1/L in every round, before any other one", "cycle",
			"chain") == "chain",
		seen: p.Bool("seen", true, "whether the server sees which phase a round is in"),
		k: p.Int("k", 0, fl.AtLeast(0), "clients that are available in a round, one after another "+
			"without replacement, as in k-subset; 0: each by itself, as in bernoulli"),
		rate: p.Float("rate", 0.5, fl.LeftOpen(0, 1), "with k = 0, mean probability of being "+
			"available, before each is limited to 1: bᵢ = min(1, rate·N·rᵢ)"),
	}
	const doc = "r of this phase, how much more often some clients are available than others"
	a.priors = []fl.Importance{p.Importance("first", "uniform", doc),
		p.Importance("second", "linear", doc)}
	third := p.Importance("third", "", "r of a third phase; without it there are two")
	if p.Given("third") {
		a.priors = append(a.priors, third)
	}
	if len(a.turns) != len(a.priors) {
		p.Fail("turns", "%d of %d phases", len(a.turns), len(a.priors))
	}
	for _, turn := range a.turns {
		a.period += turn
	}
	if s := p.Setting(); s.Known() && a.k > s.Clients {
		p.Fail("k", "%d of %d clients", a.k, s.Clients)
	}
	return a, nil
}

// Available implements fl.Availability.
func (a *phases) Available(r *fl.AvailabilityInput) []int {
	now := a.now(r)
	table := a.table(r, now)
	if a.seen {
		r.Phase, r.Phases = now+1, len(a.priors)
		if a.k == 0 || a.laws(r.Roster) != nil {
			r.Inclusion = r.State.Vector(phaseInclusion[now], r.Roster.N)
		}
	}
	if a.k > 0 {
		return stats.DrawSuccessive(r.Room(a.k), table, a.k, r.RNG)
	}
	return stats.DrawBernoulli(r.Room(r.Roster.N), table, r.RNG)
}

// now returns the phase of this round, from 0.
func (a *phases) now(r *fl.AvailabilityInput) int {
	kept := r.State.Vector("phase", 1)
	first := kept[0] == 0
	if !a.random {
		if first {
			kept[0] = float64(1 + r.Fixed().IntN(a.period))
		}
		return a.at((int(kept[0]) - 1 + r.T) % a.period)
	}
	if first {
		kept[0] = float64(1 + a.at(r.RNG.IntN(a.period)))
		return int(kept[0]) - 1
	}
	phase := int(kept[0]) - 1
	if r.RNG.IntN(a.turns[phase]) == 0 {
		phase = (phase + 1 + r.RNG.IntN(len(a.turns)-1)) % len(a.turns)
		kept[0] = float64(1 + phase)
	}
	return phase
}

// at returns the phase of a round of the period.
func (a *phases) at(round int) int {
	for k, turn := range a.turns {
		if round < turn {
			return k
		}
		round -= turn
	}
	return len(a.turns) - 1
}

// table returns what to draw from in a phase.
func (a *phases) table(r *fl.AvailabilityInput, phase int) fl.Vector {
	n := r.Roster.N
	length := n
	if a.k > 0 {
		length = 2 * n
	}
	kept := r.State.Vector(phaseNames[phase], length+1)
	if kept[0] != 0 {
		return kept[1:]
	}
	kept[0] = 1
	pi := r.State.Vector(phaseInclusion[phase], n)
	if a.k == 0 {
		s := a.spread(phase)
		copy(kept[1:], s.chances(r.Roster))
		copy(pi, kept[1:])
		return kept[1:]
	}
	weights := a.priors[phase].Weights(r.Roster)
	stats.SumTree(kept[1:], weights)
	if a.seen {
		if laws := a.laws(r.Roster); laws != nil {
			copy(pi, laws[phase].Inclusion)
		}
	}
	return kept[1:]
}

func (a *phases) spread(phase int) *spread {
	return &spread{rate: a.rate, prior: a.priors[phase]}
}

// given returns the law of rounds in a phase.
func (a *phases) given(pop *fl.Roster, phase int) (fl.Law, bool) {
	if a.k == 0 {
		return (&bernoulli{*a.spread(phase)}).Law(pop)
	}
	law, known := (&kSubset{k: a.k, prior: a.priors[phase]}).Law(pop)
	return told(law, pop.N), known
}

// laws returns those of all phases; nil where one has none.
func (a *phases) laws(pop *fl.Roster) []fl.Law {
	a.kept.Lock()
	defer a.kept.Unlock()
	if a.kept.of == pop {
		return a.kept.laws
	}
	a.kept.of, a.kept.laws = pop, nil
	laws := make([]fl.Law, len(a.priors))
	for k := range laws {
		var known bool
		if laws[k], known = a.given(pop, k); !known {
			return nil
		}
	}
	a.kept.laws = laws
	return laws
}

// Law implements fl.Availability.
func (a *phases) Law(pop *fl.Roster) (fl.Law, bool) {
	laws, shares := a.laws(pop), make(fl.Vector, len(a.priors))
	if laws == nil {
		return fl.Law{}, false
	}
	for k := range shares {
		shares[k] = float64(a.turns[k]) / float64(a.period)
	}
	law := mixed(laws, shares, pop.N)
	if a.seen {
		law.Phases, law.Shares = slices.Clone(laws), shares
	}
	return law, true
}
