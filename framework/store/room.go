package store

import (
	"errors"
	"path"
)

// Room reports whether a result of so many bytes, and what else is known of a cell, can be stored
// now: it writes as much beside their places, and removes it. Between that and the storing others
// may take the room.
func (r Run) Room(id string, bytes int) error {
	return r.storing(func(f *folder) error {
		for _, kind := range []string{"results", "attempts"} {
			name, err := place(kind, id, ".json")
			if err != nil {
				return err
			}
			if err := f.direct(path.Dir(name)); err != nil {
				return err
			}
			d, err := f.beside(name, whole(make([]byte, bytes)))
			if err != nil {
				return f.named(err)
			}
			defer func() { _ = f.drop(d.name) }() // or Tidy does
		}
		return nil
	})
}

// DropPrevious removes the checkpoint of a cell before the last one, which makes room.
func (r Run) DropPrevious(id string) error {
	names, err := checkpointsOf(id)
	return errors.Join(err, r.within(func(f *folder) error { return f.drop(names[1]) }))
}
