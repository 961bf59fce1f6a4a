package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// A Job is a run at work.
type Job struct {
	*Session
	Experiment *Experiment
	Run        store.Run
	Plan       *store.Plan
	Cells      int // that are asked for, each experiment counted once
	Done       int // cells of these that have a result
	Failed     int // cells of these that failed now, or cannot be read
	turn       int // of this process among those at work on the run

	mu       sync.Mutex
	finished int               // cells that ended now, here or in another process
	broken   int               // those of them that failed
	Reasons  map[string]string // by id: why a cell failed now
	halt     *halt             // cells that would fail as others did
	methods  map[string]bool   // of the cells that are to run
	way      route

	unstored error // why something could not be stored
	bytes    int   // of what could not be stored, at least
	roomless int   // cells that were not begun because their results could not be stored
}

// Conduct runs cells here, and stores what comes of each. It says which other processes are at
// work on the run, and tells them that the command line again goes on. The error is
// fault.ErrFailed where cells failed, fault.ErrInterrupted where some did not begin, or says that
// the run is gone.
func (j *Job) Conduct(ctx context.Context, missing []int, o *Options, again string) error {
	if len(missing) > 0 {
		defer j.enter(again)()
	}
	verdict := j.execute(ctx, missing, o)
	if verdict == nil && j.Failed > 0 {
		verdict = fault.ErrFailed
	}
	if err := j.displaced(); err != nil {
		return err
	}
	return verdict
}

// RunExperiment runs the cells of an experiment that have no result in a folder, and stores what
// comes of them there. The error says why a cell failed where one did; the others have results.
func (s *Session) RunExperiment(ctx context.Context, x *Experiment, dir string, o Options) (
	*Job, error,
) {
	j, err := s.NewRun(x, dir, "")
	if err != nil {
		return nil, err
	}
	missing, terms := j.Missing(), o.settled()
	if err := j.Preflight(ctx, missing, terms, true); err != nil {
		return nil, err
	}
	if err := j.Compile(ctx, missing, terms); err != nil {
		return nil, err
	}
	err = j.Conduct(ctx, missing, terms, "")
	for _, why := range j.Reasons {
		return j, fmt.Errorf("%w: %s", err, why)
	}
	return j, err
}

// NewRun stores the plan of an experiment, and its strategies, in a folder. A run of it that is
// there goes on. The line is the command that plans it.
func (s *Session) NewRun(x *Experiment, dir, line string) (*Job, error) {
	plan := x.Plan(line)
	run, old, err := s.openRun(dir, x.Spec.File, plan)
	if err != nil {
		return nil, err
	}
	if err := keepCode(run, x.Tools.Sources); err != nil {
		return nil, err
	}
	if old != nil {
		s.renewed(run, old, plan)
	}
	return s.newJob(x, run, plan), nil
}

// newJob returns the job that cells of a run are.
func (s *Session) newJob(x *Experiment, run store.Run, plan *store.Plan) *Job {
	return &Job{Session: s, Experiment: x, Run: run, Plan: plan, Reasons: map[string]string{}}
}

// Missing returns the cells that are asked for and have no result, and counts those that
// have one. Cells that are the same experiment are run once.
func (j *Job) Missing() (missing []int) {
	seen := map[string]bool{}
	for i, id := range j.Experiment.IDs {
		if !j.Experiment.Shown[i] || seen[id] {
			continue
		}
		seen[id] = true
		j.Cells++
		result, err := j.Run.Get(id, &j.Experiment.Cells[i])
		switch {
		case result != nil:
			j.Done++
		case err == nil:
			missing = append(missing, i)
		case errors.Is(err, store.ErrCorrupt): // it is computed again
			j.tell(err)
			missing = append(missing, i)
		default: // what cannot be read is not replaced, so that the cell would be run for nothing
			j.Unreadable(err)
			j.Reasons[id] = "its result cannot be read: " + fault.Cause(err).Error()
			j.Failed++
		}
	}
	// cells of one seed share their data: run them next to each other.
	slices.SortStableFunc(missing, func(a, b int) int {
		return cmp.Compare(j.Experiment.Cells[a].Seed, j.Experiment.Cells[b].Seed)
	})
	return missing
}

// Export stores what tasks need of an engine that is not asked here: at most so many tasks. It
// returns the path of their program, too.
func (j *Job) Export(ctx context.Context, missing []int, o *Options, to *Target, most int) (
	sub *store.Submission, program string, err error,
) {
	d := &submission{Job: j, options: o, engine: to.Name, most: most, want: time.Nanosecond,
		site: to.Site}
	sub, err = d.prepare(ctx, missing)
	return sub, d.program, err
}
