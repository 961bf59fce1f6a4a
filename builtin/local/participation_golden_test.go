package local_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// attendance is some clients with linear models, and the rounds in which they participate.
type attendance struct {
	Cohorts           [][]int
	X                 [][]fl.Vector
	Y                 []fl.Vector
	Start, Importance fl.Vector
	Rounds            map[string][]fl.Vector

	states []*fl.Store
	mail   []fl.Tensors
}

// client returns a client with its data.
func (a *attendance) client(i int) *fl.Client {
	shape := fl.Shape{Features: len(a.Start)}
	data := fl.Dataset{Shape: shape, X: fl.NewMatrix(len(a.Y[i]), len(a.Start)), Target: a.Y[i]}
	for k, row := range a.X[i] {
		copy(data.X.Row(k), row)
	}
	return &fl.Client{ID: i, Data: data}
}

// play returns the model after a round of a method.
func (a *attendance) play(t *testing.T, rule fl.LocalRule, server fl.Aggregator, m fl.Model,
	state *fl.Store, theta fl.Vector, round int) fl.Vector {
	t.Helper()
	r := &fl.Round{T: round, Global: theta, State: state, Notes: new(fl.Notes),
		Roster: &fl.Roster{N: len(a.X), Importance: a.Importance}}
	for _, i := range a.Cohorts[round] {
		u, err := rule.Run(&fl.Task{T: round, Client: a.client(i), Global: theta,
			Params: theta.Clone(), Model: m, Worker: m.Worker(), State: a.states[i], Mail: a.mail[i]})
		if err != nil {
			t.Fatal(err)
		}
		u.Client, a.mail[i] = i, nil
		r.Updates = append(r.Updates, u)
	}
	out, err := server.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, sent := range out.Mail {
		own := sent["model"]
		own.Data = fl.Vector(own.Data).Clone()
		a.mail[i] = fl.Tensors{"model": own}
	}
	return out.Params.Clone()
}

// made builds a component, or fails.
func made[T any](t *testing.T, e fl.Entry[T], given map[string]any, in fl.Setting) T {
	t.Helper()
	var r registry.Registry
	if err := r.Optimizers.Add(optimizer.SGD); err != nil {
		t.Fatal(err)
	}
	p := r.Params(given, in)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(e.Name, err, problems)
	}
	return c
}

// Nine rounds of methods whose clients keep something, in which a client comes late, one has no
// participants and rates of FedLaAvg fall, agree with NumPy to 1e-12. Both halves are made anew in
// the middle: what they need is in their states.
//
//hansa:verifies golden local/fedlaavg local/fedawe aggregator/fedlaavg aggregator/fedawe
func TestGoldenParticipation(t *testing.T) {
	text, err := os.ReadFile("testdata/participation.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rule   fl.LocalRuleEntry
		server fl.AggregatorEntry
		given  map[string]any
		rate   *fl.Schedule
	}{
		"fedlaavg": {local.FedLaAvg, aggregator.FedLaAvg,
			map[string]any{"schedule": "step", "gamma": 0.5, "period": int64(3)},
			&fl.Schedule{First: 0.05, Form: "step", Gamma: 0.5, Period: 3}},
		"fedawe": {local.FedAWE, aggregator.FedAWE, map[string]any{"global_rate": 0.8}, nil},
	} {
		var a attendance
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatal(err)
		}
		a.mail = make([]fl.Tensors, len(a.X))
		for range a.X {
			a.states = append(a.states, fl.NewStore())
		}
		c.given["steps"], c.given["lr"] = int64(4), 0.05
		in := fl.Setting{Rounds: len(a.Cohorts), Rate: c.rate}
		linear, err := made(t, model.Linear, nil, in).For(fl.Shape{Features: len(a.Start)})
		if err != nil {
			t.Fatal(err)
		}
		rule, server := made(t, c.rule, c.given, in), made(t, c.server, nil, in)
		theta, state := a.Start, fl.NewStore()
		for round, want := range a.Rounds[name] {
			if round == 5 {
				rule, server = made(t, c.rule, c.given, in), made(t, c.server, nil, in)
			}
			if len(a.Cohorts[round]) > 0 {
				theta = a.play(t, rule, server, linear, state, theta, round)
			}
			if d := theta.Distance(want); !(d < 1e-12) {
				t.Errorf("%s: round %d is %v away", name, round, d)
			}
		}
	}
}
