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

// Cancel cancels all jobs of these names and waits until none of them is left.
func Cancel(ctx context.Context, c Cluster, names []string) error {
	if err := c.Cancel(ctx, names); err != nil {
		return err
	}
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		states, err := c.States(ctx, names)
		if err != nil {
			return err
		}
		live := 0
		for _, t := range states {
			if t.Phase.Live() {
				live++
			}
		}
		if live == 0 {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("%s: %d tasks still run: %w", c.About().Name, live, err)
		}
	}
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
