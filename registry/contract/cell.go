package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
)

// Cell examines a whole cell, whose components may each be sound alone. It runs the cell
// from the beginning once for each of 1, 3 and 8 workers, once more, and from after every
// round to the end: a few rounds say as much as many.
func Cell(s *engine.Setup, o engine.Options) []Violation {
	o.Memo, o.Progress = nil, nil // runs are to share nothing
	rig := &rig{setup: s, options: o}
	answers := run(cellChecks(), rig)
	var all []Violation
	for _, c := range cellChecks() {
		if found := answers[c.name]; found != "" {
			all = append(all, Violation{"cell", s.ID, c.name, c.requirement, found, false})
		}
	}
	return all
}

func cellChecks() []check[*rig] {
	return []check[*rig]{
		{"runs", "it runs to its end", "", (*rig).runs},
		{"repeatable", "run twice, it gives the same bits", "runs", (*rig).repeats},
		{"workers", "1, 3 and 8 workers give the same bits", "repeatable", (*rig).shares},
		{"resumes", "stopped after any round and resumed, it gives the bits of running in one go",
			"repeatable", (*rig).resumes},
	}
}

// A rig is a cell under examination.
type rig struct {
	setup   *engine.Setup
	options engine.Options
	stops   [][]byte // checkpoints of the first run, with one worker, after every round
	end     string   // what that run came to
}

// open starts the cell with a number of workers.
func (r *rig) open(workers int) (*engine.Cell, error) {
	r.options.Workers = workers
	return engine.Start(r.setup, r.options)
}

// finish plays what is left and returns what the cell came to: its result and its model.
func (r *rig) finish(c *engine.Cell, visit func()) (string, error) {
	defer c.Close()
	for c.Rounds() < r.setup.Rounds {
		if err := c.Step(); err != nil {
			return "", err
		}
		visit()
	}
	text, err := json.Marshal(c.Result())
	if err != nil {
		return "", err
	}
	d, last := newDigest(), c.Checkpoint()
	d.floats(last.Global)
	d.floats(last.Average)
	return fmt.Sprintf("%s\nmodel %x", text, d.sum()), nil
}

func (r *rig) runs() string {
	c, err := r.open(1)
	if err != nil {
		return "error: " + err.Error()
	}
	var unsaved error
	stop := func() {
		var b bytes.Buffer
		unsaved = errors.Join(unsaved, c.Checkpoint().Encode(&b))
		r.stops = append(r.stops, b.Bytes())
	}
	r.stops = nil
	stop()
	if r.end, err = r.finish(c, stop); err == nil {
		err = unsaved
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return ""
}

func (r *rig) repeats() string { return r.with(1) }

func (r *rig) shares() string {
	for _, workers := range []int{3, 8} {
		if broken := r.with(workers); broken != "" {
			return at(fmt.Sprintf("%d workers", workers), broken)
		}
	}
	return ""
}

// with runs the cell from the beginning and says how it ends otherwise.
func (r *rig) with(workers int) string {
	c, err := r.open(workers)
	if err != nil {
		return "error: " + err.Error()
	}
	end, err := r.finish(c, func() {})
	return r.unlike(end, err)
}

func (r *rig) resumes() string {
	r.options.Workers = 1
	for round, stop := range r.stops {
		p, err := engine.DecodeCheckpoint(bytes.NewReader(stop), int64(len(stop)))
		if err != nil {
			return fmt.Sprintf("after round %d: error: %v", round, err)
		}
		c, err := engine.Resume(r.setup, r.options, p)
		if err != nil {
			return fmt.Sprintf("after round %d: error: %v", round, err)
		}
		end, err := r.finish(c, func() {})
		if broken := r.unlike(end, err); broken != "" {
			return at(fmt.Sprintf("after round %d", round), broken)
		}
	}
	return ""
}

// unlike says where a run ends unlike the first.
func (r *rig) unlike(end string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	if end == r.end {
		return ""
	}
	same := 0
	for same < min(len(end), len(r.end)) && end[same] == r.end[same] {
		same++
	}
	around := func(s string) string { return s[max(0, same-40):min(len(s), same+40)] }
	return fmt.Sprintf("…%s… instead of …%s…", around(end), around(r.end))
}
