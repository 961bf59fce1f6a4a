package contract

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/registry"
)

func untold(*fl.Roster) (fl.Law, bool)                { return fl.Law{}, false }
func untoldOf(pop *fl.Roster, _ []int) (fl.Law, bool) { return untold(pop) }

// reaching is an availability model of two functions.
func reaching(breaks, found string, available func(r *fl.AvailabilityInput) []int,
	law func(pop *fl.Roster) (fl.Law, bool)) citizen[fl.Availability] {
	return made(breaks, found, func() fl.Availability { return availability{available, law} })
}

// claiming tosses coins and claims a law that is made from theirs.
func claiming(breaks, found string, change func(l *fl.Law)) citizen[fl.Availability] {
	return reaching(breaks, found, func(r *fl.AvailabilityInput) []int { return toss(r, 0.5) },
		func(pop *fl.Roster) (fl.Law, bool) {
			law := tossed(pop.N, 0.5)
			change(&law)
			return law, true
		})
}

// listing63 lists the law of coins.
func listing63(l *fl.Law) {
	sets, q, empty := stats.BernoulliLaw(l.Chance)
	q.Scale(1 / q.Sum())
	l.Sets, l.Q, l.Empty, l.Chance = sets, q, empty, nil
}

// Of a model that lacks a file nothing is asked.
func TestAvailabilityWithoutItsFile(t *testing.T) {
	var r registry.Registry
	err := r.Availability.Add(fl.AvailabilityEntry{Name: "lacking", Summary: "lacks a file",
		New: func(*fl.Params) (fl.Availability, error) {
			return availability{func(r *fl.AvailabilityInput) []int {
				_, err := data.Locate(r.Folders, "lacking", "no-such-file")
				r.Fail(err)
				return []int{-1}
			}, untold}, nil
		}, Inspect: func(_ fl.Availability, i *fl.Inspection) { i.Lack("name", "no-such-file") }})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Examine(&r, Options{Folders: []string{t.TempDir()}, Seed: 1}) {
		t.Error(v)
	}
}

