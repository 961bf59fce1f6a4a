package engine

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A batch is rows that are transformed at once.
type batch struct {
	client   int // −1: none
	purpose  int
	from, to *fl.Dataset
	lo, hi   int
	notes    fl.Notes
}

// transformAll replaces the population by the transformed one. Notes are joined in the order of
// batches, so that they do not depend on which was faster.
func (a *stageRun) transformAll() error {
	old, pop := a.pop, *a.pop
	pop.Moments = nil
	pop.Train, pop.Test, pop.Held = a.room(old.Train), a.room(old.Test), a.room(old.Held)
	pop.Own, pop.Public = a.room(old.Own), a.room(old.Public)
	batches := a.batches(old, &pop)
	err := a.pool.spread(len(batches), func(k int) error { return a.transform(&pop, batches[k]) })
	for _, l := range batches {
		a.notes.Join(&l.notes)
	}
	if pop.Blends != nil {
		if a.next.Features != a.shape.Features {
			return fmt.Errorf("rows of %d features become rows of %d: there is no way between "+
				"them, epoch by epoch", a.shape.Features, a.next.Features)
		}
		pop.Train.Raw = old.Train.X
	}
	a.pop = &pop
	return err
}

// batches lists what is transformed of one population to another: every client's training and test
// rows, and the rows of no client.
func (a *stageRun) batches(old, pop *fl.Population) (batches []*batch) {
	for i := range pop.N() {
		batches = append(batches, &batch{client: i, purpose: toMoveTrain, from: old.Train,
			to: pop.Train, lo: old.Start[i], hi: old.Start[i+1]})
		if pop.TestStart != nil {
			batches = append(batches, &batch{client: i, purpose: toMoveTest, from: old.Test,
				to: pop.Test, lo: old.TestStart[i], hi: old.TestStart[i+1]})
		}
		if pop.OwnStart != nil {
			batches = append(batches, &batch{client: i, purpose: toMoveOwn, from: old.Own,
				to: pop.Own, lo: old.OwnStart[i], hi: old.OwnStart[i+1]})
		}
	}
	if old.Test != nil && pop.TestStart == nil {
		batches = append(batches, &batch{client: -1, purpose: toMoveTest, from: old.Test,
			to: pop.Test, hi: old.Test.Len()})
	}
	if old.Held != nil {
		batches = append(batches, &batch{client: -1, purpose: toMoveTrain, from: old.Held,
			to: pop.Held, hi: old.Held.Len()})
	}
	if old.Public != nil {
		batches = append(batches, &batch{client: -1, purpose: toMovePublic, from: old.Public,
			to: pop.Public, hi: old.Public.Len()})
	}
	return batches
}

// room returns a data set like d, with room for its transformed rows.
func (a *stageRun) room(d *fl.Dataset) *fl.Dataset {
	if d == nil {
		return nil
	}
	moved := *d
	moved.Shape, moved.X, moved.Moments = a.next, fl.NewMatrix(d.Len(), a.next.Features), nil
	return &moved
}

// transform transforms a batch.
func (a *stageRun) transform(pop *fl.Population, l *batch) (err error) {
	who := "rows of no client"
	if l.client >= 0 {
		who = fmt.Sprintf("client %d", l.client)
	}
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", who, err)
		}
	}()
	if l.lo == l.hi {
		return nil // a client may have no test rows
	}
	part := a.part(l.hi - l.lo)
	defer part.end()
	m := &fl.TransformInput{Client: l.client, Rows: l.from.X.Slice(l.lo, l.hi), Shape: a.shape,
		Reference: a.reference, RNG: a.rng(l.purpose, l.client), Notes: &l.notes,
		Spread: part.spread}
	if l.client >= 0 {
		m.Own = a.seen(l.client)
	}
	x, err := a.Preprocessor.Transform(m)
	if err != nil {
		return err
	}
	if x.Rows != l.hi-l.lo || x.Cols != a.next.Features {
		return fmt.Errorf("%d×%d rows became %d×%d, want %d features",
			m.Rows.Rows, m.Rows.Cols, x.Rows, x.Cols, a.next.Features)
	}
	if !fl.Vector(x.Data).Finite() {
		return errors.New("the moved rows have NaN or Inf")
	}
	copy(l.to.X.Slice(l.lo, l.hi).Data, x.Data)
	if m.Blend != nil && l.client >= 0 && l.purpose == toMoveTrain {
		a.mu.Lock()
		defer a.mu.Unlock()
		if pop.Blends == nil {
			pop.Blends = make([]func(epoch, epochs int) float64, pop.N())
		}
		pop.Blends[l.client] = m.Blend
	}
	return nil
}
