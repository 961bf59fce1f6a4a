package local_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// momentumCase is testdata/worker_momentum.json.
type momentumCase struct {
	Rate, Beta    float64
	Steps         int64
	X             []fl.Vector
	Y             fl.Vector
	Globals, Sent []fl.Vector
}

// of returns what the client sends in each round by a rule, which may be told β.
func (c *momentumCase) of(t *testing.T, e fl.LocalRuleEntry, beta float64) (sent []fl.Vector) {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.Optimizers.Add(optimizer.SGD); err != nil {
		t.Fatal(err)
	}
	given := map[string]any{"steps": c.Steps, "lr": c.Rate}
	if beta >= 0 {
		given["beta"] = beta
	}
	p := reg.Params(given, fl.Setting{})
	rule, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	shape := fl.Shape{Features: len(c.X[0])}
	linear, err := model.Linear.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err == nil {
		linear, err = linear.For(shape)
	}
	if err != nil {
		t.Fatal(err)
	}
	data := fl.Dataset{Shape: shape, X: fl.NewMatrix(len(c.Y), shape.Features), Target: c.Y}
	for k, row := range c.X {
		copy(data.X.Row(k), row)
	}
	state := fl.NewStore()
	for round, theta := range c.Globals {
		task := &fl.Task{T: round, Client: &fl.Client{Data: data}, Global: theta,
			Params: theta.Clone(), Model: linear, Worker: linear.Worker(), State: state}
		u, err := rule.Run(task)
		if err != nil {
			t.Fatal(err)
		}
		if u.Steps != int(c.Steps) || u.Payload != nil {
			t.Errorf("round %d: %d steps, %v beside the model", round, u.Steps, u.Payload)
		}
		sent = append(sent, u.Params)
	}
	return sent
}

func momentumGolden(t *testing.T) (c momentumCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/worker_momentum.json")
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil || len(c.Sent) != 6 {
		t.Fatal(err, len(c.Sent))
	}
	return c
}

// Six rounds of a client agree with plain steps and their running average in NumPy, to 1e-12; with
// β = 0 they are those of sgd, to the bit.
//
//hansa:verifies golden local/worker-momentum
//hansa:verifies equivalence local/worker-momentum
func TestGoldenWorkerMomentum(t *testing.T) {
	c := momentumGolden(t)
	for k, got := range c.of(t, local.WorkerMomentum, c.Beta) {
		if d := got.Distance(c.Sent[k]); d > 1e-12 {
			t.Errorf("round %d: %v away", k, d)
		}
	}
	plain := c.of(t, local.SGD, -1)
	for k, got := range c.of(t, local.WorkerMomentum, 0) {
		for i := range got {
			if got[i] != plain[k][i] {
				t.Errorf("round %d: β = 0 sends %v, sgd %v", k, got, plain[k])
			}
		}
	}
}

// What is sent in round t is x + βᵗΔ₀ + (1 − β)·Σ β^(t−s)·Δₛ over s = 1 … t, whose weights add up
// to 1: a constant update is sent as it is from the first round on.
//
//hansa:verifies theorem local/worker-momentum
func TestWorkerMomentumIsAMean(t *testing.T) {
	c := momentumGolden(t)
	deltas := c.of(t, local.SGD, -1)
	for k := range deltas {
		deltas[k].Sub(c.Globals[k])
	}
	for k, got := range c.of(t, local.WorkerMomentum, 0.7) {
		want, weight, total := c.Globals[k].Clone(), 0.3, 0.0
		for s := k; s >= 0; s-- {
			if s == 0 {
				weight /= 0.3
			}
			want.AddScaled(weight, deltas[s])
			total += weight
			weight *= 0.7
		}
		if d := got.Distance(want); d > 1e-12 || total < 1-1e-12 || total > 1+1e-12 {
			t.Errorf("round %d: %v away, weights add up to %v", k, d, total)
		}
	}
	for k := range c.Globals {
		c.Globals[k] = c.Globals[0]
	}
	plain := c.of(t, local.SGD, -1)
	for k, got := range c.of(t, local.WorkerMomentum, 0.7) {
		if d := got.Distance(plain[k]); d > 1e-14 {
			t.Errorf("round %d: a constant update is sent %v away", k, d)
		}
	}
}