func TestBadAvailability(t *testing.T) {
	calls := 0
	everyone := func(r *fl.AvailabilityInput) []int { return r.Everyone() }
	unread := reaching("inspects", "it reads files, and has no Inspect", func(r *fl.AvailabilityInput) []int {
		if r.Folders == nil {
			_, err := data.Locate(nil, "lacking", "no-such-file")
			r.Fail(err)
		}
		return r.Everyone()
	}, untold)
	catches(t, availabilities(), availabilities().checks, []citizen[fl.Availability]{
		unread,
		reaching("ascending", "round T = 0: [5 4 3 2 1 0] are not ascending", func(r *fl.AvailabilityInput) []int {
			ids := slices.Clone(r.Everyone())
			slices.Reverse(ids)
			return ids
		}, untold),
		reaching("ascending", "[0 0]", func(*fl.AvailabilityInput) []int { return []int{0, 0} }, untold),
		reaching("ascending", "[6]", func(r *fl.AvailabilityInput) []int { return []int{r.Roster.N} }, untold),
		reaching("ascending", "[-1]", func(*fl.AvailabilityInput) []int { return []int{-1} }, untold),

		reaching("ascending", "round T = 0: out of sorts", func(r *fl.AvailabilityInput) []int {
			r.Fail(errors.New("out of sorts"))
			return nil
		}, untold),

		made("repeatable", "round T = 1: [1], and of a fresh instance [0]", func() fl.Availability {
			rounds := -1
			return availability{func(r *fl.AvailabilityInput) []int {
				rounds++
				return append(r.Room(1), rounds%r.Roster.N)
			}, untold}
		}),
		reaching("repeatable", "another law", everyone, func(*fl.Roster) (fl.Law, bool) {
			calls++
			return fl.Law{Everyone: true, Draws: calls}, true
		}),

		reaching("read-only", "the Roster changed", func(r *fl.AvailabilityInput) []int {
			r.Roster.Samples[0] = 0
			return r.Everyone()
		}, untold),
		reaching("read-only", "the Roster changed", everyone, func(pop *fl.Roster) (fl.Law, bool) {
			pop.Importance.Scale(2)
			return fl.Law{}, false
		}),
		reaching("read-only", "Everyone changed", func(r *fl.AvailabilityInput) []int {
			if all := r.Everyone(); r.T == 19 {
				all[0] = 0
				all[1] = 0
			}
			return r.Everyone()[2:]
		}, untold),

		claiming("law", "Empty is NaN", func(l *fl.Law) { l.Empty = math.NaN() }),
		claiming("law", "neither exact nor estimated", func(l *fl.Law) { l.Exact = false }),
		claiming("law", "5 chances for 6 clients", func(l *fl.Law) { l.Chance = l.Chance[:5] }),
		claiming("law", "the chance of client 2 is 1.5", func(l *fl.Law) { l.Chance[2] = 1.5 }),
		claiming("law", "cohorts of 7 clients cannot come", func(l *fl.Law) { l.Size = 7 }),
		claiming("law", "cohorts of 1 clients cannot come", func(l *fl.Law) {
			l.Chance[0], l.Chance[1], l.Size = 1, 1, 1
		}),
		claiming("law", "cohorts of 0 clients cannot come", func(l *fl.Law) { clear(l.Chance) }),
		claiming("law", "there are no inclusion probabilities", func(l *fl.Law) {
			l.Inclusion = nil
		}),
		claiming("law", "1 inclusion probabilities for 6 clients", func(l *fl.Law) {
			l.Inclusion = l.Inclusion[:1]
		}),
		claiming("law", "the inclusion probability of client 4 is 1.01", func(l *fl.Law) {
			l.Inclusion[4] = 1.01
		}),
		claiming("law", "element 4 is 0.4 against 0.5", func(l *fl.Law) { l.Inclusion[4] = 0.4 }),
		// Given that the round is not empty, 32/63 of the cohorts have client 0.
		claiming("law", "element 0 is 0.5 against 0.507", func(l *fl.Law) { l.Empty = 0 }),
		claiming("law", "62 probabilities for 63 cohorts", func(l *fl.Law) {
			listing63(l)
			l.Q = l.Q[1:]
		}),
		claiming("law", "a cohort is empty", func(l *fl.Law) {
			listing63(l)
			l.Sets[0] = nil
		}),
		claiming("law", "[1 0] are not ascending", func(l *fl.Law) {
			listing63(l)
			l.Sets[6] = []int{1, 0}
		}),
		claiming("law", "cohort [0] is listed twice", func(l *fl.Law) {
			listing63(l)
			l.Sets[1] = []int{0}
		}),
		claiming("law", "cohort [0] has probability -0.1", func(l *fl.Law) {
			listing63(l)
			l.Q[0] = -0.1
		}),
		claiming("law", "sum to 0.98", func(l *fl.Law) {
			listing63(l)
			l.Q[0] = 0
		}),
		claiming("law", "cohort [0] has probability NaN", func(l *fl.Law) {
			listing63(l)
			l.Q[0] = math.NaN()
		}),

		claiming("draws", "χ² is", func(l *fl.Law) { *l = tossed(clients, 0.45) }),
		claiming("draws", "χ² is +Inf", func(l *fl.Law) {
			*l = fl.Law{Everyone: true, Exact: true}
		}),
		// Every client comes with the right chance, but not independently.
		claiming("draws", "χ² is", func(l *fl.Law) {
			*l = fl.Law{Sets: [][]int{{0, 1, 2}, {3, 4, 5}}, Q: fl.Vector{0.5, 0.5}, Exact: true}
		}),
		claiming("draws", "client 3 came in a share", func(l *fl.Law) {
			*l = fl.Law{Inclusion: fl.Vector{0.5, 0.5, 0.5, 0.54, 0.5, 0.5}, Exact: true}
		}),
		claiming("draws", "its inclusion probability is 0.0000", func(l *fl.Law) {
			*l = fl.Law{Inclusion: fl.Vector{0.5, 0, 0.5, 0.5, 0.5, 0.5}, Exact: true}
		}),
		claiming("draws", "its inclusion probability is 1.0000", func(l *fl.Law) {
			*l = fl.Law{Inclusion: fl.Vector{0.5, 1, 0.5, 0.5, 0.5, 0.5}, Exact: true}
		}),
		claiming("law", "1 shares of 0 phases", func(l *fl.Law) { l.Shares = fl.Vector{1} }),
		claiming("law", "of the mixture of phases 0.00986", func(l *fl.Law) {
			l.Phases, l.Shares = []fl.Law{tossed(6, 0.5), tossed(6, 0.6)}, fl.Vector{0.5, 0.5}
		}),
		claiming("law", "and those of the phases", func(l *fl.Law) {
			l.Phases = []fl.Law{tossed(6, 0.5), {Inclusion: equal(6, 0.6), Empty: 1. / 64, Exact: true}}
			l.Shares = fl.Vector{0.5, 0.5}
		}),
		claiming("law", "the shares of phases sum to 0.8", func(l *fl.Law) {
			l.Phases, l.Shares = []fl.Law{tossed(6, 0.5), tossed(6, 0.5)}, fl.Vector{0.5, 0.3}
		}),
		// The first round is as claimed; what it leaves in State spoils those that follow.
		reaching("draws", "χ² is", func(r *fl.AvailabilityInput) []int {
			worn := r.State.Vector("worn", 1)
			worn[0] += 0.02
			return toss(r, 0.5-worn[0])
		}, func(pop *fl.Roster) (fl.Law, bool) { return tossed(pop.N, 0.48), true }),

		reaching("inclusion", "5 chances of 6", func(r *fl.AvailabilityInput) []int {
			r.Inclusion = equal(5, 0.5)
			return toss(r, 0.5)
		}, untold),
		reaching("inclusion", "came: true, its chance was 0", func(r *fl.AvailabilityInput) []int {
			r.Inclusion = equal(6, 0)
			return toss(r, 0.5)
		}, untold),
		reaching("inclusion", "standard deviations", func(r *fl.AvailabilityInput) []int {
			r.Inclusion = equal(6, 0.53)
			return toss(r, 0.5)
		}, untold),
	})
}

