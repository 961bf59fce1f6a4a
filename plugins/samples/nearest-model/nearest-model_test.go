package nearestmodel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// naive returns the clients by ascending score, as the paper defines it, for n > 2f + 2.
func naive(r *fl.Round, f int) []int {
	n := len(r.Updates)
	scores, order := make([]float64, n), make([]int, n)
	for i, u := range r.Updates {
		var squares []float64
		for j, v := range r.Updates {
			if i == j {
				continue
			}
			square := 0.0
			for c := range u.Params {
				square += (u.Params[c] - v.Params[c]) * (u.Params[c] - v.Params[c])
			}
			squares = append(squares, square)
		}
		slices.Sort(squares)
		for _, x := range squares[:n-f-2] {
			scores[i] += x
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] < scores[b] {
			return -1
		}
		return 1
	})
	return order
}

// cohort returns a round of n > 2f + 2 clients, of which the first f are far away.
func cohort(rng *rand.Rand) (r *fl.Round, f int) {
	f = rng.IntN(4)
	r = trial.Cohort(rng, 2*f+3+rng.IntN(5), 6)
	for _, u := range r.Updates[:f] {
		u.Params.AddConst(100)
	}
	return r, f
}

// Krum returns the model of least score, which is that of no faulty client; Multi-Krum the mean
// of the m best.
func TestLeastScore(t *testing.T) {
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		r, f := cohort(rng)
		m := 1 + rng.IntN(len(r.Updates))
		order := naive(r, f)
		one := trial.Build(t, Krum, trial.Values{"f": int64(f)})
		several := trial.Build(t, MultiKrum, trial.Values{"f": int64(f), "m": int64(m)})
		got := trial.Next(t, one, r)
		trial.Near(t, "Krum", got, r.Updates[order[0]].Params)
		if order[0] < f {
			t.Errorf("client %d of %d faulty ones was chosen", order[0], f)
		}
		var best []fl.Vector
		for _, k := range order[:m] {
			best = append(best, r.Updates[k].Params)
		}
		trial.Near(t, "Multi-Krum", trial.Next(t, several, r),
			trial.Mean(trial.Round(r.Global, best...), false))
	}
}

// The cases m = 1 and m = n are Krum and averaging; without an m it is n − f.
func TestEndsOfMultiKrum(t *testing.T) {
	r, f := cohort(trial.Random(3))
	n := len(r.Updates)
	multi := func(m int) fl.Vector {
		return trial.Next(t, trial.Build(t, MultiKrum,
			trial.Values{"f": int64(f), "m": int64(m)}), r)
	}
	one := trial.Build(t, Krum, trial.Values{"f": int64(f)})
	trial.Near(t, "m = 1", multi(1), trial.Next(t, one, r))
	trial.Near(t, "m = n", multi(n), trial.Mean(r, false))
	trial.Near(t, "m > n", multi(n+5), trial.Mean(r, false))
	trial.Near(t, "no m", multi(0), multi(n-f))
}

// Of equal scores the smaller number wins, wherever it stands.
func TestTies(t *testing.T) {
	r := trial.Cohort(trial.Random(1), 2, 3)
	slices.Reverse(r.Updates)
	got := trial.Next(t, trial.Build(t, Krum, nil), r)
	trial.Near(t, "of two", got, r.Updates[1].Params)
	if notes := r.Notes.List(); len(notes) != 1 || !strings.Contains(notes[0], "too small") {
		t.Errorf("notes of two clients with f = 1: %q", notes)
	}
}
