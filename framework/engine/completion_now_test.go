package engine_test

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// clocked is a completion model that notes when clients are asked. Each needs two seconds.
type clocked struct{ now []float64 }

func (c *clocked) Finish(f *fl.Finishing) error {
	if n := len(c.now); n == 0 || c.now[n-1] != f.Now {
		c.now = append(c.now, f.Now)
	}
	f.After.Fill(2)
	return nil
}

func (*clocked) Chances(*fl.Finishing, float64) (fl.Vector, bool) { return nil, false }

// A completion model is told when clients are asked: the end of the round before, in rounds that
// are played and in those that are simulated, of a synchronous server and of an asynchronous one.
func TestClientsAreAskedWhenTheRoundBeforeHasEnded(t *testing.T) {
	want := []float64{0, 2, 4, 6, 8}
	for _, p := range []fl.RoundPolicy{{}, {Concurrency: 3, Take: 3}, {Tiers: 1}} {
		s := toy()
		s.Rounds, s.Every, s.Availability = len(want), len(want), everyone{}
		at := func(play func() error) []float64 {
			c := new(clocked)
			s.Completion = engine.Completion{Name: "clocked", Component: c, Policy: p}
			if err := play(); err != nil {
				t.Fatal(err)
			}
			return c.now
		}
		played := at(func() error {
			_, err := engine.Run(t.Context(), s, engine.Options{})
			return err
		})
		simulated := at(func() error {
			w, err := engine.Prepare(s, engine.Options{})
			if err != nil {
				return err
			}
			return engine.Simulate(s, w, 1, len(want), func(engine.SimulatedRound) error { return nil })
		})
		if p.Tiers > 0 { // which are drawn before the first round
			played, simulated = played[len(played)-len(want):], simulated[len(simulated)-len(want):]
		}
		if !slices.Equal(played, want) || !slices.Equal(simulated, want) {
			t.Errorf("%+v: asked at %v, in simulated rounds at %v, want %v", p, played, simulated, want)
		}
	}
}
