package aggregator

import (
	"maps"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
)

// steppers are the aggregators that step along the mean update in a way of their own.
var steppers = []fl.AggregatorEntry{
	FedAvgM, FedAdagrad, FedAdam, FedYogi, FedOpt, GeneralizedFedAvg, FedGMA,
}

// built is an aggregator with parameters; Adam is the only optimizer.
func built(t *testing.T, e fl.AggregatorEntry, given map[string]any) fl.Aggregator {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Rounds: 10},
		func(_, _ string, value any) (any, any, []fl.Problem) {
			o, err := optimizer.SGD.New(fl.NewParams(nil, fl.Setting{}, nil))
			if value == "adam" {
				o, err = optimizer.Adam.New(fl.NewParams(nil, fl.Setting{}, nil))
			}
			if err != nil {
				t.Fatal(err)
			}
			return o, value, nil
		})
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", e.Name, err, problems)
	}
	return a
}

// A history is what clients change in some rounds.
type history struct {
	Given   map[string]any
	Start   fl.Vector
	Samples []int
	Deltas  [][]fl.Vector
}

// follow returns the models that an aggregator makes of a history, without rounds that are skipped.
func (h *history) follow(t *testing.T, a fl.Aggregator, skip ...int) (all []fl.Vector) {
	t.Helper()
	theta, state := h.Start.Clone(), fl.NewStore()
	for round, deltas := range h.Deltas {
		for _, s := range skip {
			if s == round {
				deltas = nil
			}
		}
		if deltas == nil {
			continue
		}
		r := &fl.Round{T: round, Global: theta, State: state, Notes: new(fl.Notes),
			Roster: &fl.Roster{N: len(deltas)}}
		for i, d := range deltas {
			m := theta.Clone()
			m.Add(d)
			r.Updates = append(r.Updates, fl.Update{Client: i, Samples: h.Samples[i], Params: m})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		all = append(all, theta)
	}
	return all
}

// Five rounds are those that NumPy computes from the formulas.
//
//hansa:verifies golden aggregator/fedavgm aggregator/fedadagrad aggregator/fedadam
//hansa:verifies golden aggregator/fedyogi aggregator/fedopt aggregator/generalized-fedavg
//hansa:verifies golden aggregator/fedgma
func TestGoldenServers(t *testing.T) {
	for _, e := range steppers {
		var h history
		var want struct{ Rounds []fl.Vector }
		c := golden(t, "servers", e.Name, &h, &want)
		if p, ok := h.Given["period"].(float64); ok {
			h.Given["period"] = int64(p)
		}
		got := h.follow(t, built(t, e, h.Given))
		if len(got) != len(want.Rounds) {
			t.Fatalf("%s: %d rounds, want %d", e.Name, len(got), len(want.Rounds))
		}
		for k := range got {
			c.equal(t, e.Name, got[k], want.Rounds[k])
		}
	}
}

// With parameters that take away what they add to FedAvg, they are FedAvg: to the bit, but for what
// subtracts θᵗ⁻¹ + Δ from θᵗ⁻¹ again.
//
//hansa:verifies equivalence aggregator/fedavgm aggregator/fedadagrad aggregator/fedadam
//hansa:verifies equivalence aggregator/fedyogi aggregator/fedopt aggregator/generalized-fedavg
//hansa:verifies equivalence aggregator/fedgma
func TestServersReduceToFedAvg(t *testing.T) {
	var h history
	var none any
	golden(t, "servers", "fedavgm", &h, &none)
	want := h.follow(t, built(t, FedAvg, nil))
	for name, c := range map[string]struct {
		e     fl.AggregatorEntry
		given map[string]any
		tol   float64
	}{
		"FedAvgM, β = 0":              {FedAvgM, map[string]any{"momentum": 0.0}, 0},
		"generalized, η = 1":          {GeneralizedFedAvg, map[string]any{"amplification": 1.0}, 0},
		"generalized, no full period": {GeneralizedFedAvg, map[string]any{"period": int64(6)}, 0},
		"FedGMA, τ = 0":               {FedGMA, map[string]any{"tau": 0.0}, 0},
		"FedOpt, sgd":                 {FedOpt, map[string]any{"optimizer": "sgd"}, 1e-14},
		"FedAdagrad, large τ":         {FedAdagrad, wide(nil), 1e-8},
		"FedAdam, large τ, β₂ near 1": {FedAdam, wide(map[string]any{"beta2": 1 - 1e-12}), 1e-8},
		"FedYogi, large τ":            {FedYogi, wide(map[string]any{"beta1": 0.0}), 1e-8},
	} {
		got := h.follow(t, built(t, c.e, c.given))
		for k := range want {
			if d := got[k].Distance(want[k]); d > c.tol*(1+want[k].Norm()) {
				t.Errorf("%s: round %d is %v from FedAvg", name, k, d)
			}
		}
	}
}

// wide adds to parameters of an adaptive server a root that is τ and that updates hardly move: its
// step is η_g/(2τ) times the mean, once.
func wide(given map[string]any) map[string]any {
	all := map[string]any{"beta1": 0.0, "tau": 1e9, "server_rate": 2e9}
	maps.Copy(all, given)
	return all
}

// Where updates become small, the root of FedAdam follows them and that of FedYogi does not.
//
//hansa:verifies theorem aggregator/fedyogi
func TestFedYogiForgetsSlowly(t *testing.T) {
	h := history{Start: fl.Vector{0}, Samples: []int{1}, Deltas: [][]fl.Vector{{{1}}}}
	for range 60 {
		h.Deltas = append(h.Deltas, []fl.Vector{{1e-3}})
	}
	last := func(e fl.AggregatorEntry) float64 {
		all := h.follow(t, built(t, e, map[string]any{"beta1": 0.0, "beta2": 0.5, "tau": 1e-9}))
		return all[60][0] - all[59][0]
	}
	// v is ½ after the first update, and then loses ½·10⁻⁶ each time, or half of itself.
	want := 1e-3 / math.Sqrt(0.5-60*0.5e-6)
	if got := last(FedYogi); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("the last step of FedYogi is %v, want %v", got, want)
	}
	if got := last(FedAdam); math.Abs(got-1) > 1e-5 {
		t.Errorf("the last step of FedAdam is %v, want 1", got)
	}
}

