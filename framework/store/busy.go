package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A Busy is a note that a process is at work on a run: busy/<host>-<process>.json. It is advice: a
// wrong note, or a missing one, costs at most that a cell is run twice.
type Busy struct {
	Host    string `json:"host"`
	Process int    `json:"process"`
	Began   string `json:"began,omitempty"` // when the process did; see process
	Command string `json:"command"`
	Since   string `json:"since"` // RFC 3339
}

// Here reports whether the process is, or was, one of this machine. Whether a process of another
// machine is alive is not known.
func (b *Busy) Here() bool {
	host, err := os.Hostname()
	return err == nil && b.Host == host
}

// Alive reports whether the process is at work, as far as that is known here.
func (b *Busy) Alive() bool {
	if !b.Here() {
		return true
	}
	began, alive := process(b.Process)
	return alive && (b.Began == "" || began == "" || b.Began == began)
}

// compare orders notes by machine and process.
func (b *Busy) compare(o *Busy) int {
	return cmp.Or(strings.Compare(b.Host, o.Host), b.Process-o.Process)
}

// Enter notes that this process is at work. It returns those that are at work, too, which of all
// of them this one is, counted from 0, and what ends the note. Those that were there before come
// first; among those that come at one moment names decide, for clocks may jump.
func (r Run) Enter(command string, since time.Time) (others []Busy, turn int, leave func()) {
	me := Busy{Process: os.Getpid(), Command: command, Since: since.Format(time.RFC3339)}
	me.Host, _ = os.Hostname()
	me.Began, _ = process(me.Process)
	name := fmt.Sprintf("busy/%s-%d.json", hostName(), me.Process)
	earlier := r.AtWork()
	leave = func() { // or Tidy does, once this process is dead
		_ = r.within(func(f *folder) error { return f.drop(name) })
	}
	if err := r.save(name, busyForm, "", &me); err != nil {
		leave = func() {} // it is only advice
	}
	for _, b := range r.AtWork() {
		if b.compare(&me) == 0 {
			continue
		}
		others = append(others, b)
		if slices.Contains(earlier, b) || b.compare(&me) < 0 {
			turn++
		}
	}
	return others, turn, leave
}

// AtWork returns the notes of the processes that are at work on the run, by machine and process.
func (r Run) AtWork() []Busy {
	var alive []Busy
	var notes []note
	_ = r.within(func(f *folder) error {
		notes, _ = f.notes()
		return nil
	})
	for _, n := range notes {
		if n.Alive() {
			alive = append(alive, n.Busy)
		}
	}
	slices.SortFunc(alive, func(a, b Busy) int { return a.compare(&b) })
	return alive
}

// A note is a Busy in its file.
type note struct {
	Busy
	path string // from the folder of the run, with slashes
}

// notes reads all notes. One that cannot be read says nothing.
func (f *folder) notes() (list []note, err error) {
	found, err := f.match("busy/[^.]*.json")
	for _, name := range found {
		n := note{path: name}
		there, err := f.load(name, busyForm, "", &n.Busy)
		if there && err == nil && n.Process > 0 {
			list = append(list, n)
		}
	}
	return list, err
}

// forget removes the notes of processes of this machine that are dead.
func (f *folder) forget() error {
	notes, err := f.notes()
	for _, n := range notes {
		if !n.Alive() {
			err = errors.Join(err, f.drop(n.path))
		}
	}
	return err
}
