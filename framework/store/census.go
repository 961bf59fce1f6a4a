package store

import (
	"errors"
	"io/fs"
	"strings"
	"time"
)

// A Census is what a run has on disk, by the names of its files: what is in them is not
// verified, so that many runs are counted in no time.
type Census struct {
	Done, Failed, Missing int       // cells, those that are the same experiment once
	Bytes                 int64     // of all files
	Last                  time.Time // when a cell last ended; zero when none did
}

// Census counts what the run has of a plan.
func (r Run) Census(p *Plan) (Census, error) {
	var c Census
	found := map[string]map[string]bool{"results": {}, "failures": {}}
	err := r.within(func(f *folder) error {
		return f.walk(".", func(path string, d fs.DirEntry, info fs.FileInfo) {
			c.Bytes += info.Size()
			kind, _, _ := strings.Cut(path, "/")
			id, whole := strings.CutSuffix(d.Name(), ".json")
			if found[kind] == nil || !whole {
				return
			}
			found[kind][id] = true
			if info.ModTime().After(c.Last) {
				c.Last = info.ModTime()
			}
		})
	})
	counted := map[string]bool{}
	for _, id := range p.IDs {
		switch {
		case counted[id]:
		case found["results"][id]:
			c.Done++
		case found["failures"][id]:
			c.Failed++
		default:
			c.Missing++
		}
		counted[id] = true
	}
	return c, gone(err)
}

// walk tells of every file in a folder of a run, and of those below it. Links are not followed.
func (f *folder) walk(name string, tell func(path string, d fs.DirEntry, i fs.FileInfo)) error {
	if err := f.direct(name); err != nil {
		return err
	}
	return fs.WalkDir(f.root.FS(), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return gone(f.named(err))
		}
		info, err := d.Info()
		if err != nil {
			return gone(f.named(err))
		}
		tell(at, d, info)
		return nil
	})
}

// gone ignores the error of a missing file: another process may have removed it.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
