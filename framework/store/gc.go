package store

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A Scrap is a file of a run, or a folder with all that is in it, that is not needed.
type Scrap struct {
	Path  string // from the folder of the run, with slashes
	Kind  string // what it is one of, in the plural
	Bytes int64
}

// A Sweep says what is taken for scrap beside what always is: checkpoints of runs that are done,
// or not in the plan, and drafts and notes of processes of this machine that are dead.
type Sweep struct {
	Now        time.Time // drafts of other machines are scrap that are older than a day
	Elsewhere  bool      // so are all notes of processes of other machines
	Orphans    bool      // so is all of cells that are not in the plan
	Quarantine bool      // so is what did not verify, and what is not deterministic
	Queue      *Queue    // so are submissions and programs that are not in it; nil: none is
}

// A Queue is what an engine that runs cells elsewhere has yet to do for a run.
type Queue struct {
	Submissions []string // their names, which are those of their folders
	Programs    []string // that they need, by their SHA-256
}

// abandoned is how old the draft of a process of another machine must be: far longer than it takes
// to write a file, and than two clocks differ.
const abandoned = 24 * time.Hour

// Scraps lists what is not needed of a run, kind by kind. What it cannot read it leaves out; the
// error says so.
func (r Run) Scraps(p *Plan, s *Sweep) ([]Scrap, error) {
	f, err := openFolder(r.Dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	w := &sweeper{folder: f, Sweep: s, planned: map[string]bool{}}
	for _, id := range p.IDs {
		w.planned[id] = true
	}
	w.drafts()
	w.notes()
	w.checkpoints()
	if s.Orphans {
		for _, kind := range []string{"results", "attempts", "failures"} {
			w.collect(kind+" of training runs that are not in the plan",
				kind+"/*/[^.]*.json", w.orphan)
		}
		w.collect("folders of arrays of training runs that are not in the plan",
			"arrays/*", w.orphan)
	}
	if s.Quarantine {
		w.collect("files in quarantine", "quarantine/[^.]*", func(string) bool { return true })
	}
	if s.Queue != nil {
		w.collect("submissions that are not queued", "submissions/*", func(name string) bool {
			return !slices.Contains(s.Queue.Submissions, path.Base(name))
		})
		w.collect("programs that nothing queued needs", "bin/*", func(name string) bool {
			return !slices.Contains(s.Queue.Programs, path.Base(name))
		})
	}
	return w.found, w.err
}

// A sweeper looks through a run.
type sweeper struct {
	*folder
	*Sweep
	planned map[string]bool
	found   []Scrap
	err     error
}

// collect takes for scrap what lies at a pattern and is found to be.
func (w *sweeper) collect(kind, pattern string, scrap func(name string) bool) {
	names, err := w.match(pattern)
	w.err = errors.Join(w.err, err)
	for _, name := range names {
		if scrap(name) {
			w.add(kind, name)
		}
	}
}

// add takes a file or a folder for scrap.
func (w *sweeper) add(kind, name string) {
	s := Scrap{Path: name, Kind: kind}
	err := w.walk(name, func(_ string, _ fs.DirEntry, info fs.FileInfo) { s.Bytes += info.Size() })
	w.err = errors.Join(w.err, err)
	w.found = append(w.found, s)
}

// cellOf returns the cell that a file is of.
func cellOf(name string) string {
	id, _, _ := strings.Cut(path.Base(name), ".")
	return id
}

func (w *sweeper) orphan(name string) bool { return !w.planned[cellOf(name)] }

// drafts adds the drafts of dead processes: of this machine by process, of others by age.
func (w *sweeper) drafts() {
	drafts, err := w.folder.drafts()
	w.err = errors.Join(w.err, err)
	for _, d := range drafts {
		scrap := d.dead()
		if info, err := w.root.Lstat(d.path); err == nil && d.host != hostName() {
			scrap = w.Now.Sub(info.ModTime()) > abandoned
		}
		if scrap {
			w.add("drafts of processes that have ended", d.path)
		}
	}
}

func (w *sweeper) notes() {
	notes, err := w.folder.notes()
	w.err = errors.Join(w.err, err)
	for _, n := range notes {
		if !n.Alive() || w.Elsewhere && !n.Here() {
			w.add("notes of processes that have ended", n.path)
		}
	}
}

func (w *sweeper) checkpoints() {
	const pattern = "checkpoints/*/[^.]*.ckpt"
	w.collect("checkpoints of training runs that are done", pattern, func(name string) bool {
		if !w.planned[cellOf(name)] {
			return false
		}
		done, _ := w.verify(cellOf(name), nil)
		return done
	})
	w.collect("checkpoints of training runs that are not in the plan", pattern, w.orphan)
}

// Discard removes scraps, as many as it can, and returns those that it removed.
func (r Run) Discard(scraps []Scrap) (removed []Scrap, err error) {
	err = r.within(func(f *folder) (err error) {
		for _, s := range scraps {
			failed := f.direct(s.Path)
			if failed == nil {
				failed = f.named(f.root.RemoveAll(s.Path))
			}
			if err = errors.Join(err, failed); failed == nil {
				removed = append(removed, s)
			}
		}
		return err
	})
	return removed, err
}
