package controlvariates

import (
	"errors"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// ends returns the model with which a method ends: four of ten clients train in a round.
func ends(t *testing.T, method string) fl.Vector {
	t.Helper()
	r := new(registry.Registry)
	if err := errors.Join(builtin.Register(r), r.LocalRules.Add(Client),
		r.Aggregators.Add(Server)); err != nil {
		t.Fatal(err)
	}
	pick := func(name string, params map[string]any) study.Pick {
		return study.Pick{Name: name, Params: params}
	}
	s, _, problems := r.Compose(study.Cell{Clients: 10, Rounds: 60, Every: 60, Seed: 2,
		Picks: map[string]study.Pick{
			"dataset": pick("regression", nil), "partition": pick("natural", nil),
			"importance": pick("uniform", nil), "model": pick("linear", nil),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(4)}),
			"aggregator":   pick(method, nil),
			"local":        pick(method, map[string]any{"steps": int64(7), "lr": 0.01}),
		}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cell, err := engine.Start(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return cell.Checkpoint().Global
}

// It is the method that is built in.
func TestItIsSCAFFOLD(t *testing.T) {
	if d := ends(t, Client.Name).Distance(ends(t, "scaffold")); !(d < 1e-12) {
		t.Errorf("it ends %v from what is built in", d)
	}
}
