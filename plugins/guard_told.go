package plugins

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// toldUpdates are the updates of clients that a selection was told in a call, which it may read and
// not write.
type toldUpdates struct {
	told func(client int) fl.Report
	lent []fl.Vector
	were []uint64 // their marks
}

// watch notes the updates that a selection is told in a call.
func (s *selection) watch(d *fl.SelectionInput) *toldUpdates {
	u := &s.updates
	u.told, u.lent, u.were = d.Told, u.lent[:0], u.were[:0]
	if u.told != nil {
		d.Told = u.tell
	}
	return u
}

// tell returns what a client told.
func (u *toldUpdates) tell(client int) fl.Report {
	r := u.told(client)
	if len(r.Update) > 0 {
		u.lent, u.were = append(u.lent, r.Update), append(u.were, markOf(r.Update))
	}
	return r
}

// changed returns an error where an update is not what it was.
func (u *toldUpdates) changed() error {
	for k, v := range u.lent {
		if markOf(v) != u.were[k] {
			return errors.New("changed an Update of d.Told, " + registry.Written)
		}
	}
	return nil
}

func markOf(v fl.Vector) (h uint64) {
	for _, x := range v {
		h = mix(h, math.Float64bits(x))
	}
	return h
}
