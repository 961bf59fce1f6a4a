package engine

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Guard is the guard of a setup.
type Guard struct {
	Name      string
	Component fl.Guard // nil: updates are aggregated as they come
	Merges    bool     // it may leave fewer updates; see fl.GuardTraits
	Links     int      // guards that follow one another in it
}

// A preaggregation is the guard of a cell at work, with memory of its own. It stands between what
// clients send, adversaries included, and the aggregator. A nil one changes nothing.
type preaggregation struct {
	Guard
	draws fl.Stream
	rng   *fl.ReseedableRand
	work  fl.Guarding
	room  []fl.Update
}

// newPreaggregation returns the guard of a cell, or nil.
func newPreaggregation(c *Cell) *preaggregation {
	s := c.setup
	if s.Guard.Component == nil {
		return nil
	}
	g := &preaggregation{Guard: s.Guard, draws: fl.NewStream(s.Seed, "guard"),
		rng: fl.NewReseedableRand()}
	g.work.Layout = c.round.Layout
	return g
}

// apply makes the updates of a round those that the aggregator gets.
func (g *preaggregation) apply(r *fl.Round, state *fl.Store) error {
	if g == nil {
		return nil
	}
	k := &g.work
	k.Recycle()
	g.room = append(g.room[:0], r.Updates...)
	k.T, k.Global, k.Updates, k.State, k.Notes = r.T, r.Global, g.room, state, r.Notes
	k.RNG = g.rng.Open(g.draws.At(r.T, 0))
	err := g.Component.Apply(k)
	if err == nil {
		err = g.unlike(r)
	}
	if err != nil {
		return fmt.Errorf("guard %s: %w", g.Name, err)
	}
	r.Updates = k.Updates
	return nil
}

// unlike says what keeps guarded updates from being updates of the round.
func (g *preaggregation) unlike(r *fl.Round) error {
	rows := g.work.Updates
	switch n := len(r.Updates); {
	case len(rows) == 0:
		return errors.New("leaves no update")
	case len(rows) > n, len(rows) < n && !g.Merges:
		return fmt.Errorf("leaves %d of %d updates, and its traits do not say that it merges",
			len(rows), n)
	}
	at := 0
	for k := range rows {
		if len(rows[k].Params) != len(r.Global) {
			return fmt.Errorf("an update has %d parameters, the model has %d", len(rows[k].Params),
				len(r.Global))
		}
		for at < len(r.Updates) && r.Updates[at].Client != rows[k].Client {
			at++
		}
		if at == len(r.Updates) {
			return fmt.Errorf("update %d bears the number %d, which is not next in the cohort", k,
				rows[k].Client)
		}
		at++
	}
	return nil
}

// weights returns the weights of what clients send: nil where the aggregator saw something else.
func (g *preaggregation) weights(of fl.Vector) fl.Vector {
	if g == nil {
		return of
	}
	return nil
}
