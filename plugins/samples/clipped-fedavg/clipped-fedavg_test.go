package clippedfedavg

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// Updates that are short enough are left alone: it is FedAvg.
func TestShortUpdates(t *testing.T) {
	for seed := range uint64(20) {
		r := trial.Cohort(trial.Random(seed), 8, 5)
		longest := 0.0
		for _, u := range r.Updates {
			longest = max(longest, u.Params.Distance(r.Global))
		}
		a := trial.Build(t, NormClipping, trial.Values{"threshold": longest * 1.0001})
		trial.Near(t, "nothing is clipped", trial.Next(t, a, r), trial.Mean(r, true))
	}
}

// No update counts for more than its threshold: it is the mean of clipped updates, goes no
// further than M, and a client that exaggerates gains nothing.
func TestLongUpdates(t *testing.T) {
	for seed := range uint64(20) {
		rng := trial.Random(seed)
		r := trial.Cohort(rng, 8, 5)
		threshold := 0.1 + 3*rng.Float64()
		clipped := make([]fl.Vector, 8)
		for k, u := range r.Updates {
			clipped[k] = u.Params.Clone()
			clipped[k].Sub(r.Global)
			clipped[k].Project(threshold)
			clipped[k].Add(r.Global)
		}
		a := trial.Build(t, NormClipping, trial.Values{"threshold": threshold})
		got := trial.Next(t, a, r)
		trial.Near(t, "the mean of clipped updates", got,
			trial.Mean(trial.Round(r.Global, clipped...), true))
		if d := got.Distance(r.Global); d > threshold*(1+1e-12) {
			t.Errorf("it goes %v, at most %v", d, threshold)
		}
	}
	r := trial.Cohort(trial.Random(7), 8, 5)
	a := trial.Build(t, NormClipping, trial.Values{"threshold": 0.5})
	before := trial.Next(t, a, r)
	last := r.Updates[7].Params // client 7 goes 1000 times as far in its direction
	last.Sub(r.Global)
	last.Scale(1000)
	last.Add(r.Global)
	if last.Distance(r.Global) < 500 {
		t.Fatal("client 7 does not exaggerate")
	}
	trial.Near(t, "client 7 exaggerates", trial.Next(t, a, r), before)
}
