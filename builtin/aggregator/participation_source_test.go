package aggregator

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A server of the authors' codes moves a model in a round, given what all clients would change and
// which of them participate.
type authors func(theta fl.Vector, deltas []fl.Vector, present []bool)

// fedauCode is IBM/fedau, main.py: every client has a list of its intervals and counts the rounds in
// which it was absent. Its update is multiplied by the mean of the list, if there is one, before the
// interval that ends now joins it; where it is absent for K_c rounds the list gets K_c and the count
// begins anew. The sum is divided by the number of all clients.
func fedauCode(n, cutoff int, rate float64) authors {
	intervals, absent := make([][]int, n), make([]int, n)
	return func(theta fl.Vector, deltas []fl.Vector, present []bool) {
		sum := make(fl.Vector, len(theta))
		for i := range n {
			if !present[i] {
				if absent[i]++; absent[i] >= cutoff {
					intervals[i] = append(intervals[i], absent[i])
					absent[i] = 0
				}
				continue
			}
			weight := 1.0
			if len(intervals[i]) > 0 {
				weight = 0
				for _, rounds := range intervals[i] {
					weight += float64(rounds)
				}
				weight /= float64(len(intervals[i]))
			}
			sum.AddScaled(weight, deltas[i])
			intervals[i] = append(intervals[i], absent[i]+1)
			absent[i] = 0
		}
		theta.AddScaled(rate/float64(n), sum)
	}
}

// fedvarpCode is the same file's FedVARP: an update less the one of before is summed and divided by
// the number of participants, and the mean of all stored updates as it was after the round before is
// added; without participants nothing moves.
func fedvarpCode(n, size int, rate float64) authors {
	stored, mean := make([]fl.Vector, n), make(fl.Vector, size)
	for i := range stored {
		stored[i] = make(fl.Vector, size)
	}
	return func(theta fl.Vector, deltas []fl.Vector, present []bool) {
		sum, came := make(fl.Vector, size), 0.0
		for i := range n {
			if present[i] {
				sum.Add(deltas[i])
				sum.Sub(stored[i])
				copy(stored[i], deltas[i])
				came++
			}
		}
		if came == 0 {
			return
		}
		theta.AddScaled(rate/came, sum)
		theta.AddScaled(rate, mean)
		clear(mean)
		for i := range n {
			mean.AddScaled(1/float64(n), stored[i])
		}
	}
}

// mifaCode is hmgxr128/MIFA_code, src/trainers/fdu_no_wait.py: the table has updates over the rate of
// the round in which they were made, and zeros at first; the model moves by the present rate times
// the sum of the table over the number of all clients. There, rounds without participants move it,
// too, by what the table holds, which is our departure.
func mifaCode(n, size int, rate func(round int) float64) authors {
	table, round := make([]fl.Vector, n), -1
	for i := range table {
		table[i] = make(fl.Vector, size)
	}
	return func(theta fl.Vector, deltas []fl.Vector, present []bool) {
		round++
		came := false
		for i := range n {
			if present[i] {
				came = true
				copy(table[i], deltas[i])
				table[i].Scale(1 / rate(round))
			}
		}
		for i := range n {
			if came {
				theta.AddScaled(rate(round)/float64(n), table[i])
			}
		}
	}
}

// Over many rounds MIFA, FedVARP and FedAU move as the authors' codes do, IBM/fedau and
// hmgxr128/MIFA_code, whose facts are written down again in plain loops of our own.
//
//hansa:verifies source aggregator/mifa aggregator/fedvarp aggregator/fedau
func TestParticipationAgreesWithTheAuthorsCode(t *testing.T) {
	const size, rounds = 3, 120
	rng := rand.New(rand.NewPCG(14, 15))
	for trial := range 40 {
		n, cutoff := 2+rng.IntN(6), 1+rng.IntN(9)
		h := attended{Start: normal(rng, size)}
		chance := make(fl.Vector, n)
		for i := range chance {
			chance[i] = 0.05 + 0.9*rng.Float64()
		}
		for range rounds {
			var cohort []int
			for i, x := range chance {
				if rng.Float64() < x {
					cohort = append(cohort, i)
				}
			}
			h.Cohorts, h.Deltas = append(h.Cohorts, cohort), append(h.Deltas, models(rng, n, size))
		}
		local := fl.Schedule{First: 0.1, Form: "step", Gamma: 0.5, Period: 40}
		for name, x := range map[string]struct {
			e      fl.AggregatorEntry
			given  map[string]any
			period int
			code   authors
		}{
			"FedAU": {FedAU, map[string]any{"cutoff": float64(cutoff), "server_rate": 0.3}, 0,
				fedauCode(n, cutoff, 0.3)},
			"FedVARP": {FedVARP, map[string]any{"server_rate": 0.3}, 0, fedvarpCode(n, size, 0.3)},
			"MIFA":    {MIFA, nil, 40, mifaCode(n, size, local.At)},
		} {
			h.Given, h.Period = x.given, x.period
			theta := h.Start.Clone()
			for round, got := range h.follow(t, x.e) {
				present := make([]bool, n)
				for _, i := range h.Cohorts[round] {
					present[i] = true
				}
				x.code(theta, h.Deltas[round], present)
				if d := got.Distance(theta); !(d < 1e-11*(1+theta.Norm())) {
					t.Fatalf("trial %d, %s: round %d is %v away", trial, name, round, d)
				}
			}
		}
	}
}
