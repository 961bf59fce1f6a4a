package noisysum

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// Without noise, with a radius beyond all updates and m clients it is the plain mean; a client that
// is replaced moves the sum by no more than 2C.
func TestSumOfClippedUpdates(t *testing.T) {
	for seed := range uint64(20) {
		r := trial.Cohort(trial.Random(seed), 8, 5)
		a := trial.Build(t, NoisySum, trial.Values{"noise": 0.0, "clip": 1e9, "size": 8.0})
		trial.Near(t, "the mean", trial.Next(t, a, r), trial.Mean(r, false))
		a = trial.Build(t, NoisySum, trial.Values{"noise": 0.0, "clip": 0.7, "size": 8.0})
		before := trial.Next(t, a, r)
		r.Updates[3].Params.AddConst(100)
		if moved := 8 * before.Distance(trial.Next(t, a, r)); moved > 2*0.7+1e-12 {
			t.Errorf("the sum moves by %v", moved)
		}
	}
}

// The noise has the standard deviation zC/m, within five of its own, in a round without clients.
func TestNoise(t *testing.T) {
	const n = 20_000
	r := trial.Round(make(fl.Vector, n))
	r.RNG = trial.Random(1)
	got := trial.Next(t, trial.Build(t, NoisySum, trial.Values{"noise": 3.0, "clip": 0.5,
		"size": 4.0}), r)
	want := math.Pow(3*0.5/4, 2)
	if v := got.Dot(got) / n; math.Abs(v/want-1) > 5*math.Sqrt(2.0/n) {
		t.Errorf("a variance of %v, want %v", v, want)
	}
}

// What it says of itself is the noise that it is given.
func TestItSaysItsNoise(t *testing.T) {
	release := NoisySum.Traits.(fl.AggregatorTraits).Private(
		fl.NewResolved(map[string]any{"noise": 1.25}))
	if release.Noise != 1.25 || release.Tree || release.Shares != nil {
		t.Errorf("%+v", release)
	}
}
