package engine

import "slices"

// OneShot reports whether clients train once and for all: then cells that differ in nothing
// but the server have the same updates, unless an adversary changes these.
func (s *Setup) OneShot() bool {
	return s.Rounds == 1 && s.FirstKey != "" && s.Adversary.Component == nil
}

// trainShared is train for the only round of cells that train the same clients: they are trained
// for whichever cell comes first.
func (w *trainer) trainShared(j job) (*trained, error) {
	key := memoKey{what: uploads, setting: w.setup.FirstKey}
	all, err := remember(w.memo, key, func() (*trained, error) {
		got, err := w.trainOwn(j)
		if err != nil {
			return nil, err
		}
		all := *got
		all.states = j.states
		w.places, w.rooms, w.trained = nil, nil, trained{} // they are those of all cells now
		return &all, nil
	})
	if err != nil {
		return nil, err
	}
	if all.states != j.states {
		j.states.adopt(all.states)
	}
	own := *all
	own.updates = slices.Clone(all.updates) // an aggregator may write to its own
	return &own, nil
}
