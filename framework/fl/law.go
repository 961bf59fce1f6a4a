package fl

// A Law is the distribution of the cohort of one round. It has three forms, of which the first that
// is set counts: Everyone; Sets with Q; Chance with Size. A law without any of them has inclusion
// probabilities only. Sets, Q, Chance and Size describe the distribution of the cohort given that
// it is not empty; Empty is the probability of an empty round.
type Law struct {
	Everyone  bool    // the cohort is all clients (of those available)
	Sets      [][]int // the cohorts 𝒜ⱼ, each ascending; nil when there are too many to list
	Q         Vector  // probability of each of Sets, sums to 1
	Chance    Vector  // clients participate independently, client i with this probability …
	Size      int     // … given that exactly Size do; 0: given that at least one does
	Inclusion Vector  // πᵢ = P(i ∈ S), length N; not conditional on a non-empty round

	// A cohort is a set whatever its selection counts several times. Repeats are, of each of Sets,
	// how often its clients are counted: a list of what may be, given that set. Nil: once each,
	// or not listed. Expected is how often each client is counted in a round in the mean, length
	// N, not conditional on a non-empty round; nil: as Inclusion, since no client is repeated.
	Repeats  [][]Repeat
	Expected Vector

	Empty float64 // probability of an empty cohort, whose round is skipped
	Exact bool    // false when estimated from simulated rounds
	Draws int     // number of simulated rounds behind an estimate; 0 when exact

	// Phases are the distributions of a round given the phase that it is in, where the server sees
	// phases, see Round, and Shares the share of rounds in each: the law itself is their mixture.
	// Nil: no phases are seen, or they have no distributions of a closed form. A phase has none.
	Phases []Law
	Shares Vector

	// Memoryless says that the cohorts of different rounds are independent. False claims nothing.
	Memoryless bool
	// Marginals says that Inclusion is exact, as it may be where cohorts had to be simulated.
	Marginals bool
}

// Within returns the law of rounds in a phase, from 1; the law itself for 0, and where there are no
// laws of phases.
func (l *Law) Within(phase int) *Law {
	if l == nil || phase == 0 || l.Phases == nil {
		return l
	}
	return &l.Phases[phase-1]
}

// A Repeat is how often the clients of a cohort are counted, and with which probability given that
// cohort.
type Repeat struct {
	Times []int
	Q     float64
}

// Counts returns the mean number of times that each client is counted in a round.
func (l *Law) Counts() Vector {
	if l.Expected != nil {
		return l.Expected
	}
	return l.Inclusion
}

// fewVisits is how many simulated rounds a client must have participated in before their estimate
// of it is used: its inclusion probability then has a relative error of 18 %.
const fewVisits = 30

// Thin reports whether the law is an estimate from so few rounds that some enrolled client
// participated fewer than fewVisits times. No plans are computed from it.
func (l *Law) Thin(pop *Roster) bool {
	if l.Draws == 0 {
		return false
	}
	for i, pi := range l.Inclusion {
		if pop.Reaches(i) && pi*float64(l.Draws) < fewVisits {
			return true
		}
	}
	return false
}

// ThinInclusion reports whether inclusion probabilities are estimates from such a law: not where
// they are exact, though cohorts had to be simulated.
func (l *Law) ThinInclusion(pop *Roster) bool { return !l.Marginals && l.Thin(pop) }
