package metric_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// setup composes a run of 6 clients whose model has 4 parameters.
func setup(t *testing.T, available study.Pick, measures ...study.Measure) *engine.Setup {
	t.Helper()
	var r registry.Registry
	if err := builtin.Register(&r); err != nil {
		t.Fatal(err)
	}
	s, _, problems := r.Compose(study.Cell{
		Seed: 1, DataSeed: 1, Clients: 6, Rounds: 12, Every: 1, Law: true, Measures: measures,
		Picks: map[string]study.Pick{
			"dataset":      {Name: "regression", Params: map[string]any{"features": int64(3)}},
			"partition":    {Name: "natural"},
			"importance":   {Name: "linear"},
			"model":        {Name: "linear", Params: map[string]any{"intercept": true}},
			"local":        {Name: "sgd", Params: map[string]any{"lr": 0.05}},
			"availability": available,
			"selection":    {Name: "all"},
			"aggregator":   {Name: "fedavg", Params: map[string]any{"weights": "uniform"}},
		},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &s
}

func named(name string) study.Measure {
	return study.Measure{Pick: study.Pick{Name: name}, Key: name}
}

// pairs is an availability of two clients a round.
func pairs() study.Pick { return study.Pick{Name: "k-subset", Params: map[string]any{"k": int64(2)}} }

// run returns the values of every measure, round by round, from before the first.
func run(t *testing.T, s *engine.Setup) [][]float64 {
	t.Helper()
	result, err := engine.Run(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var values [][]float64
	for _, series := range result.Series {
		values = append(values, series.Values)
	}
	return values
}

// A witness is an aggregator that writes down what it sees and makes.
type witness struct {
	fl.Aggregator
	sizes  map[int]int // |Sᵗ| by round
	models map[int]fl.Vector
	send   int // floats to broadcast from the first round on
}

func newWitness(a fl.Aggregator) *witness {
	return &witness{Aggregator: a, sizes: map[int]int{}, models: map[int]fl.Vector{}}
}

func (w *witness) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w.sizes[r.T] = len(r.Updates)
	out, err := w.Aggregator.Aggregate(r)
	if w.send > 0 {
		out.Broadcast = fl.Tensors{"beside": fl.NewMatrix(1, w.send)}
	}
	w.models[r.T] = out.Params.Clone()
	return out, err
}

// Two clients receive and send four floats in every round.
func TestTrafficOfPairs(t *testing.T) {
	values := run(t, setup(t, pairs(), named("upload"), named("download")))
	for round := range 13 {
		want := float64(fl.BytesPerNumber * 8 * round)
		if up, down := values[0][round], values[1][round]; up != want || down != want {
			t.Errorf("after round %d: %v up and %v down, want %v", round, up, down, want)
		}
	}
}

// An empty round costs nothing.
//
//hansa:verifies theorem metrics/upload metrics/download
func TestTrafficOfParticipants(t *testing.T) {
	some := study.Pick{Name: "bernoulli", Params: map[string]any{"rate": 0.2}}
	s := setup(t, some, named("upload"), named("download"))
	w := newWitness(s.Aggregator)
	s.Aggregator = w
	values := run(t, s)
	came, skipped := 0, 0
	for round := range 12 {
		came += w.sizes[round]
		if w.sizes[round] == 0 {
			skipped++
		}
		want := float64(fl.BytesPerNumber * 4 * came)
		if up, down := values[0][round+1], values[1][round+1]; up != want || down != want {
			t.Errorf("after round %d: %v up and %v down, %d participated", round+1, up, down, came)
		}
	}
	if skipped == 0 || came == 0 {
		t.Fatalf("the example is too easy: %d participated, %d rounds were skipped", came, skipped)
	}
}

// chatty is a local rule that uploads a 2×3 matrix beside its model.
type chatty struct{ fl.LocalRule }

func (c chatty) Run(t *fl.Task) (fl.Update, error) {
	u, err := c.LocalRule.Run(t)
	u.Payload = fl.Tensors{"more": fl.NewMatrix(2, 3)}
	return u, err
}

// counting is a local rule that uploads a 2×3 matrix and no model.
type counting struct{}

func (counting) Run(*fl.Task) (fl.Update, error) {
	return fl.Update{Payload: fl.Tensors{"more": fl.NewMatrix(2, 3)}}, nil
}

// still is an aggregator that leaves the model as it is.
type still struct{}

func (still) Aggregate(r *fl.Round) (fl.Outcome, error) { return fl.Outcome{Params: r.Global}, nil }

// What travels beside the models is counted: a payload of 6 floats up, and down, from the
// second round on, the 7 that the aggregator sends along.
func TestTrafficBesideModels(t *testing.T) {
	for _, c := range []struct {
		name             string
		alone, noModel   bool
		sent, downloaded int // floats of a model
	}{
		{"models", false, false, 4, 4},
		{"statistics", true, false, 0, 4},
		{"statistics that need no model", true, true, 0, 0},
	} {
		s := setup(t, pairs(), named("upload"), named("download"))
		w := newWitness(still{})
		w.send = 7
		s.Aggregator, s.Local = w, chatty{s.Local}
		if c.alone {
			s.Local, s.Statistics, s.NoModel = counting{}, "more", c.noModel
		}
		values := run(t, s)
		for round := 1; round <= 12; round++ {
			up := fl.BytesPerNumber * 2 * round * (c.sent + 6)
			down := fl.BytesPerNumber * 2 * (c.downloaded*round + 7*(round-1))
			if values[0][round] != float64(up) || values[1][round] != float64(down) {
				t.Errorf("%s, after round %d: %v up, want %d; %v down, want %d",
					c.name, round, values[0][round], up, values[1][round], down)
			}
		}
	}
}

// A measure of the average is one of the mean of θ¹ … θᵗ; before the first round, of θ⁰.
// An empty round repeats the model before it.
func TestAveragedIterate(t *testing.T) {
	some := study.Pick{Name: "bernoulli", Params: map[string]any{"rate": 0.2}}
	for _, available := range []study.Pick{pairs(), some} {
		var measures []study.Measure
		for _, name := range []string{"objective", "suboptimality", "distance"} {
			last, mean := named(name), named(name)
			mean.Key, mean.Average = name+" of the mean", true
			measures = append(measures, last, mean)
		}
		s := setup(t, available, measures...)
		w := newWitness(s.Aggregator)
		s.Aggregator = w
		values := run(t, s)
		last, sum := s.Model.Init(nil), make(fl.Vector, 4)
		for round := range 12 {
			if model, came := w.models[round]; came {
				last = model
			}
			sum.AddScaled(1, last)
			mean := sum.Clone()
			mean.Scale(1 / float64(round+1))
			if got := at(t, s, last); !alike(got, every(values, 0, round+1)) {
				t.Errorf("%s, round %d: the last iterate measures %v", available.Name, round+1, got)
			}
			if got := at(t, s, mean); !alike(got, every(values, 1, round+1)) {
				t.Errorf("%s, round %d: the mean measures %v", available.Name, round+1, got)
			}
		}
		if before := every(values, 1, 0); !slices.Equal(every(values, 0, 0), before) {
			t.Errorf("%s: before the first round the mean measures %v", available.Name, before)
		}
	}
}

// every returns every second series in one round, beginning with the given one.
func every(values [][]float64, first, round int) (x []float64) {
	for k := first; k < len(values); k += 2 {
		x = append(x, values[k][round])
	}
	return x
}

// alike reports whether two lists of numbers agree but for rounding.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Abs(x-y) <= 1e-12*(1+math.Abs(y))
	})
}

// at measures a model with all metrics of a setup, once each.
func at(t *testing.T, s *engine.Setup, theta fl.Vector) (x []float64) {
	t.Helper()
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snap := &fl.Snapshot{Params: theta, Model: s.Model, Worker: s.Model.Worker(), Roster: w.Roster,
		Population: w.Population, Pooled: w.Pooled}
	snap.Optimal = func() (*fl.Optimum, error) { return engine.Optimum(s, engine.Options{}, w) }
	for k := 0; k < len(s.Measures); k += 2 {
		x = append(x, measure(t, s.Measures[k].Metric, snap))
	}
	return x
}
