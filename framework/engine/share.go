package engine

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// OneShot reports whether clients train once and for all: then cells that differ in nothing
// but the server have the same updates.
func (s *Setup) OneShot() bool { return s.Rounds == 1 && s.FirstKey != "" }

// An upload is what a cohort sent.
type upload struct {
	updates []fl.Update
	floats  []int
	remarks [][]string
}

// shared returns the updates of the first round, trained for whichever cell came first.
func (w *trainer) shared() ([]fl.Update, error) {
	key := memoKey{what: uploads, setting: w.cell.setup.FirstKey}
	u, err := remember(w.cell.opts.Trained, key, func() (*upload, error) {
		w.reserve(len(w.cohort))
		w.train()
		for _, err := range w.errs {
			if err != nil {
				return nil, err
			}
		}
		u := &upload{slices.Clone(w.updates), slices.Clone(w.floats), slices.Clone(w.remarks)}
		w.places = nil // they are the updates' now
		return u, nil
	})
	if err != nil {
		return nil, err
	}
	copy(w.updates, u.updates)
	copy(w.floats, u.floats)
	copy(w.remarks, u.remarks)
	return w.updates, w.count()
}
