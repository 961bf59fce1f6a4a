package contract

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func availabilities() exam[fl.Availability] {
	type s = *subject[fl.Availability]
	return exam[fl.Availability]{
		of: registry.Availability(),
		checks: []check[s]{
			{"ascending", "Available returns clients of the population, ascending, or fails for " +
				"want of a file that it names", "", availableAscend},
			{"inspects", "where files are missing Inspect says so as Available does, and where " +
				"it reads them Inspect finds nothing wrong", "", availableInspects},
			{"repeatable", "a fresh instance with the same stream and State gives the same bits, " +
				"and the same Law", "ascending", repeatsAvailable},
			{readOnly, "neither Available nor Law modifies the Roster or Everyone",
				"ascending", readsAvailability},
			{"law", "cohorts are non-empty, ascending and distinct, their probabilities sum to " +
				"1, and inclusion probabilities lie in [0, 1] and follow from them",
				"", availableLaw},
			{"draws", "10,000 draws agree with the cohort distribution (Law; p ≥ 1e-4)", "law",
				availableDraws},
			{"inclusion", "where it states the chances of a round, they are N numbers in [0, 1], " +
				"and the participants of 10,000 rounds agree with them (p ≥ 1e-4)",
				"ascending", statesInclusion},
		},
	}
}

// nature plays the rounds of one availability model, as the engine does.
type nature struct {
	reach  fl.AvailabilityInput
	stream fl.Stream
}

func newNature(s *subject[fl.Availability], stream fl.Stream) *nature {
	fixed := stream.At(-1, 0)
	return &nature{fl.AvailabilityInput{Roster: cloneRoster(s.toy.roster), State: fl.NewStore(),
		Fixed: fixed.Rand, Folders: s.options.Folders}, stream}
}

// play returns the clients available in round t.
func (n *nature) play(a fl.Availability, t int) []int {
	n.reach.Recycle()
	n.reach.Context, n.reach.Inclusion = fl.Matrix{}, nil
	n.reach.Phase, n.reach.Phases = 0, 0
	n.reach.T, n.reach.RNG = t, n.stream.At(t, 0).Rand()
	return slices.Clone(a.Available(&n.reach))
}

func availableAscend(s *subject[fl.Availability]) string {
	a, n := s.build(), newNature(s, s.stream("availability"))
	for t := range 200 {
		ids := n.play(a, t)
		switch err := n.reach.Failure(); {
		case missing(err):
			return unasked // and so is all else
		case err != nil:
			return at(whichRound(t), err.Error())
		}
		if broken := outOfOrder(ids); broken != "" {
			return at(whichRound(t), broken)
		}
	}
	return ""
}

func availableInspects(s *subject[fl.Availability]) string {
	try := func(folders []string) error {
		n := newNature(s, s.stream("availability"))
		n.reach.Folders = folders
		n.play(s.build(), 0)
		return n.reach.Failure()
	}
	return inspection(s, s.build(), missing(try(nil)), try(s.options.Folders) == nil)
}

func repeatsAvailable(s *subject[fl.Availability]) string {
	a, n := s.build(), newNature(s, s.stream("availability"))
	for t := range 20 {
		other := newNature(s, n.stream)
		other.reach.State = n.reach.State.(*fl.Store).Clone()
		first, second := n.play(a, t), other.play(s.build(), t)
		if !slices.Equal(first, second) {
			return fmt.Sprintf("%s: %v, and of a fresh instance %v", whichRound(t), first, second)
		}
	}
	if knows(a.Law(n.reach.Roster)) != knows(s.build().Law(n.reach.Roster)) {
		return "a fresh instance has another law"
	}
	return ""
}

func readsAvailability(s *subject[fl.Availability]) string {
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
	last := func(k int) (ids []int, phase int) {
		n := newNature(s, s.stream("availability").At(k, 1))
		for t := range rounds {
			ids = n.play(a, t)
		}
		return ids, n.reach.Phase
	}
	broken := disagree(&law, upTo(clients), func(k int) []int {
		ids, _ := last(k)
		return ids
	})
	for phase := 1; phase <= len(law.Phases) && broken == ""; phase++ {
		if law.Shares[phase-1] < leastShare {
			continue
		}
		k := 0
		broken = at(fmt.Sprintf("phase %d", phase), disagree(&law.Phases[phase-1], upTo(clients),
			func(int) []int {
				for {
					ids, in := last(k)
					if k++; in == phase || k > draws/leastShare {
						return ids
					}
				}
			}))
	}
	return broken
}

// leastShare is the share of rounds in a phase for draws to be looked for in it.
const leastShare = 0.02

// statesInclusion sums, over rounds of many runs, came − π: of each client it has mean zero and
// variance Σ π(1 − π), whatever the context that π depends on.
func statesInclusion(s *subject[fl.Availability]) string {
	const rounds = 4
	a := s.build()
	excess, variance := make(fl.Vector, clients), make(fl.Vector, clients)
	for k := range draws {
		n := newNature(s, s.stream("availability").At(k, 2))
		var ids []int
		for t := range 1 + k%rounds {
			ids = n.play(a, t)
		}
		pi := n.reach.Inclusion
		switch {
		case pi == nil:
			return ""
		case len(pi) != clients:
			return fmt.Sprintf("%d chances of %d clients", len(pi), clients)
		}
		for i, x := range pi {
			_, came := slices.BinarySearch(ids, i)
			if !(x >= 0 && x <= 1) || (x == 0 && came) || (x == 1 && !came) {
				return fmt.Sprintf("client %d came: %t, its chance was %v", i, came, x)
			}
			if came {
				excess[i]++
			}
			excess[i] -= x
			variance[i] += x * (1 - x)
		}
	}
	for i, e := range excess {
		// Two-sided: a p-value of 1e-4, shared by six clients.
		z := math.Abs(e) / math.Sqrt(variance[i]+1e-9)
		if distuv.UnitNormal.Survival(z) < doubt/clients/2 {
			return fmt.Sprintf("client %d came %.1f times more often than its chances say, "+
				"%.1f standard deviations", i, e, z)
		}
	}
	return ""
}
