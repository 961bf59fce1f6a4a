package engine_test

import (
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// countedCoin is a coin that counts rounds.
type countedCoin struct {
	coin
	rounds *int
}

func (c countedCoin) Available(r *fl.AvailabilityInput) []int {
	*c.rounds++
	return c.coin.Available(r)
}

// Rounds are simulated once for all cells in which the same clients participate, whatever one of
// them does to the cohorts that it gets; and for each where that is not known, where clients have
// more to do, and where the server is asynchronous.
func TestCohortsAreSimulatedOnce(t *testing.T) {
	rounds, memo := 0, engine.NewMemo(9)
	law := func(change func(s *engine.Setup)) fl.Law {
		t.Helper()
		s := toy()
		s.CohortKey, s.Availability = "toy", countedCoin{rounds: &rounds}
		s.Completion = engine.Completion{Component: new(countedDraws),
			Policy: fl.RoundPolicy{Deadline: 1}, Steps: func(samples int) int { return samples }}
		change(s)
		pop := &fl.Roster{N: s.Clients, Samples: []int{1, 2, 3, 4, 5, 6}}
		law, err := engine.CohortLaw(s, engine.Sharing(engine.Open(pop), memo))
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	same := func(*engine.Setup) {}
	first := law(same)
	want, alone := law(same), rounds
	if alone != first.Draws || !reflect.DeepEqual(first, want) {
		t.Fatalf("%d rounds were simulated for two cells, for one %d", rounds, first.Draws)
	}
	for j := range first.Sets {
		first.Sets[j][0], first.Q[j] = 99, 9
	}
	first.Inclusion.Fill(9)
	if again := law(same); rounds != alone || !reflect.DeepEqual(again, want) {
		t.Error("a cell has what another one did to its cohorts")
	}
	for what, change := range map[string]func(s *engine.Setup){
		"an unknown key": func(s *engine.Setup) { s.CohortKey = "" },
		"another key":    func(s *engine.Setup) { s.CohortKey = "other" },
		"more steps": func(s *engine.Setup) {
			s.Completion.Steps = func(samples int) int { return samples + 1 }
		},
		"a larger model": func(s *engine.Setup) { s.Model = mean{4} },
		"no completion":  func(s *engine.Setup) { s.Completion = engine.Completion{} },
		"several times":  func(s *engine.Setup) { s.Completion.Policy.Concurrency = 2 },
	} {
		if before := rounds; law(change).Draws == 0 || rounds == before {
			t.Errorf("%s: no round was simulated", what)
		}
	}
}
