package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// conduct runs cells here, and stores what comes of each. It says which other processes are at work
// on the run, and tells them that the command line again goes on. The error is fault.ErrFailed where
// cells failed, fault.ErrInterrupted where some did not begin, or says that the run is gone.
func (j *job) conduct(ctx context.Context, missing []int, o *options, again string) error {
	if len(missing) > 0 {
		defer j.enter(again)()
	}
	verdict := j.execute(ctx, missing, o)
	if verdict == nil && j.failed > 0 {
		verdict = fault.ErrFailed
	}
	if err := j.displaced(); err != nil {
		return err
	}
	return verdict
}

// newRun stores the plan of an experiment, and its strategies, in a folder. A run of it that is
// there goes on. The line is the command that plans it.
func (s *session) newRun(x *experiment, dir, line string) (*job, error) {
	plan := x.plan(line)
	run, old, err := s.openRun(dir, x.spec.File, plan)
	if err != nil {
		return nil, err
	}
	if err := keepCode(run, x.tools.sources); err != nil {
		return nil, err
	}
	if old != nil {
		s.renewed(run, old, plan)
	}
	return s.newJob(x, run, plan), nil
}

// newJob returns the job that cells of a run are.
func (s *session) newJob(x *experiment, run store.Run, plan *store.Plan) *job {
	return &job{session: s, x: x, run: run, plan: plan, reasons: map[string]string{}}
}

// missing returns the cells that are asked for and have no result, and counts those that
// have one. Cells that are the same experiment are run once.
func (j *job) missing() (missing []int) {
	seen := map[string]bool{}
	for i, id := range j.x.ids {
		if !j.x.shown[i] || seen[id] {
			continue
		}
		seen[id] = true
		j.cells++
		result, err := j.run.Get(id, &j.x.cells[i])
		switch {
		case result != nil:
			j.done++
		case err == nil:
			missing = append(missing, i)
		case errors.Is(err, store.ErrCorrupt): // it is computed again
			j.tell(err)
			missing = append(missing, i)
		default: // what cannot be read is not replaced, so that the cell would be run for nothing
			j.unreadable(err)
			j.reasons[id] = "its result cannot be read: " + fault.Cause(err).Error()
			j.failed++
		}
	}
	// Cells of one seed share their data: run them next to each other.
	slices.SortStableFunc(missing, func(a, b int) int {
		return cmp.Compare(j.x.cells[a].Seed, j.x.cells[b].Seed)
	})
	return missing
}
