package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// A TaskEnd says how a task ended.
type TaskEnd int

const (
	TaskRan      TaskEnd = iota // all of its cells ended; the error says whether some failed
	TaskPlanless                // there is nothing that could be run
	TaskUnstored                // something could not be stored
	TaskStopped                 // it was stopped from outside; what was done is stored
)

// Task runs the cells that a submission gave to one task.
func (s *Session) Task(ctx context.Context, run store.Run, submission string, index int) (
	TaskEnd, error,
) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer heed(stop)() // a signal before this ends the task
	w, err := run.LoadWork(submission, index)
	if err != nil {
		return TaskPlanless, err
	}
	x, err := rebuild(run, w)
	if err != nil {
		return TaskPlanless, err
	}
	o := termsOf(w)
	j := s.newJob(x, run, nil)
	missing := j.Missing()
	if err := j.Compile(ctx, missing, o); err != nil {
		return TaskPlanless, err
	}
	s.Sayf("task %d of %s: %s, %d with a result%s", index, submission,
		phrase.Count(j.Cells, "training run", "training runs"), j.Done, whereabouts())
	verdict := j.execute(ctx, missing, o)
	switch {
	case verdict == fault.ErrInterrupted:
		t := &turn{j, submission, index}
		return TaskStopped, t.stopped(context.Cause(ctx), w.Terms.NoRequeue)
	case verdict == fault.ErrFailed && j.unstored != nil:
		return TaskUnstored, verdict
	case verdict == nil:
		s.Sayf("task %d is done", index)
	}
	return TaskRan, verdict
}

// termsOf returns how a task runs its cells: as was settled, within what its engine gives it.
func termsOf(w *store.Work) *Options {
	o := (&Options{Terms: w.Terms}).settled()
	o.Folders = append(o.Folders, Folders("", "")...)
	if _, self := clusters.Here(); self.Memory > 0 {
		// Too much of it shows as slowness before the engine kills the task.
		most := self.Memory / 10 * 9
		debug.SetMemoryLimit(int64(most))
		if o.Memory == 0 {
			o.Memory = most / uint64(min(o.Jobs, len(w.Cells)))
		}
	}
	return o
}

// heed has signals of the engine stop what runs, and returns what ends that. SIGTERM may follow
// upon SIGUSR1 and must not end a task that is saving its cells.
func heed(stop context.CancelCauseFunc) func() {
	told := make(chan os.Signal, 4)
	signal.Notify(told, launch.StopSignals()...)
	go func() {
		for s := range told {
			stop(signalled{s})
		}
	}()
	return func() {
		signal.Stop(told)
		close(told)
	}
}

// signalled is the cause of what ends because of a signal.
type signalled struct{ by os.Signal }

// Error implements error.
func (s signalled) Error() string { return "stopped by " + s.by.String() }

// whereabouts says where a task runs, where its engine says so.
func whereabouts() string {
	_, self := clusters.Here()
	text := ""
	if node := cmp.Or(self.Node, os.Getenv("HOSTNAME")); node != "" {
		text = "; on " + node
	}
	if self.Restarts > 0 {
		text += fmt.Sprintf(", restart %d", self.Restarts)
	}
	return text
}

// A turn is one start of a task.
type turn struct {
	*Job
	submission string
	index      int
}

// Guards against starts without end.
const (
	mostFruitless = 3
	mostRestarts  = 100
)

// requeueing is how long a controller may take to answer.
const requeueing = 30 * time.Second

// stopped says what becomes of a task that was stopped, and asks to be started again where its
// engine told it early that its time is over.
func (t *turn) stopped(cause error, forbidden bool) error {
	t.Sayf("%v: %d of %d training runs are done and stored", cause, t.Done, t.Cells)
	cluster, self := clusters.Here()
	why := t.barred(cause, self, forbidden)
	if why == "" {
		ctx, cancel := context.WithTimeout(context.Background(), requeueing)
		defer cancel()
		err := cluster.Requeue(ctx, self.Job, self.Index)
		if err == nil {
			t.Sayf("it will be started again")
			return fault.ErrInterrupted
		}
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() < 0 {
			// That it is started again begins with the end of all its processes.
			t.Sayf("it asked to be started again, and was ended before the answer; `%s` goes on "+
				"where it is not", phrase.Hint("resume", t.Run.Dir))
			return fault.ErrInterrupted
		}
		why = err.Error()
	}
	t.Sayf("not started again: %s; `%s` goes on", why, phrase.Hint("resume", t.Run.Dir))
	return fault.ErrInterrupted
}

// barred says why a task does not ask to be started again, or "".
func (t *turn) barred(cause error, self launch.Self, forbidden bool) string {
	last := t.Run.LoadTurn(t.submission, t.index)
	now := store.Turn{Rounds: t.safe()}
	if self.Restarts > 0 && now.Rounds <= last.Rounds {
		now.Fruitless = last.Fruitless + 1
	}
	if err := t.Run.SaveTurn(t.submission, t.index, now); err != nil {
		return cause.Error() + "; and " + fault.Unstorable(t.Run.Dir, err).Error()
	}
	var s signalled
	switch {
	case !errors.As(cause, &s) || s.by != launch.AskAgain():
		return "its cluster did not ask for that"
	case self.Job == "" || self.Index < 0:
		return "it is no task of an array of a cluster"
	case forbidden:
		return "the site profile says scontrol = false"
	case now.Fruitless >= mostFruitless:
		return fmt.Sprintf("%d starts in a row finished no round", now.Fruitless)
	case self.Restarts >= mostRestarts:
		return fmt.Sprintf("it was started again %d times", self.Restarts)
	}
	return ""
}

// safe counts the rounds of all cells that are stored.
func (t *turn) safe() (rounds int) {
	for i, id := range t.Experiment.IDs {
		setup := &t.Experiment.setups[i]
		if result, err := t.Run.Get(id, &t.Experiment.Cells[i]); err == nil && result != nil {
			rounds += setup.Rounds
			continue
		}
		if p, _ := t.Run.LoadCheckpoint(setup.CheckpointID(), numerics); p != nil {
			rounds += p.Round
		}
	}
	return rounds
}