// A period whose last round has no participants is amplified in the next one that has.
//
//hansa:verifies theorem aggregator/generalized-fedavg
func TestPeriodsThatEndEmptyAreAmplified(t *testing.T) {
	h := history{Start: fl.Vector{1, 2}, Samples: []int{1}}
	for k := range 4 {
		h.Deltas = append(h.Deltas, []fl.Vector{{float64(k + 1), -1}})
	}
	a := built(t, GeneralizedFedAvg, map[string]any{"period": int64(2), "amplification": 3.0})
	got := h.follow(t, a, 1)
	// Round 0 adds (1, −1); round 2 begins by adding it twice more, and adds (3, −1); round 3 adds
	// (4, −1) and amplifies both.
	want := []fl.Vector{{2, 1}, {2 + 2 + 3, 1 - 2 - 1}, {4 + 3*7, -1 - 3*2}}
	for k := range want {
		if got[k].Distance(want[k]) > 1e-12 {
			t.Errorf("%v after round %d, want %v", got[k], k, want[k])
		}
	}
}

// Rates of the server follow their schedule, of aggregators that have one.
func TestServerSchedules(t *testing.T) {
	h := history{Start: fl.Vector{0}, Samples: []int{1}}
	for range 5 {
		h.Deltas = append(h.Deltas, []fl.Vector{{1}})
	}
	steps := map[string]any{"server_schedule": "step", "server_period": int64(2),
		"server_gamma": 0.5, "server_rate": 2.0}
	for _, e := range []fl.AggregatorEntry{Naive, FedOpt, FedGMA} {
		got := h.follow(t, built(t, e, steps))
		for k, want := range []float64{2, 4, 5, 6, 6.5} {
			if math.Abs(got[k][0]-want) > 1e-14 {
				t.Errorf("%s: %v after round %d, want %v", e.Name, got[k], k, want)
			}
		}
	}
}

// Of coordinates in which clients disagree FedGMA keeps a part, of others all.
//
//hansa:verifies theorem aggregator/fedgma
func TestFedGMAKeepsWhatClientsAgreeOn(t *testing.T) {
	h := history{Start: make(fl.Vector, 3), Samples: []int{1, 1, 1, 1},
		Deltas: [][]fl.Vector{{{1, 1, 1}, {2, -1, 1}, {3, -1, -1}, {4, 3, 2}}}}
	a := built(t, FedGMA, map[string]any{"tau": 0.5})
	if got := h.follow(t, a)[0]; got.Distance(fl.Vector{2.5, 0, 0.75}) > 1e-15 {
		t.Errorf("%v", got)
	}
	a = built(t, FedGMA, map[string]any{"tau": 0.6})
	if got := h.follow(t, a)[0]; got.Distance(fl.Vector{2.5, 0, 0.375}) > 1e-15 {
		t.Errorf("%v", got)
	}
}
