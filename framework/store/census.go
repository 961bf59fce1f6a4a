package store

import (
	"errors"
	"io/fs"
	"os"
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
	err := fs.WalkDir(os.DirFS(r.Dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		c.Bytes += info.Size()
		kind, _, _ := strings.Cut(path, "/")
		id, whole := strings.CutSuffix(d.Name(), ".json")
		if found[kind] == nil || !whole {
			return nil
		}
		found[kind][id] = true
		if info.ModTime().After(c.Last) {
			c.Last = info.ModTime()
		}
		return nil
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
	return c, err
}

// gone forgives that a file is not there any more: somebody may be at work.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
