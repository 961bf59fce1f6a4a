package contract

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/registry"
)

func selections() exam[fl.Selection] {
	type s = *subject[fl.Selection]
	return exam[fl.Selection]{
		of: registry.Selections(),
		checks: []check[s]{
			{"subset", "Select returns some of those available", "", selectsSome},
			{"ascending", "Select returns clients of the population, ascending",
				"subset", selectsAscending},
			{"lone-client", "where one client is available, Select returns it or none, and Law " +
				"says so", "", selectsOne},
			{"repeatable", "a fresh instance with the same stream and State gives the same bits, " +
				"and the same Law", "subset", repeatsSelection},
			{readOnly, "neither Select nor Law modifies the Roster, those available or an Update " +
				"of Told", "subset", readsDraw},
			{"law", "cohorts are non-empty, ascending, distinct and available, their " +
				"probabilities sum to 1, and inclusion probabilities lie in [0, 1] and follow " +
				"from them", "", selectionLaw},
			{"said", "Times and Expected are those of the cohort, where they are set at all: of " +
				"each client how often it is counted, at least once and more only where the " +
				"entry says Repeats, and how often that was to be expected, which is positive",
				"subset", selectsSaid},
			{"counted", "in 10,000 draws the mean of Times over Expected of a client is 1, and " +
				"that of Times is the law's, within 5 standard errors", "said", countsAsStated},
			{"draws", "10,000 draws agree with the cohort distribution (Law) (p ≥ 1e-4)",
				"law", selectionDraws},
		},
	}
}

// server plays the rounds of one selection mechanism, as the engine does. Clients that took part
// told something, by the traits.
type server struct {
	draw   fl.SelectionInput
	stream fl.Stream
	traits fl.SelectionTraits
	told   map[int]fl.Report
}

func newServer(s *subject[fl.Selection], stream fl.Stream) *server {
	in := fl.SelectionInput{Roster: cloneRoster(s.toy.roster), State: fl.NewStore(),
		Shared: fl.NewStore()}
	v := &server{in, stream, fl.TraitsOf[fl.SelectionTraits](s.entry), map[int]fl.Report{}}
	v.draw.Told = func(i int) fl.Report {
		if r, ok := v.told[i]; ok {
			return r
		}
		return fl.Unreported()
	}
	return v
}

// tell notes that clients took part in round t.
func (v *server) tell(t int, cohort []int) {
	of := v.traits
	for _, i := range cohort {
		r, rng := fl.Unreported(), v.stream.At(t, 1+i).Rand()
		if of.Rounds || of.Losses || of.Norms || of.SquaredLosses ||
			of.Seconds || of.Updates {
			r.Round = t
		}
		for _, told := range []struct {
			asked bool
			x     *float64
		}{{of.Losses, &r.Loss}, {of.Norms, &r.Norm}, {of.SquaredLosses, &r.RMS},
			{of.Seconds, &r.Seconds}} {
			if x := rng.ExpFloat64(); told.asked {
				*told.x = x
			}
		}
		if of.Updates {
			r.Update = normals(rng, 4, 1)
		}
		v.told[i] = r
	}
}

// play returns the clients selected in round t.
func (v *server) play(c fl.Selection, t int, available []int) []int {
	v.draw.Recycle()
	v.draw.T, v.draw.Available = t, slices.Clone(available)
	v.draw.RNG = v.stream.At(t, 0).Rand()
	cohort := slices.Clone(c.Select(&v.draw))
	v.tell(t, cohort)
	return cohort
}

// crowds returns every set of two and more clients that may be available.
func crowds() [][]int {
	var all [][]int
	for k := 2; k <= clients; k++ {
		all = append(all, stats.Subsets(clients, k)...)
	}
	return all
}

// selects asks about the cohort of every crowd, one after another.
func selects(s *subject[fl.Selection], ask func(cohort, available []int) string) string {
	c, v := s.build(), newServer(s, s.stream("selection"))
	for t, available := range crowds() {
		if broken := ask(v.play(c, t, available), available); broken != "" {
			return at(fmt.Sprintf("of %v", available), broken)
		}
	}
	return ""
}

