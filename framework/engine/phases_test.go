package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// shifts is an availability of two phases that take turns, each a list of cohorts.
type shifts [2]listed

func (s shifts) Available(r *fl.AvailabilityInput) []int {
	r.Phase, r.Phases = 1+r.T%2, 2
	return s[r.T%2].Available(r)
}

func (s shifts) Law(pop *fl.Roster) (fl.Law, bool) {
	law := fl.Law{Exact: true, Shares: fl.Vector{0.5, 0.5}, Inclusion: make(fl.Vector, pop.N)}
	for _, phase := range s {
		own, _ := phase.Law(pop)
		own.Inclusion = make(fl.Vector, pop.N)
		for j, set := range own.Sets {
			law.Sets, law.Q = append(law.Sets, set), append(law.Q, own.Q[j]/2)
			for _, i := range set {
				own.Inclusion[i] += own.Q[j]
				law.Inclusion[i] += own.Q[j] / 2
			}
		}
		law.Phases = append(law.Phases, own)
	}
	return law, true
}

// The laws of phases are those after enrolment and selection, as the law itself is.
func TestLawsOfPhasesCompose(t *testing.T) {
	s := shifts{{{0, 1}, {2, 3}}, {{4}, {0, 2, 4, 5}}}
	all, one := lawOf(t, s, takeAll{}), lawOf(t, s, takeOne{})
	for _, c := range []struct {
		law    fl.Law
		phase  int
		cohort []int
		q      float64
	}{
		{all, 1, []int{2, 3}, 1. / 2}, {all, 2, []int{2, 3}, 0}, {all, 2, []int{4}, 1. / 2},
		{one, 1, []int{0}, 1. / 4}, {one, 2, []int{0}, 1. / 8}, {one, 2, []int{4}, 5. / 8},
		{one, 0, []int{4}, 5. / 16},
	} {
		if got := probability(*c.law.Within(c.phase), c.cohort...); math.Abs(got-c.q) > 1e-15 {
			t.Errorf("phase %d: q%v = %v, want %v", c.phase, c.cohort, got, c.q)
		}
		if c.law.Shares[1] != 0.5 || len(c.law.Phases) != 2 {
			t.Errorf("%d phases, shares %v", len(c.law.Phases), c.law.Shares)
		}
	}
	setup := toy()
	setup.Availability, setup.Selection = s, takeAll{}
	roster := &fl.Roster{N: 6, Enrolled: []bool{true, true, true, false, true, false}}
	law, err := engine.CohortLaw(setup, engine.Open(roster))
	if err != nil {
		t.Fatal(err)
	}
	if q := probability(law.Phases[1], 0, 2, 4); q != 0.5 || law.Phases[0].Inclusion[3] != 0 {
		t.Errorf("of the enrolled q = %v and π = %v", q, law.Phases[0].Inclusion)
	}
}

// sees notes the phase of each round.
type sees struct{ told *[]string }

func (s sees) Weights(r *fl.Round) (fl.Weights, error) {
	*s.told = append(*s.told, fmt.Sprintf("%d/%d", r.Phase, r.Phases))
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Weights{By: w}, nil
}

// The server sees the phase of the round, and none where none is seen; a phase out of range is an
// error.
func TestServersSeePhases(t *testing.T) {
	for _, c := range []struct {
		a    fl.Availability
		want string
	}{
		{shifts{{{0, 1}}, {{2, 3}}}, "1/2 2/2 1/2 2/2"}, {listed{{0, 1}}, "0/0 0/0 0/0 0/0"},
	} {
		var told []string
		s := toy()
		s.Availability, s.Selection, s.Aggregator = c.a, takeAll{}, fl.Weigh(sees{&told})
		s.Rounds = 4
		run(t, s, engine.Options{})
		if got := strings.Join(told, " "); got != c.want {
			t.Errorf("%q is seen, want %q", got, c.want)
		}
	}
	s := toy()
	s.Availability = astray{}
	if _, err := engine.Run(t.Context(), s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "phase 3 of 2") {
		t.Errorf("%v", err)
	}
}

// astray sees a phase that there is not.
type astray struct{ everyone }

func (astray) Available(r *fl.AvailabilityInput) []int {
	r.Phase, r.Phases = 3, 2
	return r.Everyone()
}
