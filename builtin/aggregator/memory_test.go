package aggregator

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// No robust rule copies the models of a cohort: of fifty, each allocates less than ten vectors of a
// model's length in its first round, its result among them, and in the second next to nothing.
func TestRobustRulesCopyNoCohort(t *testing.T) {
	const clients, size = 50, 20_000
	rng := rand.New(rand.NewPCG(47, 1))
	f := map[string]any{"f": int64(8)}
	for _, one := range []struct {
		e     fl.AggregatorEntry
		given map[string]any
	}{{CoordinateMedian, nil}, {TrimmedMean, f}, {MeaMed, f}, {Krum, f}, {MultiKrum, f}, {Bulyan, f},
		{MDA, f}, {GeometricMedian, nil}, {NormClipping, nil}, {CenteredClipping, nil}, {RLR, nil}} {
		r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: make(fl.Vector, size)}
		for k := range clients {
			u := fl.Update{Client: k, Samples: 1, Params: make(fl.Vector, size)}
			u.Params.AddNoise(1, rng)
			r.Updates = append(r.Updates, u)
		}
		a := built(t, one.e, one.given)
		for round, most := range []float64{10, 0.5} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.Recycle()
			if _, err := a.Aggregate(r); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			vectors := float64(after.TotalAlloc-before.TotalAlloc) / (8 * size)
			if vectors > most {
				t.Errorf("%s: round %d allocates %.1f vectors, more than %v", one.e.Name, round+1,
					vectors, most)
			}
		}
	}
}
