package fl

// A Law says how cohorts arise. Of the three ways to say it, the first that is set
// counts: Everyone; Sets with Q; Chance with Size. A law with none of them knows
// inclusion probabilities only. Cohorts are never empty: Sets, Q, Chance and Size
// describe the law given that somebody came, and Empty says how often nobody does.
type Law struct {
	Everyone  bool    // the cohort is all clients (of those available)
	Sets      [][]int // the cohorts 𝒜ⱼ, each ascending; nil when too many to list
	Q         Vector  // probability of each of Sets, sums to 1
	Chance    Vector  // clients come independently, client i with this chance …
	Size      int     // … given that exactly Size of them come; 0: given that anybody comes
	Inclusion Vector  // πᵢ = P(i ∈ S), length N; not conditional on somebody coming
	Empty     float64 // probability of an empty cohort, whose round is skipped
	Exact     bool    // false when estimated from simulated rounds
	Draws     int     // number of simulated rounds behind an estimate; 0 when exact

	// Memoryless says that the cohorts of different rounds are independent. False claims nothing.
	Memoryless bool
	// Marginals says that Inclusion is exact, as it may be where cohorts had to be simulated.
	Marginals bool
}

// fewVisits is how often simulated rounds must have met a client before what they say of
// it is believed: its inclusion probability then has a relative error of 18 %.
const fewVisits = 30

// Thin reports whether the law is an estimate from too few rounds to tell the enrolled apart.
// Then neither plans nor inclusion probabilities can be had from it.
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
