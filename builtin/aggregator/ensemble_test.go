package aggregator_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// glyphs is a cell of one round of five clients that see different classes of small pictures.
func glyphs(aggregator string, given map[string]any) study.Cell {
	pick := func(name string, params map[string]any) study.Pick {
		return study.Pick{Name: name, Params: params}
	}
	return study.Cell{
		Method: "x", Seed: 3, DataSeed: 3, Clients: 5, Rounds: 1, Every: 1, Initial: "independent",
		Picks: map[string]study.Pick{
			"dataset":      pick("glyphs", map[string]any{"train": int64(500), "test": int64(200)}),
			"partition":    pick("dirichlet", map[string]any{"kind": "per-class", "alpha": 0.5}),
			"importance":   pick("uniform", nil),
			"model":        pick("mlp", map[string]any{"widths": []any{int64(20)}}),
			"local":        pick("sgd", map[string]any{"epochs": int64(3), "batch": int64(8), "lr": 0.05}),
			"availability": pick("always", nil),
			"selection":    pick("all", nil),
			"aggregator":   pick(aggregator, given),
		},
		Measures: []study.Measure{{Pick: pick("accuracy", nil), Key: "accuracy"},
			{Pick: pick("loss", nil), Key: "loss"}},
	}
}

func compose(t *testing.T, c study.Cell) (engine.Setup, study.Problems) {
	t.Helper()
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		t.Fatal(err)
	}
	s, _, problems := reg.Compose(c)
	return s, problems
}

// A spy keeps what clients upload.
type spy struct {
	fl.Aggregator
	uploads []fl.Vector
}

// Aggregate implements fl.Aggregator.
func (s *spy) Aggregate(r *fl.Round) (fl.Outcome, error) {
	for k := range r.Updates {
		s.uploads = append(s.uploads, r.Updates[k].Params.Clone())
	}
	return s.Aggregator.Aggregate(r)
}

// An ensemble has the accuracy and the loss of the mean of its members' probabilities.
//
//hansa:verifies theorem aggregator/ensemble
func TestEnsembleAveragesProbabilities(t *testing.T) {
	s, problems := compose(t, glyphs("ensemble", nil))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	listener := &spy{Aggregator: s.Aggregator}
	s.Aggregator = listener
	result, err := engine.Run(context.Background(), &s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	world, err := engine.Prepare(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	test := world.Population.Test
	mean := fl.NewMatrix(test.Len(), test.Shape.Classes)
	scores := fl.NewMatrix(test.Len(), test.Shape.Classes)
	for _, theta := range listener.uploads {
		s.Model.Worker().Scores(scores, theta, test.X)
		for i := range scores.Rows {
			sum := 0.0
			for _, x := range scores.Row(i) {
				sum += math.Exp(x)
			}
			for c, x := range scores.Row(i) {
				mean.Row(i)[c] += math.Exp(x) / sum / float64(len(listener.uploads))
			}
		}
	}
	right, loss := 0, 0.0
	for i, y := range test.Y {
		best := 0
		for c, p := range mean.Row(i) {
			if p > mean.Row(i)[best] {
				best = c
			}
		}
		if best == y {
			right++
		}
		loss -= math.Log(mean.Row(i)[y]) / float64(test.Len())
	}
	if got, want := last(result, 0), 100*float64(right)/float64(test.Len()); got != want || len(listener.uploads) != 5 {
		t.Errorf("accuracy %v %%, want %v, of %d clients", got, want, len(listener.uploads))
	}
	if got := last(result, 1); math.Abs(got-loss) > 1e-9*loss {
		t.Errorf("loss %v, want %v", got, loss)
	}
}

// last returns the last value of a measure.
func last(r *engine.Result, measure int) float64 {
	v := r.Series[measure].Values
	return v[len(v)-1]
}

// The server's samples are asked for before anything runs, and what has none says what to do.
func TestRankingWantsSamplesOfTheServer(t *testing.T) {
	for name, given := range map[string]map[string]any{
		"code": nil, "lmf": nil, "exp-average": nil, "best-local": nil,
	} {
		c := glyphs(name, given)
		if _, problems := compose(t, c); len(problems) != 1 ||
			!strings.Contains(problems.Error(), "validation = 0.1") {
			t.Errorf("%s, without samples of the server's: %v", name, problems)
		}
		c.Held = 0.1
		s, problems := compose(t, c)
		if len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
			continue
		}
		r, err := engine.Run(context.Background(), &s, engine.Options{})
		if err != nil || !(last(r, 0) > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, given := range map[string]map[string]any{
		"code": {"order": "given"}, "lmf": {"reference": "first"}, "ensemble": nil,
	} {
		if _, problems := compose(t, glyphs(name, given)); len(problems) > 0 {
			t.Errorf("%s %v: %v", name, given, problems)
		}
	}
}
