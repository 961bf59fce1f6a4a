package engine_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// uneven is a local rule that takes a client-dependent time, so that clients finish in
// another order than they began.
type uneven struct{ noisy }

func (u uneven) Run(t *fl.Task) (fl.Update, error) {
	for range t.Client.ID * 37 % 11 * 20 {
		runtime.Gosched()
	}
	return u.noisy.Run(t)
}

// Models that are added up as clients finish give the bits of models that are kept.
func TestWeighingAsModelsComeIsWeighingThemAll(t *testing.T) {
	for name, setup := range map[string]func() *engine.Setup{
		"toy": toy, "big": big, "uneven": func() *engine.Setup {
			s := big()
			s.Local = uneven{}
			return s
		},
	} {
		want := content(t, run(t, setup(), engine.Options{}))
		for _, workers := range []int{1, 2, 3, 8} {
			s := setup()
			s.Aggregator = summed()
			if got := content(t, run(t, s, engine.Options{Workers: workers})); got != want {
				t.Errorf("%s, %d workers:\n%s\nwant\n%s", name, workers, got, want)
			}
		}
	}
}

// thrifty is a crowd of which everyone comes, with a model large enough to count them.
func thrifty(clients, features int) *engine.Setup {
	s := toy()
	s.Clients, s.Source, s.Model = clients, cloud{1, features}, mean{features}
	s.Availability, s.Rounds, s.Every, s.Measures = everyone{}, 1<<20, 1<<20, nil
	return s
}

// models returns how many models' worth of memory three rounds of s allocate beyond its data.
func models(t *testing.T, s *engine.Setup, features, workers int) float64 {
	t.Helper()
	c, err := engine.Start(s, engine.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 3 {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(8*features)
}

// What a round holds grows with the workers, not with the cohort.
func TestWeighingHoldsFewModels(t *testing.T) {
	const features, slack = 5_000, 20 // sums and scratch space of the round and the workers
	for _, workers := range []int{1, 4} {
		for _, clients := range []int{64, 160} {
			kept, folded := thrifty(clients, features), thrifty(clients, features)
			folded.Aggregator = summed()
			few, all := models(t, folded, features, workers), models(t, kept, features, workers)
			if few > float64(4+5*workers+slack) || all < float64(clients) {
				t.Errorf("%d workers, %d clients: %.1f models, %.1f when all are kept",
					workers, clients, few, all)
			}
		}
	}
}

// talkative is a local rule that sends as much beside its model as the model has.
type talkative struct{ noisy }

func (n talkative) Run(t *fl.Task) (fl.Update, error) {
	u, err := n.noisy.Run(t)
	u.Payload = fl.Tensors{"beside": t.Payload(1, len(t.Params))}
	return u, err
}

// So does what clients send beside their models.
func TestWeighingHoldsFewPayloads(t *testing.T) {
	const features, slack = 5_000, 20
	for _, workers := range []int{1, 4} {
		for _, clients := range []int{64, 160} {
			s := thrifty(clients, features)
			s.Aggregator, s.Local = summed(), talkative{}
			rooms := 4 + 2*workers // each twice as large as what is sent
			limit := float64(4 + 5*workers + slack + 2*rooms)
			if got := models(t, s, features, workers); got > limit {
				t.Errorf("%d workers, %d clients: %.1f models, at most %.0f", workers, clients, got, limit)
			}
		}
	}
}

// never is an aggregator that makes no use of what clients train.
type never struct{}

func (never) Aggregate(r *fl.Round) (fl.Outcome, error) {
	return fl.Outcome{Params: r.Global}, nil
}

func (never) Weights(r *fl.Round) (fl.Weights, error) {
	return fl.Weights{By: r.Scratch(len(r.Updates)), Deltas: true}, nil
}

// few is a weigher that forgets all updates but one.
type few struct{}

func (few) Weights(r *fl.Round) (fl.Weights, error) { return fl.Weights{By: r.Scratch(1)}, nil }

// silent is a local rule that uploads no model.
type silent struct{}

func (silent) Run(t *fl.Task) (fl.Update, error) {
	return fl.Update{Payload: fl.Tensors{"one": fl.NewMatrix(1, 1)}}, nil
}

func TestWeighingSaysWhatIsWrong(t *testing.T) {
	s := toy()
	s.Availability, s.Aggregator = everyone{}, fl.Weigh(few{})
	_, err := engine.Run(context.Background(), s, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "1 weights for 6 updates") {
		t.Errorf("too few weights: %v", err)
	}
	for _, workers := range []int{1, 4} {
		s = thrifty(40, 1000)
		s.Local, s.Aggregator = silent{}, summed()
		_, err = engine.Run(context.Background(), s, engine.Options{Workers: workers})
		if err == nil || err.Error() != "round 1: client 0: uploads no model" {
			t.Errorf("nothing to weigh: %v", err)
		}
	}
}

// uploads is a metric.
type uploads struct{}

func (uploads) Measure(s *fl.Snapshot) (float64, error) { return float64(s.Uploaded), nil }
func (uploads) Unit() string                            { return "B" }
func (uploads) Higher() bool                            { return false }

// Clients train and upload, and what goes wrong at them is told, whether or not an
// aggregator makes use of it.
func TestClientsTrainForAnAggregatorThatIgnoresThem(t *testing.T) {
	for _, weighs := range []bool{false, true} {
		s := toy()
		s.Availability, s.Aggregator = everyone{}, never{}
		if weighs {
			s.Aggregator = fl.Weigh(never{})
		}
		s.Measures = []engine.Measure{{Key: "uploads", Metric: uploads{}}}
		r := run(t, s, engine.Options{})
		if v := r.Series[0].Values; v[len(v)-1] != 6*3*12 {
			t.Errorf("weighs = %v: %v floats of 6 clients × 3 parameters × 12 rounds", weighs, v)
		}
		s.Local = broken{"error"}
		if _, err := engine.Run(context.Background(), s, engine.Options{}); err == nil {
			t.Errorf("weighs = %v: the mistake of client 2 is not told", weighs)
		}
	}
}
