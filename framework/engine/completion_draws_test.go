package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// countedDraws is a completion model that draws once of each client for all rounds, and once in each,
// and counts that.
type countedDraws struct{ asked, most int }

func (c *countedDraws) Finish(f *fl.Finishing) error {
	c.asked += len(f.Asked)
	c.most = max(c.most, len(f.Asked), cap(f.Steps), cap(f.After), cap(f.Work))
	for k, i := range f.Asked {
		f.After[k] = f.Fixed(i).ExpFloat64() + f.Draw(i).ExpFloat64()
		f.Work[k] = f.After[k] / 2
	}
	return nil
}

func (*countedDraws) Chances(*fl.Finishing, float64) (fl.Vector, bool) { return nil, false }

// takeTen selects ten of those available, wherever they are.
type takeTen struct{ takeOne }

func (takeTen) Select(d *fl.SelectionInput) []int {
	ids := d.Room(10)
	for len(ids) < min(10, len(d.Available)) {
		if i := d.Available[d.RNG.IntN(len(d.Available))]; !slices.Contains(ids, i) {
			ids = append(ids, i)
		}
	}
	slices.Sort(ids)
	return ids
}

// With 50,000 clients, of which ten are asked in a round, a completion model draws of these alone,
// and has room for no more; a step costs no more memory than with a hundred clients. Tiers are an
// exception: all clients are measured once, before the first round.
func TestCompletionCostsThoseAsked(t *testing.T) {
	const rounds = 30
	for name, p := range map[string]fl.RoundPolicy{
		"waiting":      {},
		"policies":     {Deadline: 2, Take: 7, Dropout: 0.1, Partial: true, Stragglers: 0.3},
		"asynchronous": {Concurrency: 8, Take: 3, Deadline: 5, Partial: true},
	} {
		var allocated []float64
		for _, clients := range []int{100, 50_000} {
			c := &countedDraws{}
			s := toy()
			s.Clients, s.Rounds, s.Every, s.Measures = clients, rounds, rounds, nil
			s.Source, s.Availability, s.Selection = cloud{1, 3}, everyone{}, takeTen{}
			s.Completion = engine.Completion{Name: "countedDraws", Component: c, Policy: p,
				Steps: func(int) int { return 4 }}
			cell, err := engine.Start(s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			allocated = append(allocated, testing.AllocsPerRun(rounds-1, func() {
				if err := cell.Step(); err != nil {
					t.Fatal(err)
				}
			}))
			cell.Close()
			if c.asked > 10*rounds || c.asked < 3*rounds || c.most > 32 {
				t.Errorf("%s, %d clients: asked %d times in %d rounds, at most %d at once", name,
					clients, c.asked, rounds, c.most)
			}
		}
		if allocated[1] > allocated[0]+5 {
			t.Errorf("%s: a round allocates %v times", name, allocated)
		}
	}
}

// A local rule that makes more steps than its limit ends the run, with the reason: of a synchronous
// server and of an asynchronous one.
func TestRulesThatHeedNoLimit(t *testing.T) {
	for _, p := range []fl.RoundPolicy{{Stragglers: 1}, {Stragglers: 1, Concurrency: 3, Take: 2}} {
		s := toy()
		s.Availability = everyone{}
		s.Completion = engine.Completion{Name: "counted", Component: &countedDraws{}, Policy: p,
			Steps: func(int) int { return 4 }}
		heeds := true
		s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
			if !heeds {
				return fl.Update{Steps: 4, Params: t.Params}, nil
			}
			return fl.Update{Steps: t.Fit(4), Params: t.Params}, nil
		})
		if _, err := engine.Run(t.Context(), s, engine.Options{}); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		heeds = false
		_, err := engine.Run(t.Context(), s, engine.Options{})
		if err == nil || !strings.Contains(err.Error(), "made 4 local steps, its limit was ") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
