package availability_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// A witness is an availability model that records the participants.
type witness struct {
	fl.Availability
	came *[]string
}

func (w witness) Available(r *fl.AvailabilityInput) []int {
	ids := w.Availability.Available(r)
	*w.came = append(*w.came, fmt.Sprint(ids))
	return ids
}

// comers runs a cell and returns the available clients in every round.
func comers(t *testing.T, c study.Cell) []string {
	t.Helper()
	var r registry.Registry
	if err := builtin.Register(&r); err != nil {
		t.Fatal(err)
	}
	s, _, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var came []string
	s.Availability = witness{s.Availability, &came}
	if _, err := engine.Run(context.Background(), &s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return came
}

// cell is a small cell with the given availability.
func cell(seed uint64, available study.Pick) study.Cell {
	return study.Cell{
		Seed: seed, DataSeed: seed, Clients: 8, Rounds: 30, Every: 10, Law: false,
		Picks: map[string]study.Pick{
			"dataset":      {Name: "regression", Params: map[string]any{"features": int64(2)}},
			"partition":    {Name: "natural"},
			"importance":   {Name: "uniform"},
			"model":        {Name: "linear"},
			"local":        {Name: "sgd", Params: map[string]any{"lr": 0.01}},
			"availability": available,
			"selection":    {Name: "all"},
			"aggregator":   {Name: "fedavg"},
		},
	}
}

// Availability is the same at one seed for any other components of the cell: methods are compared
// on the same cohorts.
func TestMethodsArePaired(t *testing.T) {
	for _, available := range []study.Pick{
		{Name: "k-subset", Params: map[string]any{"k": int64(3)}},
		{Name: "k-subset", Params: map[string]any{"k": int64(3), "prior": rising()}},
		{Name: "k-subset", Params: map[string]any{"k": int64(3), "prior": rising(), "design": "distinct"}},
		{Name: "bernoulli", Params: map[string]any{"rate": 0.3, "prior": rising()}},
		{Name: "logistic", Params: map[string]any{"coefficients": []any{}}},
		{Name: "markov", Params: map[string]any{"rate": 0.3, "prior": rising()}},
		{Name: "cyclic", Params: map[string]any{"blocks": int64(8), "turn": int64(40)}},
		{Name: "diurnal"},
		{Name: "phases", Params: map[string]any{"order": "chain", "k": int64(3)}},
		{Name: "drift", Params: map[string]any{"shape": "sine"}},
		{Name: "correlated", Params: map[string]any{"rate": 0.3, "persistence": 0.5}},
	} {
		plain := comers(t, cell(1, available))

		other := cell(1, available)
		other.Law, other.Rounds, other.DataSeed = true, 20, 99
		other.Picks["dataset"] = study.Pick{Name: "regression", Params: map[string]any{"features": int64(5)}}
		other.Picks["importance"] = study.Pick{Name: "linear"}
		other.Picks["local"] = study.Pick{Name: "sgd", Params: map[string]any{"batch": int64(4), "lr": 0.001}}
		other.Picks["selection"] = study.Pick{Name: "uniform-k", Params: map[string]any{"k": int64(2)}}
		other.Picks["aggregator"] = study.Pick{Name: "fedavot"}
		other.Measures = []study.Measure{{Pick: study.Pick{Name: "objective"}, Key: "objective"}}
		// The law may be in closed form, or simulated: only the rounds of the run itself count.
		if got := comers(t, other); !slices.Equal(got[len(got)-20:], plain[:20]) {
			t.Errorf("%v: another method meets other clients", available)
		}
		if slices.Equal(comers(t, cell(2, available)), plain) {
			t.Errorf("%v: another seed meets the same clients", available)
		}
	}
}
