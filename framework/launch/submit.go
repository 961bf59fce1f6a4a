package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// JobName returns what a cluster calls the array of a submission. Everything is found again by it.
func JobName(submission string) string { return "hansa-" + submission }

const (
	tries   = 3
	respite = 2 * time.Second // after the first try, and twice as long after every next one
)

// Submit submits an array and returns its id. What fails may have got through: its name tells,
// and nothing is submitted again before the cluster has said that it is not there. When it cannot
// be asked the error is ErrUnreachable, and the name tells later.
func Submit(ctx context.Context, c Cluster, a *Array) (id string, err error) {
	if err := errors.Join(c.Check(a.Site), a.check(c.About().Name)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(a.Log, 0o755); err != nil {
		return "", err
	}
	open := false // an earlier try may have got through
	for try := range tries {
		if !open {
			if id, err = c.Submit(ctx, a); err == nil {
				return id, nil
			}
		}
		refused := errors.Is(err, ErrRefused)
		if !refused { // the controller may be about to take it
			if over := pause(ctx, respite<<try); over != nil {
				return "", fmt.Errorf("%w; whether %s was submitted was not asked: %w",
					err, a.Name, over)
			}
		}
		found, unknown := find(ctx, c, a.Name)
		open = unknown != nil
		if found != "" {
			return found, nil
		}
		if !open && refused {
			return "", err
		}
	}
	if open {
		return "", fmt.Errorf("%w; whether %s was submitted cannot be asked: %w",
			err, a.Name, ErrUnreachable)
	}
	return "", fmt.Errorf("%w; %s is not submitted after %d tries", err, a.Name, tries)
}

// find returns the id of what has a name: the first, if there are several.
func find(ctx context.Context, c Cluster, name string) (id string, err error) {
	states, err := c.States(ctx, []string{name})
	if len(states) == 0 {
		return "", err
	}
	first := slices.MinFunc(states, func(a, b TaskState) int { // ids are numbers
		return cmp.Or(cmp.Compare(len(a.Job), len(b.Job)), strings.Compare(a.Job, b.Job))
	})
	return first.Job, err
}

// Cancel cancels all jobs of these names and waits until none of them is left. A job that comes
// meanwhile, as its submission was on the way, is cancelled as well. No job is told twice: the
// second signal ends a task that is about to save its work.
func Cancel(ctx context.Context, c Cluster, names []string) error {
	told := map[string]bool{} // jobs, by id
	live, err := liveJobs(ctx, c, names)
	for wait := time.Second; err == nil; wait = min(2*wait, 15*time.Second) {
		var fresh []string
		for _, t := range live {
			if !told[t.Job] && !slices.Contains(fresh, t.Name) {
				fresh = append(fresh, t.Name)
			}
		}
		for _, t := range live {
			told[t.Job] = true
		}
		if len(fresh) > 0 {
			if err := c.Cancel(ctx, fresh); err != nil {
				return err
			}
		}
		if live, err = liveJobs(ctx, c, names); err != nil || len(live) == 0 {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("%s: %d tasks still run: %w", c.About().Name, len(live), err)
		}
	}
	return err
}

// liveJobs returns the tasks of these names that wait or run.
func liveJobs(ctx context.Context, c Cluster, names []string) ([]TaskState, error) {
	states, err := c.States(ctx, names)
	return slices.DeleteFunc(states, func(t TaskState) bool { return !t.Phase.Live() }), err
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
