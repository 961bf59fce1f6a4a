package servermomentum

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// Without momentum it is FedAvg, in every round.
func TestNoMomentum(t *testing.T) {
	a := trial.Build(t, ServerMomentum, trial.Values{"beta": 0.0})
	state := fl.NewStore()
	for seed := range uint64(5) {
		r := trial.Cohort(trial.Random(seed), 7, 4)
		r.State = state
		trial.Near(t, "β = 0", trial.Next(t, a, r), trial.Mean(r, true))
	}
}

// Where every round makes the same step Δ, round t moves by ηΔ(1 − βᵗ)/(1 − β).
func TestVelocity(t *testing.T) {
	const beta, rate = 0.8, 0.5
	a := trial.Build(t, ServerMomentum, trial.Values{"beta": beta, "server_lr": rate})
	step := fl.Vector{1, -2, 3}
	global, state := fl.Vector{0, 0, 0}, fl.NewStore()
	for t1 := range 12 {
		model := global.Clone()
		model.Add(step)
		r := trial.Round(global, model, model)
		r.T, r.State = t1, state
		want := global.Clone()
		want.AddScaled(rate*(1-math.Pow(beta, float64(t1+1)))/(1-beta), step)
		global = trial.Next(t, a, r)
		trial.Near(t, "a constant step", global, want)
	}
}
