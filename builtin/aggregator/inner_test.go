package aggregator

import (
	"testing"

	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// nestedIn builds an aggregator that may have an inner one.
func nestedIn(t *testing.T, e fl.AggregatorEntry, given map[string]any) fl.Aggregator {
	t.Helper()
	r := new(registry.Registry)
	if err := r.Aggregators.Add(FedAvg, FedAvgM, FedAdam, FedOpt, Krum, CoordinateMedian); err != nil {
		t.Fatal(err)
	}
	if err := r.Optimizers.Add(optimizer.SGD); err != nil {
		t.Fatal(err)
	}
	p := r.Params(given, fl.Setting{Rounds: 10})
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", e.Name, err, problems)
	}
	return a
}

// Five rounds over an inner rule, and over one within another, are those that NumPy computes from
// the formulas.
//
//hansa:verifies golden aggregator/fedavgm aggregator/fedadagrad aggregator/fedadam
//hansa:verifies golden aggregator/fedyogi
func TestGoldenInner(t *testing.T) {
	krum := func(f int64) map[string]any { return map[string]any{"name": "krum", "f": f} }
	for name, a := range map[string]fl.Aggregator{
		"fedadam over krum": nestedIn(t, FedAdam, map[string]any{"server_rate": 0.05, "inner": krum(2)}),
		"fedavgm over coordinate-median": nestedIn(t, FedAvgM,
			map[string]any{"server_rate": 0.5, "inner": "coordinate-median"}),
		"fedyogi over fedavgm over coordinate-median": nestedIn(t, FedYogi, map[string]any{
			"server_rate": 0.05, "inner": map[string]any{"name": "fedavgm", "momentum": 0.5,
				"server_rate": 2.0, "inner": "coordinate-median"}}),
		"fedadagrad over fedadam over krum": nestedIn(t, FedAdagrad, map[string]any{
			"server_rate": 0.1, "tau": 1e-2,
			"inner": map[string]any{"name": "fedadam", "server_rate": 0.05, "inner": krum(1)}}),
	} {
		var h history
		var want struct{ Rounds []fl.Vector }
		c := golden(t, "inner", name, &h, &want)
		got := h.follow(t, a)
		if len(got) != len(want.Rounds) {
			t.Fatalf("%s: %d rounds, want %d", name, len(got), len(want.Rounds))
		}
		for k := range got {
			c.equal(t, name, got[k], want.Rounds[k])
		}
	}
}

// FedOpt with plain sgd is a rate of the server for any inner aggregator: θᵗ⁻¹ + η_g(θ − θᵗ⁻¹).
//
//hansa:verifies equivalence aggregator/fedopt
func TestFedOptIsARateForAnyAggregator(t *testing.T) {
	var h history
	var none any
	golden(t, "inner", "fedadam over krum", &h, &none)
	alone := h.follow(t, nestedIn(t, Krum, map[string]any{"f": int64(2)}))
	half := h.follow(t, nestedIn(t, FedOpt, map[string]any{"server_rate": 0.5,
		"inner": map[string]any{"name": "krum", "f": int64(2)}}))
	for k := range alone { // the history does not depend on the model
		want := h.Start.Clone()
		want.AddScaled(1, alone[k])
		want.Scale(0.5)
		if d := half[k].Distance(want); d > 1e-13 {
			t.Errorf("round %d is %v away", k, d)
		}
	}
}
