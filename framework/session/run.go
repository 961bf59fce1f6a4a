package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// Conduct runs cells here, and stores what comes of each. It says which other processes are at
// work on the run, and tells them that the command line again goes on. The error is
// fault.ErrFailed where cells failed, fault.ErrInterrupted where some did not begin, or says that
// the run is gone.
func (j *Job) Conduct(ctx context.Context, missing []int, o *Options, again string) error {
	if len(missing) > 0 {
		defer j.enter(again)()
	}
	verdict := j.execute(ctx, missing, o)
	j.tellUsed()
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
	terms := o.settled()
	if x.Tune != nil {
		t, err := s.OpenTuning(x, store.Run{Dir: dir}, x.Plan(""))
		if err != nil {
			return nil, err
		}
		x, err = t.Finish(func(j *Job, missing []int) error {
			return j.Here(ctx, missing, terms, "")
		})
		if err != nil {
			return nil, err
		}
	}
	j, err := s.NewRun(x, dir, "")
	if err != nil {
		return nil, err
	}
	missing := j.Missing()
	err = j.Here(ctx, missing, terms, "")
	for _, why := range j.Reasons {
		return j, fmt.Errorf("%w: %s", err, why)
	}
	return j, err
}

// Here prepares cells and runs them here. The error is that of Conduct, or says why nothing can be
// run.
func (j *Job) Here(ctx context.Context, missing []int, o *Options, again string) error {
	if err := j.Preflight(ctx, missing, o, true); err != nil {
		return err
	}
	if err := j.Compile(ctx, missing, o); err != nil {
		return err
	}
	return j.Conduct(ctx, missing, o, again)
}

// enter notes that this process is at work on the run, and says which others are. What it returns
// ends the note.
func (j *Job) enter(command string) (leave func()) {
	others, turn, leave := j.Run.Enter(command, time.Now())
	j.turn = turn
	if text := company(j.Run.Dir, others, time.Now()); text != "" {
		j.Sayf("%s", text)
	}
	return leave
}

// displaced says where results are when the folder of the run was moved or removed while cells ran:
// in a new folder under the old name, which has no plan.
func (j *Job) displaced() error {
	if _, err := os.Stat(filepath.Join(j.Run.Dir, "plan.json")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Of(fmt.Errorf("%s was moved or removed while hansa ran: what was stored since "+
		"then is in a new folder of that name, and can be copied into the one that was moved; or "+
		"run what is missing there, with --dir", j.Run.Dir))
}
