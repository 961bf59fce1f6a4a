package local

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// newFair builds PropFair.
func newFair(t *testing.T, given map[string]any) *propFair {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	rule, err := PropFair.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return rule.(*propFair)
}

// Five rounds of a client, whose losses are above M at first and below it then, agree with NumPy to
// 1e-12.
//
//hansa:verifies golden local/propfair
func TestGoldenPropFair(t *testing.T) {
	var want struct {
		Rate, Most, Epsilon float64
		Steps               int64
		X                   []fl.Vector
		Y, Start            fl.Vector
		Rounds              map[string][]fl.Vector
	}
	text, err := os.ReadFile("testdata/propfair.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	shape := fl.Shape{Features: len(want.Start)}
	linear, err := model.Linear.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err == nil {
		linear, err = linear.For(shape)
	}
	if err != nil {
		t.Fatal(err)
	}
	data := fl.Dataset{Shape: shape, X: fl.NewMatrix(len(want.Y), len(want.Start)), Target: want.Y}
	for k, row := range want.X {
		copy(data.X.Row(k), row)
	}
	for beyond, rounds := range want.Rounds {
		rule := newFair(t, map[string]any{"steps": want.Steps, "lr": want.Rate, "maximum": want.Most,
			"epsilon": want.Epsilon, "beyond": beyond})
		theta := want.Start
		for k := range rounds {
			task := &fl.Task{T: k, Client: &fl.Client{Data: data}, Global: theta,
				Params: theta.Clone(), Model: linear, Worker: linear.Worker(), State: fl.NewStore()}
			u, err := rule.Run(task)
			if err != nil {
				t.Fatal(err)
			}
			theta = u.Params
			if d := theta.Distance(rounds[k]); !(d < 1e-12) || u.Steps != int(want.Steps) {
				t.Errorf("%s, round %d: %v away after %d steps", beyond, k, d, u.Steps)
			}
		}
	}
	if len(want.Rounds) != 2 {
		t.Errorf("%d cases", len(want.Rounds))
	}
}

// The slope is M times that of the loss of a batch in the official code, huawei-noah/
// Federated-Learning, FairFL/algs/algorithms.py: −log(1 − f/M), or where M − f < ε = 0.2 f/M, and
// with Huber's continuation f/ε.
//
//hansa:verifies source local/propfair
func TestPropFairIsTheOfficialOne(t *testing.T) {
	const most, epsilon = 2.0, 0.2
	for _, huber := range []bool{false, true} {
		official := func(f float64) float64 {
			switch {
			case most-f >= epsilon:
				return -math.Log(1 - f/most)
			case huber:
				return f / epsilon
			}
			return f / most
		}
		given := map[string]any{"maximum": most}
		if huber {
			given["beyond"] = "huber"
		}
		rule := newFair(t, given)
		for _, f := range []float64{0, 0.1, 1, 1.5, 1.79, 1.81, 1.9, 2, 2.5, 100} {
			const h = 1e-6
			want := most * (official(f+h) - official(f-h)) / (2 * h)
			if got := rule.slope(f); math.Abs(got/want-1) > 1e-6 {
				t.Errorf("huber = %v: the slope at a loss of %v is %v, want %v", huber, f, got, want)
			}
		}
	}
}

// An ε that no gain reaches is refused.
func TestPropFairRefusesEpsilon(t *testing.T) {
	p := fl.NewParams(map[string]any{"epsilon": 3.0}, fl.Setting{}, nil)
	if _, err := PropFair.New(p); err != nil || len(p.Finish()) != 1 {
		t.Errorf("%v, %v", err, p.Finish())
	}
}
