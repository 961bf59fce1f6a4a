package aggregator

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/registry"
)

// goldenCase is a case of a file in testdata, made with NumPy.
type goldenCase struct {
	Name             string
	Inputs, Expected json.RawMessage
	Tol              struct{ Abs, Rel float64 }
}

func golden(t *testing.T, file, name string, inputs, expected any) goldenCase {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []goldenCase }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		if c.Name != name {
			continue
		}
		if err := json.Unmarshal(c.Inputs, inputs); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(c.Expected, expected); err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatalf("there is no case %q", name)
	return goldenCase{}
}

func (c goldenCase) equal(t *testing.T, what string, got, want fl.Vector) {
	t.Helper()
	for k := range want {
		if math.Abs(got[k]-want[k]) > c.Tol.Abs+c.Tol.Rel*math.Abs(want[k]) {
			t.Errorf("%s: element %d is %.12g, want %.12g", what, k, got[k], want[k])
		}
	}
}

// rules are the names that the reference vectors have for the weightings of fedavg.
var rules = []struct{ name, weights, of string }{
	{"uniform_params", "uniform", "params"},
	{"samplecount_params", "samples", "params"},
	{"selfnormalised_params", "self-normalised", "params"},
	{"scaled_params", "scaled", "params"},
	{"scaled_delta", "scaled", "delta"},
	{"horvitz_thompson_delta", "ht", "delta"},
	{"hajek_delta", "hajek", "delta"},
}

// The weightings of FedAvg agree with what NumPy computed of them.
//
//hansa:verifies golden aggregator/fedavg
func TestGoldenRules(t *testing.T) {
	var in struct {
		P, Global, Inclusion fl.Vector
		Params               []fl.Vector `json:"client_params"`
		Selected             []int
		Samples              fl.Vector `json:"sample_counts"`
	}
	want := map[string]fl.Vector{}
	c := golden(t, "aggregation", "aggregation_rules", &in, &want)
	pop := &fl.Roster{N: len(in.P), Importance: in.P}
	for _, n := range in.Samples {
		pop.Samples = append(pop.Samples, int(n))
	}
	law := &fl.Law{Inclusion: in.Inclusion, Exact: true}
	for _, rule := range rules {
		a := build(t, FedAvg, map[string]any{"weights": rule.weights, "of": rule.of})
		got, err := paramsOf(a, roundOf(pop, law, in.Global, in.Params, in.Selected))
		if err != nil {
			t.Fatal(err)
		}
		c.equal(t, rule.name, got, want[rule.name])
	}
	everyone := roundOf(pop, law, in.Global, in.Params, []int{0, 1, 2, 3, 4})
	full, err := paramsOf(build(t, FedAvg, map[string]any{"weights": "importance", "of": "params"}), everyone)
	if err != nil {
		t.Fatal(err)
	}
	c.equal(t, "full", full, want["full"])
}

// federation is the case fedavot_linear_regression_run: four clients, fixed cohorts.
type federation struct {
	X           [][]fl.Vector
	Y           []fl.Vector
	P, R        fl.Vector
	K           int
	LocalSteps  int       `json:"local_steps"`
	Rate        float64   `json:"learning_rate"`
	SetSequence [][]int   `json:"set_sequence"`
	Start       fl.Vector `json:"theta0"`
	model       fl.Model  // linear, half the mean squared error
	rule        fl.LocalRule
	law         *fl.Law
}

func (f *federation) open(t *testing.T) {
	t.Helper()
	p := fl.NewParams(map[string]any{"loss": "half-mse"}, fl.Setting{}, nil)
	m, err := model.Linear.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if f.model, err = m.For(fl.Shape{Features: len(f.Start)}); err != nil {
		t.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := reg.Optimizers.Add(optimizer.SGD); err != nil {
		t.Fatal(err)
	}
	p = reg.Params(map[string]any{"steps": int64(f.LocalSteps), "lr": f.Rate}, fl.Setting{})
	if f.rule, err = local.SGD.New(p); err != nil {
		t.Fatal(err)
	}
	f.law = &fl.Law{Exact: true, Sets: stats.Subsets(len(f.P), f.K), Q: stats.SuccessiveLaw(f.R, f.K)}
	f.law.Inclusion = stats.Inclusion(f.law.Sets, f.law.Q, len(f.P))
}

// client returns client i with its data.
func (f *federation) client(i int) *fl.Client {
	d := fl.Dataset{X: fl.NewMatrix(len(f.X[i]), len(f.Start)), Target: f.Y[i]}
	for r, row := range f.X[i] {
		copy(d.X.Row(r), row)
	}
	return &fl.Client{ID: i, Data: d}
}

// play returns the global model after every round of the fixed cohorts.
func (f *federation) play(t *testing.T, a fl.Aggregator, cohorts [][]int) []fl.Vector {
	t.Helper()
	worker := f.model.Worker()
	global := f.Start.Clone()
	r := &fl.Round{Roster: &fl.Roster{N: len(f.P), Importance: f.P}, Law: f.law,
		State: fl.NewStore(), Notes: new(fl.Notes)}
	var path []fl.Vector
	for k, cohort := range cohorts {
		params := make([]fl.Vector, len(f.P))
		for _, i := range cohort {
			task := &fl.Task{Client: f.client(i), Global: global, Params: global.Clone(),
				Model: f.model, Worker: worker}
			u, err := f.rule.Run(task)
			if err != nil {
				t.Fatal(err)
			}
			params[i] = u.Params
		}
		r.T, r.Global = k, global
		r.Recycle()
		r.Updates = roundOf(r.Roster, f.law, global, params, cohort).Updates
		next, err := paramsOf(a, r)
		if err != nil {
			t.Fatal(err)
		}
		global = next.Clone()
		path = append(path, global)
	}
	return path
}

// Runs of four clients in fixed cohorts have the models that NumPy computed, round by round.
//
//hansa:verifies golden aggregator/fedavot aggregator/fedavg
func TestGoldenTrajectories(t *testing.T) {
	var f federation
	var want struct {
		Inclusion  fl.Vector
		Trajectory map[string][]fl.Vector
	}
	c := golden(t, "aggregation", "fedavot_linear_regression_run", &f, &want)
	f.open(t)
	c.equal(t, "inclusion", f.law.Inclusion, want.Inclusion)
	everyone := make([][]int, len(f.SetSequence))
	for k := range everyone {
		everyone[k] = []int{0, 1, 2, 3}
	}
	for name, method := range map[string]fl.Aggregator{
		"fedavot":       build(t, FedAVOT, map[string]any{"epsilon": 1e-13}),
		"uniform":       build(t, FedAvg, map[string]any{"weights": "uniform"}),
		"scaled_params": build(t, FedAvg, map[string]any{"weights": "scaled", "of": "params"}),
		"scaled_delta":  build(t, FedAvg, map[string]any{"weights": "scaled"}),
		"ht_delta":      build(t, FedAvg, map[string]any{"weights": "ht"}),
		"full":          build(t, FedAvg, map[string]any{"weights": "importance"}),
	} {
		cohorts := f.SetSequence
		if name == "full" {
			cohorts = everyone
		}
		for k, got := range f.play(t, method, cohorts) {
			c.equal(t, name, got, want.Trajectory[name][k])
		}
	}
}
