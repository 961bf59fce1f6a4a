package engine

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

const (
	// mostMembers bounds Σ|𝒜ⱼ| of a law that is listed by mixing two others.
	mostMembers = 4_000_000
	// mostVisits bounds the work of simulating a law: rounds × clients looked at.
	mostVisits = 400_000_000
	// simulated is the number of rounds that a law is estimated from, if they show enough.
	simulated = 20_000
	// mostSimulated bounds how many more it may be so that no client is met too rarely.
	mostSimulated = 160_000
)

// CohortLaw returns the cohort distribution that availability, selection and completion give
// together: exact where all state theirs and the mixture can be listed, estimated from simulated
// rounds otherwise. Simulated rounds have streams of their own; they disturb no run.
func CohortLaw(s *Setup, w *World) (law fl.Law, err error) {
	defer guard(&err)
	pop := w.Roster
	everyone := enrolled(pop)
	nature, known := natureLaw(s, w)
	server, same := s.Selection.Law(pop, everyone)
	memoryless := known && nature.Memoryless && same && server.Memoryless
	phases := nature.Phases
	if known {
		phases = within(s, w, phases)
		law, known = composed(s, w, nature)
	}
	if !known {
		memoryless = memoryless && s.Completion.Component == nil
		law, err = estimated(s, w, nil)
	}
	if err == nil && law.Sets == nil && law.Chance == nil && !law.Everyone && law.Empty < 1 {
		// Only inclusion probabilities are known: cohorts to plan with are simulated.
		exact, counts := law.Inclusion, law.Expected
		law, err = estimated(s, w, exact)
		law.Inclusion, law.Expected, law.Marginals = exact, counts, true
	}
	if err != nil {
		return law, err
	}
	if law.Everyone {
		law.Sets, law.Q = [][]int{everyone}, fl.Vector{1}
	}
	if law.Inclusion == nil {
		law.Inclusion = inclusion(&law, pop.N)
	}
	law.Memoryless, law.Marginals = memoryless, law.Marginals || law.Exact
	if law.Phases = phases; phases != nil {
		law.Shares = nature.Shares
	}
	return law, nil
}

// composed returns the law of the cohorts that selection and completion make of those available, or
// false where only simulated rounds show it.
func composed(s *Setup, w *World, nature fl.Law) (law fl.Law, known bool) {
	pop := w.Roster
	everyone := enrolled(pop)
	server, same := s.Selection.Law(pop, everyone)
	switch {
	case nature.Everyone && same:
		law, known = server, true
		if law.Everyone && len(everyone) < pop.N {
			law = fl.Law{Sets: [][]int{everyone}, Q: fl.Vector{1}, Exact: true}
		}
	case same && server.Everyone:
		law, known = nature, true
	case nature.Sets != nil:
		law, known = mixture(s.Selection, pop, nature)
	}
	if known {
		law, known = afterCompletion(s, w, law)
	}
	return law, known
}

