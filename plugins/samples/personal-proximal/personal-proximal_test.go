package personalproximal

import (
	"errors"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A reader is a metric that looks at a snapshot.
type reader func(*fl.Snapshot) error

func (r reader) Measure(s *fl.Snapshot) (float64, error) { return 0, r(s) }
func (reader) Unit() string                              { return "" }
func (reader) Higher() bool                              { return false }

// ends returns the global model and those of clients with which a local rule ends: four of ten
// clients train in a round, on batches.
func ends(t *testing.T, name string) (global fl.Vector, own []fl.Vector) {
	t.Helper()
	r := new(registry.Registry)
	if err := errors.Join(builtin.Register(r), r.LocalRules.Add(PersonalProximal)); err != nil {
		t.Fatal(err)
	}
	pick := func(name string, params map[string]any) study.Pick {
		return study.Pick{Name: name, Params: params}
	}
	s, _, problems := r.Compose(study.Cell{Clients: 10, Rounds: 20, Every: 20, Seed: 2,
		Picks: map[string]study.Pick{
			"dataset": pick("regression", nil), "partition": pick("natural", nil),
			"importance": pick("uniform", nil), "model": pick("linear", nil),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(4)}),
			"aggregator":   pick("fedavg", map[string]any{"weights": "uniform"}),
			"local": pick(name, map[string]any{"steps": int64(7), "batch": int64(5), "lr": 0.01,
				"lambda": 0.7}),
		}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	read := func(shot *fl.Snapshot) error {
		global, own = shot.Params.Clone(), own[:0]
		for i := range s.Clients {
			v, err := shot.Personal(i)
			if err != nil {
				return err
			}
			own = append(own, v.Clone())
		}
		return nil
	}
	s.Measures = []engine.Measure{{Key: "own", Metric: reader(read)}}
	if _, err := engine.Run(t.Context(), &s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return global, own
}

// It is the method that is built in, bit for bit.
func TestItIsDitto(t *testing.T) {
	global, own := ends(t, PersonalProximal.Name)
	wantGlobal, want := ends(t, "ditto")
	if !slices.Equal(global, wantGlobal) || global.Norm() == 0 {
		t.Errorf("the global model ends %v from that of what is built in",
			global.Distance(wantGlobal))
	}
	apart := 0
	for i, v := range own {
		if !slices.Equal(v, want[i]) {
			t.Errorf("client %d: its model ends %v from what is built in", i, v.Distance(want[i]))
		}
		if !slices.Equal(v, global) {
			apart++
		}
	}
	if apart < 4 {
		t.Errorf("%d clients have a model of their own", apart)
	}
}
