package contract

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func availabilities() exam[fl.Availability] {
	type s = *subject[fl.Availability]
	return exam[fl.Availability]{
		kind: "availability",
		table: func(r *registry.Registry) *registry.Table[fl.Availability] {
			return &r.Availability
		},
		checks: []check[s]{
			{"ascending", "Available returns clients of the population, ascending",
				"", availableAscend},
			{"repeatable", "a fresh instance with the same stream and State gives the same bits, " +
				"and has the same law", "ascending", repeatsAvailable},
			{"read-only", "neither Available nor Law modifies the Roster or Everyone",
				"ascending", readsReach},
			{"law", "cohorts are non-empty, ascending and distinct, their probabilities sum to " +
				"1, and inclusion probabilities lie in [0, 1] and follow from them",
				"", availableLaw},
			{"draws", "10,000 draws agree with the law (p ≥ 1e-4)", "law", availableDraws},
		},
	}
}

// nature plays the rounds of one availability model, as the engine does.
type nature struct {
	reach  fl.Reach
	stream fl.Stream
}

func newNature(s *subject[fl.Availability], stream fl.Stream) *nature {
	return &nature{fl.Reach{Roster: cloneRoster(s.toy.roster), State: fl.NewStore()}, stream}
}

// play returns who is available in round t.
func (n *nature) play(a fl.Availability, t int) []int {
	n.reach.Recycle()
	n.reach.T, n.reach.RNG = t, n.stream.At(t, 0).Rand()
	return slices.Clone(a.Available(&n.reach))
}

func availableAscend(s *subject[fl.Availability]) string {
	a, n := s.build(), newNature(s, s.stream("availability"))
	for t := range 200 {
		if broken := outOfOrder(n.play(a, t)); broken != "" {
			return at(fmt.Sprintf("round %d", t+1), broken)
		}
	}
	return ""
}

func repeatsAvailable(s *subject[fl.Availability]) string {
	a, n := s.build(), newNature(s, s.stream("availability"))
	for t := range 20 {
		other := newNature(s, n.stream)
		other.reach.State = n.reach.State.(*fl.Store).Clone()
		first, second := n.play(a, t), other.play(s.build(), t)
		if !slices.Equal(first, second) {
			return fmt.Sprintf("round %d: %v, and of a fresh instance %v", t+1, first, second)
		}
	}
	if knows(a.Law(n.reach.Roster)) != knows(s.build().Law(n.reach.Roster)) {
		return "a fresh instance has another law"
	}
	return ""
}

func readsReach(s *subject[fl.Availability]) string {
	a, n := s.build(), newNature(s, s.stream("availability"))
	before, after := newDigest(), newDigest()
	before.roster(n.reach.Roster)
	n.reach.Everyone()
	for t := range 20 {
		n.play(a, t)
	}
	a.Law(n.reach.Roster)
	after.roster(n.reach.Roster)
	if before.sum() != after.sum() {
		return "the Roster changed"
	}
	if !slices.Equal(n.reach.Everyone(), upTo(clients)) {
		return "Everyone changed"
	}
	return ""
}

func availableLaw(s *subject[fl.Availability]) string {
	if law, ok := s.build().Law(cloneRoster(s.toy.roster)); ok {
		return malformed(&law, upTo(clients))
	}
	return ""
}

// availableDraws takes the last of a few rounds, again and again from the beginning: so
// draws are independent even where rounds are not, and see what State makes of them.
func availableDraws(s *subject[fl.Availability]) string {
	a := s.build()
	law, ok := a.Law(cloneRoster(s.toy.roster))
	if !ok {
		return ""
	}
	const rounds = 4
	return disagree(&law, upTo(clients), func(k int) (ids []int) {
		n := newNature(s, s.stream("availability").At(k, 1))
		for t := range rounds {
			ids = n.play(a, t)
		}
		return ids
	})
}
