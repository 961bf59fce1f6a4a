package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// cancelTime is how long tasks may take to end: they have the signal, and KillWait.
const cancelTime = 3 * time.Minute

// Cancel stops everything that works on a run: tasks of clusters, and processes on this machine,
// which stop after the round at work. What is stored stays.
func (s *Session) Cancel(ctx context.Context, run store.Run, plan *store.Plan) error {
	if plan.Tuning != nil && plan.Tuning.Open {
		known, err := TrialPlan(run)
		if err != nil {
			return err
		}
		if known != nil {
			if err := s.Cancel(ctx, Trials(run), known); err != nil {
				return err
			}
		}
	}
	if err := run.MarkCancelled(); err != nil { // before submissions are listed
		return fault.Unstorable(run.Dir, err)
	}
	u, err := s.RunState(ctx, run, plan)
	if err != nil {
		return err
	}
	if u.Unknown != nil {
		return fault.Of(fmt.Errorf("what is in the queue is not known: %w", u.Unknown))
	}
	if n := u.Counts()[StateExported]; n > 0 {
		s.Sayf("%s exported: only their engine can cancel them",
			phrase.Count(n, "training run was", "training runs were"))
	}
	tasks := u.inQueue()
	if tasks > 0 {
		if err := u.cancel(ctx, run); err != nil {
			return fault.Of(err)
		}
		s.Sayf("cancelled %s", phrase.Count(tasks, "task", "tasks"))
	}
	stopped, trouble := s.interrupt(run)
	if tasks == 0 && !stopped && trouble == nil {
		s.Sayf("no process is at work on %s", run.Dir)
	}
	return fault.Of(trouble)
}

// cancel cancels the jobs of all submissions, and waits for their end. What one of them submitted
// before it ended is cancelled, too: a job that goes on with a run submits what is next.
func (s *RunState) cancel(ctx context.Context, run store.Run) error {
	ctx, stop := context.WithTimeout(ctx, cancelTime)
	defer stop()
	return s.cancelBy(run, func(names map[string][]string) error {
		return clusters.Each(names, func(c launch.Cluster, names []string) error {
			return launch.Cancel(ctx, c, names)
		})
	})
}

// cancelBy cancels the jobs of all submissions, of which names are given by cluster, until there is
// no further submission.
func (s *RunState) cancelBy(run store.Run, cancel func(names map[string][]string) error) error {
	for {
		names := map[string][]string{}
		for _, sub := range s.Submissions {
			name := launch.JobName(sub.Name) // the ids of jobs after it may not be stored yet
			names[sub.Engine] = append(names[sub.Engine], name, name+collecting, name+succeeding)
		}
		if err := cancel(names); err != nil {
			return err
		}
		run.Look()
		list, err := run.Submissions()
		if err != nil || slices.EqualFunc(list, s.Submissions, func(a, b *store.Submission) bool {
			return a.Name == b.Name
		}) {
			return err
		}
		s.Submissions = list
	}
}

// interrupt interrupts what works on a run on this machine, as Ctrl-C would.
func (s *Session) interrupt(run store.Run) (some bool, trouble error) {
	for _, b := range run.AtWork() {
		process := AtWork([]store.Busy{b}, time.Now())
		if !b.Here() {
			s.Sayf("%s may be at work, too; it has to be stopped there", process)
			continue
		}
		if b.Began == "" && runtime.GOOS == "linux" {
			s.Sayf("%s does not say when it began, and so may be another program; it has to be "+
				"stopped by hand", process)
			continue
		}
		p, err := os.FindProcess(b.Process)
		if err == nil {
			err = p.Signal(os.Interrupt)
		}
		if err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("%s: %w", process, err))
			continue
		}
		some = true
		s.Sayf("interrupted %s; it stops after the round at work", process)
	}
	return some, trouble
}