func selectsSome(s *subject[fl.Selection]) string {
	return selects(s, func(cohort, available []int) string {
		if !within(cohort, available) {
			return fmt.Sprintf("%v are selected", cohort)
		}
		return ""
	})
}

func selectsAscending(s *subject[fl.Selection]) string {
	return selects(s, func(cohort, _ []int) string { return outOfOrder(cohort) })
}

func selectsOne(s *subject[fl.Selection]) string {
	c, v := s.build(), newServer(s, s.stream("selection"))
	for i := range clients {
		lone := []int{i}
		if cohort := v.play(c, i, lone); len(cohort) > 0 && !slices.Equal(cohort, lone) {
			return fmt.Sprintf("of %v, %v are selected", lone, cohort)
		}
		if law, ok := c.Law(v.draw.Roster, slices.Clone(lone)); ok {
			if broken := malformed(&law, lone); broken != "" {
				return at(fmt.Sprintf("law of %v", lone), broken)
			}
		}
	}
	return ""
}

func repeatsSelection(s *subject[fl.Selection]) string {
	c, v := s.build(), newServer(s, s.stream("selection"))
	for t, available := range crowds() {
		other := newServer(s, v.stream)
		other.draw.State = v.draw.State.(*fl.Store).Clone()
		other.draw.Shared = v.draw.Shared.(*fl.Store).Clone()
		other.told = maps.Clone(v.told)
		first, second := v.play(c, t, available), other.play(s.build(), t, available)
		if !slices.Equal(first, second) || !slices.Equal(v.draw.Times, other.draw.Times) ||
			!slices.Equal(v.draw.Expected, other.draw.Expected) {
			return fmt.Sprintf("of %v: %v, and of a fresh instance %v", available, first, second)
		}
		pop := v.draw.Roster
		if knows(c.Law(pop, available)) != knows(s.build().Law(pop, available)) {
			return fmt.Sprintf("of %v: a fresh instance has another law", available)
		}
	}
	return ""
}

func readsDraw(s *subject[fl.Selection]) string {
	c, v := s.build(), newServer(s, s.stream("selection"))
	before, after := newDigest(), newDigest()
	before.roster(v.draw.Roster)
	for t, available := range crowds() {
		told := newDigest()
		told.reports(v.told)
		was := maps.Clone(v.told) // what is told afterwards are other vectors
		v.play(c, t, available)
		c.Law(v.draw.Roster, v.draw.Available)
		if !slices.Equal(v.draw.Available, available) {
			return "Available changed"
		}
		now := newDigest()
		if now.reports(was); now.sum() != told.sum() {
			return "an Update of Told changed"
		}
	}
	after.roster(v.draw.Roster)
	if before.sum() != after.sum() {
		return "the Roster changed"
	}
	return ""
}

func selectionLaw(s *subject[fl.Selection]) string {
	c := s.build()
	for _, available := range crowds() {
		if law, ok := c.Law(cloneRoster(s.toy.roster), slices.Clone(available)); ok {
			if broken := malformed(&law, available); broken != "" {
				return at(fmt.Sprintf("of %v", available), broken)
			}
		}
	}
	return ""
}

// selectionDraws takes the last of a few rounds, as availableDraws does.
func selectionDraws(s *subject[fl.Selection]) string {
	const rounds = 4
	c := s.build()
	for _, available := range [][]int{upTo(clients), {0, 2, 3, 5}, {1, 4}} {
		law, ok := c.Law(cloneRoster(s.toy.roster), slices.Clone(available))
		if !ok {
			continue
		}
		broken := disagree(&law, available, func(k int) (ids []int) {
			v := newServer(s, s.stream("selection").At(k, 1))
			for t := range rounds {
				ids = v.play(c, t, available)
			}
			return ids
		})
		if broken != "" {
			return at(fmt.Sprintf("of %v", available), broken)
		}
	}
	return ""
}
