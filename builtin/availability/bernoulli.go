// Bernoulli — every client tosses its own coin in every round.
//
//	Notation: bᵢ the probability that client i is available, r the prior.
//
// bᵢ = min(1, rate·N·rᵢ): the rate is their mean where none is lowered to 1, and more than their
// mean where some are. Empty rounds are skipped; the cohort distribution is then the one given a
// non-empty cohort, and inclusion probabilities count all rounds.

package availability

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Bernoulli describes the availability model to the registry.
var Bernoulli = fl.AvailabilityEntry{
	Name:    "bernoulli",
	Summary: "every client is available with a probability of its own, independently",
	New:     newBernoulli,
}

// mostEnumerated is the largest population whose 2ᴺ cohorts are listed.
const mostEnumerated = 12

// bernoulli keeps in State: chance, length N+1, the probabilities bᵢ after a 1 that says they were
// computed.
type bernoulli struct{ spread }

var _ fl.Availability = (*bernoulli)(nil)

func newBernoulli(p *fl.Params) (fl.Availability, error) {
	return &bernoulli{newSpread(p, fl.LeftOpen(0, 1))}, nil
}

// Available implements fl.Availability.
func (b *bernoulli) Available(r *fl.AvailabilityInput) []int {
	kept := r.State.Vector("chance", r.Roster.N+1)
	if kept[0] == 0 {
		kept[0] = 1
		copy(kept[1:], b.chances(r.Roster))
	}
	return stats.DrawBernoulli(r.Room(r.Roster.N), kept[1:], r.RNG)
}

// Law implements fl.Availability.
func (b *bernoulli) Law(pop *fl.Roster) (fl.Law, bool) {
	law := independent(b.chances(pop))
	law.Memoryless = true
	return law, true
}
