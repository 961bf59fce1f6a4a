package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// create creates a file of its own next to a name, and returns what it is called: that begins with
// a dot, so that it is not taken for the file itself, and says which process of which machine
// writes it.
func (f *folder) create(name string) (file *os.File, at string, err error) {
	for {
		at = path.Join(path.Dir(name), fmt.Sprintf(".%s.%s.%d.%s", path.Base(name), hostName(),
			os.Getpid(), strings.ToLower(rand.Text()[:8])))
		file, err = f.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, at, err
		}
	}
}

// mostOfHost is how much of the name of a machine is in the names of files.
const mostOfHost = 32

// hostName returns the name of this machine as names of files have it: without dots.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	name = strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, cmp.Or(name, "unnamed"))
	return name[:min(len(name), mostOfHost)]
}

// leftover is the form of the names that create gives: host, process and something random. Those
// that hansa gave before had no host, and a number at the end.
var leftover = regexp.MustCompile(
	`^\..+\.(?:json|npy|ckpt)(?:\.([\w-]+)\.([0-9]+)\.[a-z0-9]+|\.[0-9]+\.[0-9]+)$`)

// drafts lists the drafts of a run, their paths from its folder, and whose they are.
func (f *folder) drafts() (list []draftFile, trouble error) {
	for _, in := range []string{"", "quarantine/", "results/*/", "attempts/*/", "failures/*/",
		"arrays/*/", "checkpoints/*/", "busy/", "submissions/*/"} {
		found, err := f.match(in + ".*.*.*")
		trouble = errors.Join(trouble, err)
		for _, name := range found {
			m := leftover.FindStringSubmatch(path.Base(name))
			if m == nil {
				continue
			}
			pid, _ := strconv.Atoi(m[2]) // the old form has none
			list = append(list, draftFile{name, m[1], pid})
		}
	}
	return list, trouble
}

// A draftFile is a draft that lies in a run.
type draftFile struct {
	path string // from the folder of the run, with slashes
	host string // "" where its name does not say
	pid  int
}

// dead reports whether the process that wrote the draft is known to have ended.
func (d draftFile) dead() bool {
	if d.host != hostName() {
		return false
	}
	_, alive := process(d.pid)
	return !alive
}

// Tidy removes what processes of this machine that were killed left: drafts, notes that they are at
// work, and checkpoints of cells that have a result. No clock is read, so that a clock that jumps
// cannot remove a file that is being written; what other machines left is for gc.
func (r Run) Tidy() error {
	return gone(r.within(func(f *folder) error {
		drafts, err := f.drafts()
		for _, d := range drafts {
			if d.dead() {
				err = errors.Join(err, f.drop(d.path))
			}
		}
		return errors.Join(err, f.forget(), f.dropFinished())
	}))
}
