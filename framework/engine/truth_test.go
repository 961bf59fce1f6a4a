package engine_test

import (
	"context"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// tallied counts how often a selection is asked for its law.
type tallied struct {
	takeOne
	asked *int
}

func (c tallied) Law(pop *fl.Roster, available []int) (fl.Law, bool) {
	*c.asked++
	return c.takeOne.Law(pop, available)
}

// told keeps the truth of every round.
type told struct {
	momentum
	seen *[]float64
}

func (a told) Aggregate(r *fl.Round) (fl.Outcome, error) {
	*a.seen = append(*a.seen, r.Oracle.Inclusion[0]*r.Oracle.Enrollment[0])
	return a.momentum.Aggregate(r)
}

// The truth is worked out once where it is the same in every round, and again where it is not.
func TestTheTruthIsWorkedOutOnce(t *testing.T) {
	for _, c := range []struct {
		name      string
		available fl.Availability
		asked     int
		truth     float64
	}{
		{"always", everyone{}, 1, 1. / 6},
		{"sometimes", listed{{0, 1}, {0, 2, 3}}, 12, 0},
	} {
		asked, seen := 0, []float64(nil)
		s := toy()
		s.Rounds, s.Law, s.Oracle = 12, false, true
		s.Availability, s.Selection = c.available, tallied{asked: &asked}
		s.Aggregator = told{seen: &seen}
		if _, err := engine.Run(context.Background(), s, engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if asked != c.asked || len(seen) != 12 {
			t.Errorf("%s: asked %d times in %d rounds, want %d", c.name, asked, len(seen), c.asked)
		}
		for _, pi := range seen {
			if c.truth > 0 && pi != c.truth {
				t.Errorf("%s: π₀ = %v, want %v", c.name, pi, c.truth)
			}
		}
	}
}
