package audit

import (
	"math"
	"sort"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// How many trainings are simulated. One of as many more from the same law lies among their middle
// 95 % with exactly that probability, because 5 % of the number plus one is a whole even number.
const (
	manyTrials  = 199
	fewTrials   = 39 // where many take long
	leastTrials = 8  // where nothing is to be compared with them, and they take longer
)

// Work of simulated trainings, in multiplications, up to which many are simulated, and a few; and
// rounds of aggregators that have to be asked anew in each.
const (
	mostForMany   = 100_000_000
	mostForFew    = 20_000_000_000
	mostToForesee = 200_000_000
	mostAsked     = 2_000
)

// replay simulates trainings by the linear recursion from e⁰, each with cohorts and weights of its
// own, and sets Trials to the means of above over the window. Where the level has no closed form,
// it is their mean. If training is to be compared with them, there are as many as that takes. It
// returns why it cannot be done, or "".
func (c *linearised) replay(
	l *Level, start fl.Vector, window []int, above func(fl.Vector) float64, compared bool,
) string {
	last := window[len(window)-1]
	work := float64(last) * (300 + c.rounds.law.Inclusion.Sum()*sq(float64(len(start))))
	trials := manyTrials
	if work*manyTrials > mostForMany {
		trials = fewTrials
	}
	if !compared {
		trials = min(trials, max(leastTrials, int(mostToForesee/work)))
		if !c.rounds.fixed {
			trials = min(trials, max(leastTrials, mostAsked/last))
		}
	}
	if work*float64(trials) > mostForFew {
		return tooLong(last, trials)
	}
	next := c.player(trials, last)
	e, after := start.Clone(), start.Clone()
	for r := range trials {
		copy(e, start)
		sum, seen := 0.0, 0
		visit := func(t int, cohort []int, weights fl.Vector) {
			for ; seen < len(window) && window[seen] <= t; seen++ {
				sum += above(e)
			}
			if len(cohort) > 0 {
				c.round(e, after, cohort, weights)
				e, after = after, e
			}
		}
		if c.err = next(r, visit); c.err != nil {
			return ""
		}
		visit(last, nil, nil)
		l.Trials = append(l.Trials, sum/float64(len(window)))
	}
	mean, square := 0.0, 0.0
	for _, x := range l.Trials {
		mean += x / float64(trials)
	}
	for _, x := range l.Trials {
		square += sq(x-mean) / float64(trials-1)
	}
	if !c.exact() {
		l.Noise, l.Error = mean-l.Start, math.Sqrt(square/float64(trials))
	}
	return ""
}

// A player visits the rounds of a play, with the weights of their cohorts. Those of empty rounds
// are nil.
type player func(r int, visit func(t int, cohort []int, weights fl.Vector)) error

// player returns how rounds are played: by the list of the law where its rounds are independent,
// otherwise as engines do, from the first round on.
func (c *linearised) player(trials, rounds int) player {
	k := c.rounds
	if k.list != nil && k.fixed && k.law.Memoryless {
		return c.fromList(rounds)
	}
	return func(r int, visit func(int, []int, fl.Vector)) error {
		probe := k.probe
		if !k.fixed {
			probe = k.newProbe()
		}
		see := func(turn engine.SimulatedRound) error {
			if len(turn.Cohort) == 0 {
				visit(turn.T, nil, nil)
				return nil
			}
			probe.see(turn)
			got, err := probe.read(turn.T, turn.Cohort)
			if err == nil {
				visit(turn.T, turn.Cohort, got.weights)
			}
			return err
		}
		return engine.Simulate(k.setup, k.world, 2+r, rounds, see)
	}
}

// fromList draws rounds from the list of a law.
func (c *linearised) fromList(rounds int) player {
	list := c.rounds.list
	upto := make(fl.Vector, len(list.q))
	sum := 0.0
	for j, q := range list.q {
		sum += q
		upto[j] = sum
	}
	streams := fl.NewStream(c.setup.Seed, "audit trials")
	return func(r int, visit func(int, []int, fl.Vector)) error {
		rng := streams.At(r, 0).Rand()
		for t := range rounds {
			if rng.Float64() >= c.present {
				visit(t, nil, nil)
				continue
			}
			j := min(sort.SearchFloat64s(upto, sum*rng.Float64()), len(upto)-1)
			from := 0
			if j > 0 {
				from = list.end[j-1]
			}
			visit(t, list.members[from:list.end[j]], list.weights[from:list.end[j]])
		}
		return nil
	}
}
