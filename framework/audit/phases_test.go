package audit_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/fl"
)

// seasons is an availability of two phases of so many rounds each, with one cohort in each.
type seasons struct {
	turn int
	sets [2][]int
}

func (s seasons) Available(r *fl.AvailabilityInput) []int {
	now := r.T / s.turn % 2
	r.Phase, r.Phases = now+1, 2
	return s.sets[now]
}

func (s seasons) Law(pop *fl.Roster) (fl.Law, bool) {
	law := fl.Law{Exact: true, Shares: fl.Vector{0.5, 0.5}, Q: fl.Vector{0.5, 0.5},
		Inclusion: make(fl.Vector, pop.N)}
	for _, set := range s.sets {
		phase := fl.Law{Exact: true, Sets: [][]int{set}, Q: fl.Vector{1},
			Inclusion: make(fl.Vector, pop.N)}
		for _, i := range set {
			phase.Inclusion[i] = 1
		}
		law.Inclusion.AddScaled(0.5, phase.Inclusion)
		law.Sets, law.Phases = append(law.Sets, set), append(law.Phases, phase)
	}
	return law, true
}

// seasonal gives the first client of a cohort all weight in the first phase, the last one in the
// second.
type seasonal struct{}

func (seasonal) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	if r.Phase == 1 {
		w[0] = 1
	} else {
		w[len(w)-1] = 1
	}
	return fl.Weights{By: w}, nil
}

// Weights are those of each phase, exactly; and over so many rounds p̃ is that of the phases in them.
func TestPhasesAreAudited(t *testing.T) {
	c, s := compose(t, "")
	s.Availability, s.Aggregator = seasons{10, [2][]int{{0, 1, 2}, {1, 2, 5}}}, fl.Weigh(seasonal{})
	for _, stretch := range []int{10, 20, 25} {
		want := func(p fl.Vector) (mean float64) { // over all stretches
			for begin := range 101 - stretch {
				first := 0.0
				for t := begin; t < begin+stretch; t++ {
					first += float64(1-t/10%2) / float64(stretch)
				}
				mean += (math.Abs(p[0]-first) + math.Abs(p[5]-1+first) + 1 - p[0] - p[5]) / 2
			}
			return mean / float64(101-stretch)
		}
		s.Rounds = 100
		f, err := audit.Audit(c, s, audit.Options{Stretch: stretch})
		if err != nil {
			t.Fatal(err)
		}
		if e := f.Effective; !e.Exact || !within(e.P, fl.Vector{.5, 0, 0, 0, 0, .5}, 1e-15) {
			t.Errorf("exact = %t, p̃ = %v", e.Exact, e.P)
		}
		if got := f.Tracking; math.Abs(got.TV-want(f.Importance)) > 1e-12 || got.Rounds != stretch {
			t.Errorf("over %d rounds TV is %v, want %v", stretch, got.TV, want(f.Importance))
		}
	}
}
