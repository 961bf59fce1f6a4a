package lossweights

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
	"github.com/hansa-fl/hansa/registry"
)

// cohort returns a round in which every client sends a loss, and these.
func cohort(rng *rand.Rand, n int) (*fl.Round, []float64) {
	r, losses := trial.Cohort(rng, n, 4), make([]float64, n)
	for k := range losses {
		losses[k] = 3 * rng.Float64()
		m := fl.NewMatrix(1, 1)
		m.Data[0] = losses[k]
		r.Updates[k].Payload = fl.Tensors{lossName: m}
	}
	return r, losses
}

// It is what Algorithm 2 computes of what its clients send.
func TestAlgorithm2(t *testing.T) {
	for seed := range uint64(30) {
		rng := trial.Random(seed)
		r, losses := cohort(rng, 2+rng.IntN(9))
		q, eta := 5*rng.Float64(), 0.01+rng.Float64()
		next, sum := r.Global.Clone(), 0.0
		steps := make(fl.Vector, len(next))
		for k, u := range r.Updates {
			delta := r.Global.Clone() // Δₖ
			delta.Sub(u.Params)
			delta.Scale(1 / eta)
			steps.AddScaled(math.Pow(losses[k], q), delta)
			sum += q*math.Pow(losses[k], q-1)*delta.Dot(delta) + math.Pow(losses[k], q)/eta
		}
		next.AddScaled(-1/sum, steps)
		a := trial.Build(t, Server, trial.Values{"q": q, "lr": eta})
		if d := trial.Next(t, a, r).Distance(next); d > 1e-6 { // 1e-10 is added to losses
			t.Errorf("q = %v, η = %v: %v away", q, eta, d)
		}
	}
}

// q = 0 is FedAvg with equal weights, whatever the losses, and so is a cohort without any.
func TestNoFairness(t *testing.T) {
	r, _ := cohort(trial.Random(1), 6)
	a := trial.Build(t, Server, trial.Values{"q": 0.0, "lr": 0.1})
	trial.Near(t, "q = 0", trial.Next(t, a, r), trial.Mean(r, false))
	r.Updates[3].Payload = nil
	b := trial.Build(t, Server, trial.Values{"q": 2.0, "lr": 0.1})
	trial.Near(t, "without a loss", trial.Next(t, b, r), trial.Mean(r, false))
	if notes := r.Notes.List(); len(notes) != 1 {
		t.Errorf("notes: %q", notes)
	}
}

// A client whose loss is zero has powers for any q, and hardly counts.
func TestZeroLoss(t *testing.T) {
	r, _ := cohort(trial.Random(1), 2)
	r.Updates[0].Payload[lossName].Data[0] = 0
	a := trial.Build(t, Server, trial.Values{"q": 0.5, "lr": 0.1})
	next := trial.Next(t, a, r)
	if !next.Finite() || next.Distance(r.Updates[0].Params) < next.Distance(r.Updates[1].Params) {
		t.Errorf("%v of %v and %v", next, r.Updates[0].Params, r.Updates[1].Params)
	}
}

// The client trains as the rule that is built in, and sends the loss of what it received.
func TestClient(t *testing.T) {
	shape := fl.Shape{Features: 3}
	m, err := trial.Build(t, model.Linear, nil).For(shape)
	if err != nil {
		t.Fatal(err)
	}
	rng := trial.Random(4)
	data := fl.Dataset{Shape: shape, X: fl.NewMatrix(20, 3)}
	copy(data.X.Data, trial.Point(rng, make(fl.Vector, 60), 1))
	data.Target = trial.Point(rng, make(fl.Vector, 20), 1)
	task := func() *fl.Task {
		global := fl.Vector{1, 2, 3}
		return &fl.Task{Client: &fl.Client{Data: data}, Global: global, Params: global.Clone(),
			Model: m, Worker: m.Worker(), RNG: trial.Random(9)}
	}
	given := trial.Values{"epochs": int64(3), "batch": int64(6), "lr": 0.05}
	r := new(registry.Registry)
	if err := r.Optimizers.Add(optimizer.SGD); err != nil {
		t.Fatal(err)
	}
	got, err := trial.BuildOf(t, r, Client, given).Run(task())
	if err != nil {
		t.Fatal(err)
	}
	want, err := trial.BuildOf(t, r, local.SGD, given).Run(task())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Params, want.Params) || got.Steps != want.Steps {
		t.Errorf("%v after %d steps, want %v after %d", got.Params, got.Steps, want.Params, want.Steps)
	}
	if loss := m.Worker().Loss(fl.Vector{1, 2, 3}, &data); got.Payload[lossName].Data[0] != loss {
		t.Errorf("it sends %v, want %v", got.Payload, loss)
	}
}
