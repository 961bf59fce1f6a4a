package launch

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Cancel cancels all jobs of these names and waits until none of them is left.
func (s *Slurm) Cancel(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := s.ask(ctx, "", "scancel", "--me", "--name="+name); err != nil {
			return err
		}
	}
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		states, err := s.States(ctx, names)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(states, func(t TaskState) bool { return t.Live }) {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("slurm: %d tasks still run: %w", running(states), err)
		}
	}
}

// running counts what waits or runs.
func running(states []TaskState) (n int) {
	for _, t := range states {
		if t.Live {
			n++
		}
	}
	return n
}

// Requeue ends a task and lets it begin again later: usually after two minutes. Index is that
// of the array, or -1 for a single job.
func (s *Slurm) Requeue(ctx context.Context, job string, index int) error {
	_, err := s.ask(ctx, "", "scontrol", "requeue", task(job, index))
	return err
}

// Tell sends a task the signal that it has before its time limit.
func (s *Slurm) Tell(ctx context.Context, job string, index int) error {
	_, err := s.ask(ctx, "", "scancel", "--batch", "--signal=USR1", task(job, index))
	return err
}

// task returns the name of a task as Slurm has it. Its own id will not do: that of an array's
// last task is the array's.
func task(job string, index int) string {
	if index < 0 {
		return job
	}
	return fmt.Sprintf("%s_%d", job, index)
}
