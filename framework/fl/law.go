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
	Empty     float64 // probability of an empty cohort, whose round is skipped
	Exact     bool    // false when estimated from simulated rounds
	Draws     int     // number of simulated rounds behind an estimate; 0 when exact

	// Memoryless says that the cohorts of different rounds are independent. False claims nothing.
	Memoryless bool
	// Marginals says that Inclusion is exact, as it may be where cohorts had to be simulated.
	Marginals bool
}

// fewVisits is how many simulated rounds a client must have participated in before their estimate
// of it is used: its inclusion probability then has a relative error of 18 %.
const fewVisits = 30

// Thin reports whether the law is an estimate from so few rounds that some enrolled client
// participated fewer than fewVisits times. Neither plans nor inclusion probabilities are computed
// from it.
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
