package availability

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// members returns the clients that are enrolled, ascending, and whether this is the first round
// of a run: models of clients that go on from round to round keep something for each of them, in
// that order, and a round costs as much as there are. It keeps in State: enrolment, length 1, how
// many there are; members, as long as that.
func members(r *fl.AvailabilityInput) (ids fl.Vector, first bool) {
	n := r.State.Vector("enrolment", 1)
	first = n[0] == 0
	if first {
		n[0] = float64(r.Roster.Enrolment())
	}
	ids = r.State.Vector("members", int(n[0]))
	if first {
		k := 0
		for i := range r.Roster.N {
			if r.Roster.Reaches(i) {
				ids[k] = float64(i)
				k++
			}
		}
	}
	return ids, first
}

// independent returns the law of clients that are available independently with these probabilities,
// listed if they are few.
func independent(chance fl.Vector) fl.Law {
	law := fl.Law{Exact: true, Chance: chance, Inclusion: chance}
	if len(chance) <= mostEnumerated {
		law.Sets, law.Q, law.Empty = stats.BernoulliLaw(chance)
	} else {
		law.Empty, _ = stats.Attendance(chance)
	}
	return law
}

// A spread says how often clients are available, in the mean over rounds.
type spread struct {
	rate  float64 // (0, 1]
	prior fl.Importance
}

// newSpread declares the rate, which lies in a range, and the prior.
func newSpread(p *fl.Params, in fl.Range) spread {
	return spread{
		rate: p.Float("rate", 0.5, in, "mean probability of being available, before each is "+
			"limited to 1: bᵢ = min(1, rate·N·rᵢ)"),
		prior: p.Importance("prior", "uniform",
			"r, how much more often some clients are available than others"),
	}
}

// chances returns bᵢ = min(1, rate·N·rᵢ).
func (s *spread) chances(pop *fl.Roster) fl.Vector {
	chance := s.prior.Weights(pop)
	for i, r := range chance {
		chance[i] = min(1, s.rate*float64(pop.N)*r)
	}
	return chance
}