// within returns the laws of the cohorts of phases, nil unless all of them have cohorts of a closed
// form: no rounds are simulated for them.
func within(s *Setup, w *World, phases []fl.Law) []fl.Law {
	out := make([]fl.Law, 0, len(phases))
	for _, nature := range phases {
		law, known := composed(s, w, nature)
		if law.Everyone {
			law.Sets, law.Q = [][]int{enrolled(w.Roster)}, fl.Vector{1}
		}
		if !known || law.Sets == nil && law.Chance == nil && law.Empty < 1 {
			return nil
		}
		if law.Inclusion == nil {
			law.Inclusion = inclusion(&law, w.Roster.N)
		}
		out = append(out, law)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// inclusion returns πᵢ of a law whose cohorts are listed.
func inclusion(law *fl.Law, n int) fl.Vector {
	pi := make(fl.Vector, n)
	for j, set := range law.Sets {
		for _, i := range set {
			pi[i] += law.Q[j] * (1 - law.Empty)
		}
	}
	return pi
}

// mixture returns the law of selecting from available clients of a listed law,
// or false when it cannot be listed.
func mixture(sel fl.Selection, pop *fl.Roster, nature fl.Law) (fl.Law, bool) {
	t, visits := cohortCounts{}, 0
	for j, available := range nature.Sets {
		given, ok := sel.Law(pop, available)
		if ok && given.Everyone {
			given.Sets, given.Q = [][]int{available}, fl.Vector{1}
		}
		if !ok || given.Sets == nil || given.Expected != nil {
			return fl.Law{}, false
		}
		t.empty += nature.Q[j] * given.Empty
		for k, set := range given.Sets {
			t.add(set, nature.Q[j]*given.Q[k]*(1-given.Empty))
		}
		if visits += len(given.Sets); t.members > mostMembers || visits > mostSubsets {
			return fl.Law{}, false
		}
	}
	law := t.law()
	law.Exact = nature.Exact
	law.Empty = nature.Empty + (1-nature.Empty)*t.empty
	return law, true
}

// A SimulatedRound is what a simulated round shows.
type SimulatedRound struct {
	T       int
	Cohort  []int      // ascending; may be empty
	Times   []int      // see fl.Round; nil: once each
	Expects fl.Vector  // see Expected of fl.Round
	Context fl.Matrix  // as the server sees it
	Phase   int        // see fl.Round
	Phases  int        //
	Oracle  *fl.Oracle // nil unless the experiment grants it
	Asked   int        // clients that were asked, of which Cohort are those that finished in time
	Missed  int        // clients whose updates ended in this round and do not count
	Seconds float64    // virtual, that it lasted

	Staleness   []int // see fl.Round
	Tier, Tiers int   // see fl.Round
}

// Simulate plays rounds without local training and shows each, empty ones too. Its streams are its
// own, so it disturbs no run. Plays of different numbers are independent of each other; laws are
// estimated from number 0, so that what is judged by a law is to be judged by others.
func Simulate(
	s *Setup, w *World, play, rounds int, visit func(SimulatedRound) error,
) (err error) {
	defer guard(&err)
	stream := "simulated "
	if play > 0 {
		stream = fmt.Sprintf("simulated %d ", play)
	}
	chosen := newParticipation(s, w, stream)
	chosen.follow(&Progress{Nature: fl.NewStore(), Server: fl.NewStore(), Shared: fl.NewStore(),
		Finishing: fl.NewStore(),
		Reports:   reports{}})
	for t := range rounds {
		cohort, err := chosen.cohort(t)
		if err != nil {
			return fmt.Errorf("round %d: %w", t+1, err)
		}
		turn := SimulatedRound{T: t, Cohort: cohort, Times: chosen.selected.Times,
			Expects: chosen.selected.Expected, Context: chosen.context,
			Phase: chosen.available.Phase, Phases: chosen.available.Phases}
		chosen.spent(&turn)
		if s.Oracle && len(cohort) > 0 {
			if turn.Oracle, err = chosen.oracle(w); err != nil {
				return fmt.Errorf("oracle = true: %w", err)
			}
		}
		if err := visit(turn); err != nil {
			return err
		}
	}
	return nil
}

// estimate returns the law of simulated rounds. Inclusion probabilities, where they are known, say
// how many rounds it takes to meet the rarest client often enough.
func estimate(s *Setup, w *World, known fl.Vector) (fl.Law, error) {
	rounds := simulated
	for n := rounds; n <= mostSimulated; n *= 2 {
		if law := (fl.Law{Inclusion: known, Draws: n}); !law.Thin(w.Roster) {
			rounds = n
			break
		}
	}
	rounds = min(rounds, max(1000, mostVisits/w.Roster.N))
	t := cohortCounts{}
	var counts fl.Vector // beyond once, where clients are repeated
	err := Simulate(s, w, 0, rounds, func(turn SimulatedRound) error {
		if turn.Times != nil && counts == nil {
			counts = make(fl.Vector, w.Roster.N)
		}
		for k, times := range turn.Times {
			counts[turn.Cohort[k]] += float64(times-1) / float64(rounds)
		}
		if len(turn.Cohort) == 0 {
			t.empty += 1 / float64(rounds)
		} else {
			t.add(turn.Cohort, 1/float64(rounds))
		}
		return nil
	})
	law := t.law()
	law.Empty, law.Draws = t.empty, rounds
	if counts != nil {
		counts.Add(inclusion(&law, w.Roster.N))
		law.Expected = counts
	}
	return law, err
}
