package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// An unsavedResult was computed, and is not stored yet.
type unsavedResult struct {
	cell    int
	result  *engine.Result
	attempt *store.Attempt
}

// pauses are how long a runner waits before it tries again to store a result: a server may be away
// for a moment, or another program make room.
func pauses() []time.Duration {
	return []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, 800 * time.Millisecond}
}

// finish stores a result. While it cannot, the runner keeps it and begins no other cell, so that
// there is one such result for each runner and no more.
func (h *runner) finish(ctx context.Context, r *unsavedResult) {
	err := h.keep(r.result, r.attempt)
	var full *fault.Unstored
	if !errors.As(err, &full) {
		h.end(r.cell, err)
		return
	}
	content, _ := json.Marshal(r.result) // else it has no size, and is not stored either
	h.mu.Lock()
	again := h.unstored == nil // where it was in vain before, there is no waiting
	h.unstored, h.bytes = err, max(h.bytes, len(content))
	h.mu.Unlock()
	h.unsaved = r
	_ = h.Job.Run.DropPrevious(r.result.ID) // the last one stays, in case the result is lost
	if again {
		h.wait(ctx)
	}
}

// wait tries to store the unsaved result, a few times.
func (h *runner) wait(ctx context.Context) {
	for _, pause := range pauses() {
		if h.retry() {
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
	h.retry()
}

// retry tries to store the unsaved result. It reports whether there is none any more.
func (h *runner) retry() bool {
	if h.unsaved == nil {
		return true
	}
	err := h.keep(h.unsaved.result, h.unsaved.attempt)
	var full *fault.Unstored
	if errors.As(err, &full) {
		return false
	}
	h.end(h.unsaved.cell, err)
	h.unsaved = nil
	return true
}

// settle tries once more, at the end of all cells, to store the unsaved result. Where that is in
// vain the cell failed.
func (h *runner) settle() {
	if h.unsaved != nil {
		h.end(h.unsaved.cell, h.keep(h.unsaved.result, h.unsaved.attempt))
		h.unsaved = nil
	}
}

// storable reports whether the result of a cell could be stored, as far as that is known: once
// something could not, it is tried with as many bytes before the cell begins.
func (h *runner) storable(i int) bool {
	h.mu.Lock()
	bytes := h.bytes
	h.mu.Unlock()
	if bytes == 0 || h.retry() && h.Job.Run.Room(h.Experiment.IDs[i], bytes) == nil {
		return true
	}
	h.mu.Lock()
	h.roomless++
	h.mu.Unlock()
	return false
}

// failsAsOthers reports whether a cell would fail as others did, and so is not begun.
func (h *runner) failsAsOthers(i int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	why := h.shared.why(&h.Experiment.Cells[i])
	if why != "" {
		h.shared.skip[why]++
	}
	return why != ""
}

// unbegun counts the cells that were not begun although nothing was interrupted.
func (j *Job) unbegun() int {
	if j.shared == nil {
		return 0
	}
	return j.roomless + j.shared.skipped()
}

// LeftOut says how many cells were not begun, behind how many failed.
func (j *Job) LeftOut() string {
	if n := j.unbegun(); n > 0 {
		return fmt.Sprintf(", %d not begun", n)
	}
	return ""
}

// tellRoom says once that cells were not begun because their results could not be stored, and what
// is to be done.
func (j *Job) tellRoom() {
	var full *fault.Unstored
	if j.roomless == 0 || !errors.As(j.unstored, &full) {
		return
	}
	remedy := "put that right"
	if errors.Is(full, syscall.ENOSPC) {
		remedy = "make room there"
	}
	j.Sayf("hansa: %s not begun, as the results could not be stored: %v; %s, and run the rest",
		phrase.Count(j.roomless, "training run was", "training runs were"), full.Unwrap(), remedy)
}