// choosing is a selection mechanism of two functions.
func choosing(breaks, found string, choose func(d *fl.SelectionInput) []int,
	law func(pop *fl.Roster, available []int) (fl.Law, bool)) citizen[fl.Selection] {
	return made(breaks, found, func() fl.Selection { return selection{choose, law} })
}

func TestBadSelections(t *testing.T) {
	everybody := func(d *fl.SelectionInput) []int { return d.Available }
	catches(t, selections(), selections().checks, []citizen[fl.Selection]{
		choosing("subset", "of [1 2]: [0] are selected", func(d *fl.SelectionInput) []int {
			if len(d.Available) == 1 {
				return d.Available
			}
			return []int{0}
		}, untoldOf),
		choosing("subset", "panic: ", func(d *fl.SelectionInput) []int {
			if len(d.Available) > 3 {
				panic("a crowd")
			}
			return d.Available
		}, untoldOf),

		choosing("ascending", "of [0 1]: [1 0] are not ascending", func(d *fl.SelectionInput) []int {
			ids := slices.Clone(d.Available)
			slices.Reverse(ids)
			return ids
		}, untoldOf),

		choosing("lone-client", "of [0], [0 0] are selected", func(d *fl.SelectionInput) []int {
			if len(d.Available) == 1 {
				return []int{d.Available[0], d.Available[0]}
			}
			return d.Available
		}, untoldOf),
		choosing("lone-client", "panic: ", func(d *fl.SelectionInput) []int {
			_ = d.Available[1]
			return d.Available
		}, untoldOf),
		choosing("lone-client", "law of [0]", everybody, func(_ *fl.Roster, available []int) (fl.Law, bool) {
			if len(available) == 1 {
				return fl.Law{Sets: [][]int{{0, 1}}, Q: fl.Vector{1}, Exact: true}, true
			}
			return fl.Law{Everyone: true, Exact: true}, true
		}),

		made("repeatable", "of [0 2]: [2], and of a fresh instance [0]", func() fl.Selection {
			rounds := -1
			return selection{func(d *fl.SelectionInput) []int {
				rounds++
				return append(d.Room(1), d.Available[rounds%len(d.Available)])
			}, untoldOf}
		}),
		made("repeatable", "a fresh instance has another law", func() fl.Selection {
			asked := 0
			return selection{everybody, func(*fl.Roster, []int) (fl.Law, bool) {
				asked++
				return fl.Law{Everyone: true, Draws: asked}, true
			}}
		}),

		choosing("read-only", "Available changed", func(d *fl.SelectionInput) []int {
			ids := slices.Clone(d.Available)
			slices.Reverse(d.Available)
			return ids
		}, untoldOf),
		choosing("read-only", "the Roster changed", func(d *fl.SelectionInput) []int {
			d.Roster.Samples[5]++
			return d.Available
		}, untoldOf),
		{"read-only", "an Update of Told changed", fl.SelectionEntry{
			New: func(*fl.Params) (fl.Selection, error) {
				return selection{func(d *fl.SelectionInput) []int {
					d.Told(d.Available[0]).Update.Scale(2)
					return d.Available
				}, untoldOf}, nil
			}, Traits: fl.SelectionTraits{Updates: true}}},

		choosing("law", "of [0 1]: there are no inclusion probabilities", everybody,
			func(_ *fl.Roster, available []int) (fl.Law, bool) {
				if len(available) == 1 {
					return fl.Law{Everyone: true, Exact: true}, true
				}
				return fl.Law{Exact: true}, true
			}),
		choosing("law", "of [0 2]: the inclusion probability of client 1 is 0.5", someTwo,
			func(pop *fl.Roster, available []int) (fl.Law, bool) {
				law, _ := lawOfTwo(pop, available)
				if len(available) == 2 && available[1] == 2 {
					law.Inclusion[1] = 0.5
				}
				return law, true
			}),
		choosing("law", "cohort [0 1] is not part of those available", someTwo,
			func(pop *fl.Roster, available []int) (fl.Law, bool) {
				if len(available) == 3 {
					return fl.Law{Sets: [][]int{{0, 1}}, Q: fl.Vector{1}, Exact: true}, true
				}
				return lawOfTwo(pop, available)
			}),

		choosing("said", "of [0 1]: 1 Times for 2 clients", func(d *fl.SelectionInput) []int {
			d.Times = []int{1}
			return d.Available
		}, untoldOf),
		choosing("said", "its traits do not say Repeats", func(d *fl.SelectionInput) []int {
			d.Times = slices.Repeat([]int{2}, len(d.Available))
			return d.Available
		}, untoldOf),
		choosing("counted", "of [0 1 2 3 4 5]: Times over Expected of client", func(d *fl.SelectionInput) []int {
			d.Expected = equal(min(2, len(d.Available)), 0.4)
			return someTwo(d)
		}, untoldOf),
		choosing("counted", "the law expects 0.5", someTwo, func(pop *fl.Roster, available []int) (fl.Law, bool) {
			law, _ := lawOfTwo(pop, available)
			if len(available) == clients {
				law.Expected = equal(clients, 0.5)
			}
			return law, true
		}),

		choosing("draws", "of [0 1 2 3 4 5]: χ² is", func(d *fl.SelectionInput) []int {
			if len(d.Available) < 3 {
				return d.Available
			}
			if d.RNG.IntN(8) == 0 { // a little more often than it should be
				return append(d.Room(2), d.Available[:2]...)
			}
			return someTwo(d)
		}, lawOfTwo),
	})
}
