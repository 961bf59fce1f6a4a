package verdict_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// losses adds a method to a world without a sweep: its loss, what is a hundred less that, and a
// cost, by seed.
func (w *world) losses(label string, values ...float64) {
	var seeds [][]engine.Series
	for _, x := range values {
		seeds = append(seeds, falling(x))
	}
	w.add(label, "", [][][]engine.Series{seeds})
}

// diverging has methods of which some diverge: with every seed, with some, or with an error.
func diverging(n int) *world {
	w := newWorld("")
	nan := math.NaN()
	good, bad := make([]float64, n), make([]float64, n)
	lost, some, once := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		good[i], bad[i] = 5+float64(i%3)/10, 7+float64(i%4)/10
		lost[i], some[i], once[i] = nan, 5.01+float64(i%2)/10, 7
		if i%2 == 0 {
			some[i] = math.Inf(1)
		}
	}
	once[0] = nan
	w.losses("good", good...)
	w.losses("bad", bad...)
	w.losses("lost", lost...)
	w.losses("some", some...)
	w.losses("once", once...)
	w.add("error", "", [][][]engine.Series{make([][]engine.Series, n)})
	for _, id := range w.IDs {
		if strings.HasPrefix(id, "error") {
			w.Failures[id] = "client 3: the update has NaN or Inf: local training diverged; lower it"
		}
	}
	return w
}

// What diverges is worse than what does not, by more than any margin, where enough seeds say so.
func TestDivergedMethodsAreJudged(t *testing.T) {
	for _, c := range []struct {
		holds string
		n     int
		want  verdict.Outcome
		why   string
	}{
		{"better(good, lost, loss)", 6, verdict.Holds,
			"good − lost in loss: lost diverged with 6 of 6 seeds; p = 0.031"},
		{"better(good, lost, loss)", 5, verdict.Undecided, "good − lost in loss: lost diverged with " +
			"5 of 5 seeds; p = 0.062; about 6 seeds would decide (power 80 %)"},
		{"better(good, lost, loss)", 2, verdict.Undecided, "2 seeds: a test takes at least 3"},
		{"better(good, lost, accuracy, by = 90)", 6, verdict.Holds, "lost diverged with 6 of 6"},
		{"better(good, lost, loss, by = 50 %)", 6, verdict.Holds, "p = 0.031"},
		{"better(good, lost, accuracy, by = 50 %)", 6, verdict.Holds, "p = 0.031"},
		{"better(lost, good, loss)", 6, verdict.Refuted, "lost diverged with 6 of 6 seeds"},
		{"worse(lost, good, accuracy)", 8, verdict.Holds, "lost diverged with 8 of 8 seeds"},
		{"worse(error, good, loss)", 6, verdict.Holds, "error diverged with 6 of 6 seeds; p = 0.031"},
		{"order(good > bad > lost, loss)", 8, verdict.Holds, "bad − lost in loss: lost diverged"},
		{"better(lost, error, loss)", 8, verdict.Undecided, "lost − error in loss: lost diverged with " +
			"8 of 8 seeds, error diverged with 8 of 8 seeds; p = 1"},
		{"better(good, once, loss)", 8, verdict.Holds, "once diverged with 1 of 8 seeds; p = 0.0078"},
		{"better(good, some, loss, by = 1)", 8, verdict.Undecided, "some diverged with 4 of 8 seeds"},
		{"equivalent(good, lost, loss, within = 10 %)", 7, verdict.Refuted, "lost diverged with 7 of 7"},
		{"equivalent(lost, good, accuracy, within = 10 %)", 7, verdict.Refuted, "p = 0.031"},
		{"equivalent(lost, error, loss, within = 1)", 8, verdict.Undecided, "p = 1"},
		{"value(lost, loss, >= 10)", 6, verdict.Holds, "loss of lost: lost diverged with 6 of 6"},
		{"value(lost, accuracy, >= 10)", 6, verdict.Refuted, "accuracy of lost: lost diverged"},
		{"better(good, lost, upload)", 6, verdict.Undecided,
			"lost diverged in 6 of 6 training runs: no finite number"},
		{"value(good - lost, loss, <= 0)", 6, verdict.Undecided, "lost diverged in 6 of 6"},
		{"better(good - error, good - bad, loss)", 6, verdict.Undecided, "error diverged in 6 of 6"},
		{"better(good, bad, loss)", 6, verdict.Holds, "good − bad in loss = −2"},
	} {
		w := diverging(c.n)
		v := verdict.Judge(&w.Input, []study.Claim{claimed(t, w, c.holds)})[0]
		if v.Verdict != c.want || !strings.Contains(v.Why, c.why) {
			t.Errorf("%s with %d seeds: %s: %s", c.holds, c.n, v.Verdict, v.Why)
		}
		if (v.Test == "sign test") != strings.Contains(v.Why, "diverged with") && v.Test != "" {
			t.Errorf("%s: tested by %s", c.holds, v.Test)
		}
	}
}

// Of methods that diverge equally often, and are equal otherwise, at most 5 % of verdicts are wrong.
func TestFalseVerdictsOfDiverging(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 26))
	for _, share := range []float64{0.1, 0.5, 0.9} {
		for _, holds := range []string{"better(A, B, loss)", "equivalent(A, B, loss, within = 2)"} {
			wrong := 0
			for range trials {
				w := newWorld("")
				for m, label := range []string{"A", "B"} {
					values := make([]float64, 8)
					for i := range values {
						values[i] = 10 + rng.NormFloat64()
						if holds[0] == 'e' { // on the edge
							values[i] += 2 * float64(m)
						}
						if rng.Float64() < share {
							values[i] = math.NaN()
						}
					}
					w.losses(label, values...)
				}
				v := verdict.Judge(&w.Input, []study.Claim{claimed(t, w, holds)})[0].Verdict
				if v == verdict.Holds || holds[0] == 'b' && v == verdict.Refuted {
					wrong++
				}
			}
			atMost(t, holds, wrong)
		}
	}
}
