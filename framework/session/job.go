package session

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
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
	shared   *sharedFailures   // cells that would fail as others did
	methods  map[string]bool   // of the cells that are to run
	way      route
	load     *load

	Used *store.Utilisation // of the cells that ran now; nil: none did

	unstored error // why something could not be stored
	bytes    int   // of what could not be stored, at least
	roomless int   // cells that were not begun because their results could not be stored
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
	x := j.Experiment
	seen := map[string]bool{}
	var asked []int
	for i, id := range x.IDs {
		if x.Shown[i] && !seen[id] {
			seen[id] = true
			asked = append(asked, i)
		}
	}
	done, errs := make([]bool, len(asked)), make([]error, len(asked))
	store.Each(len(asked), func(k int) {
		i := asked[k]
		var result *engine.Result
		result, errs[k] = j.Run.Get(x.IDs[i], &x.Cells[i])
		done[k] = result != nil
	})
	for k, i := range asked {
		j.Cells++
		switch err := errs[k]; {
		case done[k]:
			j.Done++
		case err == nil:
			missing = append(missing, i)
		case errors.Is(err, store.ErrCorrupt): // it is computed again
			j.tell(err)
			missing = append(missing, i)
		default: // what cannot be read is not replaced, so that the cell would be run for nothing
			j.Unreadable(err)
			j.Reasons[x.IDs[i]] = "its result cannot be read: " + fault.Cause(err).Error()
			j.Failed++
		}
	}
	// Those of one seed come next to each other, so that what is there is whole by seeds.
	slices.SortStableFunc(missing, func(a, b int) int {
		return cmp.Compare(x.Cells[a].Seed, x.Cells[b].Seed)
	})
	return missing
}

// TellMissing says how much there is to run, where some cells have a result.
func (j *Job) TellMissing(missing []int) {
	done := phrase.Count(j.Done, "training run is done", "training runs are done")
	switch {
	case len(missing)+j.Failed == 0:
		j.Sayf("nothing to run: %s in %s", done, j.Run.Dir)
	case j.Done > 0:
		j.Sayf("%s, %d to run", done, len(missing))
	}
}

// Planned returns the job that a plan is, or that the cells are of which --only keeps some.
func (s *Session) Planned(
	run store.Run, plan *store.Plan, only []string, call time.Duration,
) (*Job, error) {
	x, err := RebuildOnly(run, plan, only, call)
	if err != nil {
		return nil, err
	}
	return s.newJob(x, run, plan), nil
}
