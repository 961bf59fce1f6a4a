package engine

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A trial is a round in which an adversary tries what the server would make of its updates, in
// memory of its own: nothing of it lasts.
type trial struct {
	round         fl.Round
	state, shared *fl.Store
	guard         *fl.Store       // what the guard would keep
	guarded       *preaggregation // with memory of its own
	updates       []fl.Update
	rng           *fl.ReseedableRand
	next          fl.Vector
	losses        fl.Vector
}

var errAdopts = errors.New("an adversary that knows the rule cannot try one that adopts models " +
	"of clients")

// try returns θᵗ as the server would make it of the updates as they are. The server draws what it
// will draw.
func (a *attacker) try() (fl.Vector, error) {
	if err := a.sync(); err != nil {
		return nil, err
	}
	t, r, p := &a.trial, &a.cell.round, a.cell.progress
	if t.state == nil {
		t.state, t.shared, t.rng = fl.NewStore(), fl.NewStore(), fl.NewReseedableRand()
		t.guard, t.guarded = fl.NewStore(), newPreaggregation(a.cell)
	}
	t.guard.Become(p.Guard)
	t.state.Become(p.Aggregator)
	t.shared.Become(p.Shared)
	t.updates = append(t.updates[:0], a.trained.updates...)
	own := &t.round
	own.Recycle()
	own.T, own.Global, own.Updates = r.T, r.Global, t.updates
	own.Times, own.Expected, own.Context = r.Times, r.Expected, r.Context
	own.Phase, own.Phases = r.Phase, r.Phases
	own.Roster, own.Law, own.Layout, own.Model = r.Roster, r.Law, r.Layout, r.Model
	own.State, own.Shared, own.Notes = t.state, t.shared, new(fl.Notes)
	own.RNG = t.rng.Open(a.cell.server.At(p.Round, 0))
	own.Oracle, own.Validation, own.Public = r.Oracle, r.Validation, r.Public
	if t.losses = t.losses[:0]; a.cell.setup.Losses {
		for _, answer := range a.trained.answers[:len(t.updates)] {
			t.losses = append(t.losses, answer.loss)
		}
		own.Losses = t.losses
	}
	if err := t.guarded.apply(own, t.guard); err != nil {
		return nil, err
	}
	out, err := a.cell.setup.Aggregator.Aggregate(own)
	if err != nil {
		return nil, err
	}
	if out.Adopted != nil || len(out.Params) != len(p.Global) {
		return nil, errAdopts
	}
	t.next = append(t.next[:0], out.Params...)
	return t.next, nil
}
