package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
)

// A job is a run at work.
type job struct {
	*command
	x      *experiment
	run    store.Run
	cells  int // that are asked for, each experiment counted once
	done   int // cells of these that have a result
	failed int // cells of these that failed now

	mu      sync.Mutex
	reasons map[string]string // by id: why a cell failed now
}

// execute runs cells, several at once, and stores what comes of each as soon as it is
// there. A cell that fails costs nobody else anything. The first interrupt stops all cells
// after their round, the second one the process. The error is errFailed or errInterrupted.
func (j *job) execute(ctx context.Context, missing []int, f *runFlags) error {
	if len(missing) == 0 {
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	atOnce := min(f.jobs, len(missing))
	o := engine.Options{
		Workers: max(1, f.jobs/atOnce), Folders: folders(f.data),
		// A population and the objective on it, for each cell at work and one more.
		Pantry: engine.NewPantry(3 * (atOnce + 1)),
	}
	p := newProgress(j.command, len(missing), atOnce)
	next := make(chan int)
	var wg sync.WaitGroup
	for k := range atOnce {
		wg.Go(func() {
			defer p.slots[k].close()
			for i := range next {
				j.cell(ctx, i, o, p.slots[k])
			}
		})
	}
	for _, i := range missing {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	p.await(ctx, &wg)
	finished, failed := p.close()
	j.done += finished - failed
	j.failed = failed
	switch {
	case finished < len(missing):
		return errInterrupted
	case failed > 0:
		return errFailed
	}
	return nil
}

// cell runs one cell and stores its result, or why it has none.
func (j *job) cell(ctx context.Context, i int, o engine.Options, s *slot) {
	if ctx.Err() != nil {
		return
	}
	cell, setup := j.x.cells[i], &j.x.setups[i]
	s.begin(name(cell), setup.Rounds)
	o.Progress = s.rounds
	started := time.Now()
	result, err := engine.Run(ctx, setup, o)
	switch {
	case err == nil:
		err = j.keep(result, &store.Attempt{
			Started: started.UTC().Format(time.RFC3339), Seconds: time.Since(started).Seconds(),
			Workers: o.Workers, Build: build(), Volatile: result.Volatile,
		})
	case errors.Is(err, ctx.Err()):
		return
	default:
		failure := &store.Failure{Method: cell.Method, Seed: cell.Seed, Message: err.Error()}
		if unsaved := j.run.SaveFailure(setup.ID, failure); unsaved != nil {
			err = fmt.Errorf("%w\n%w", err, unstorable(j.run.Dir, unsaved))
		}
	}
	if err != nil {
		j.mu.Lock()
		j.reasons[setup.ID] = err.Error()
		j.mu.Unlock()
	}
	s.end(err)
}

// keep stores the result of a cell.
func (j *job) keep(result *engine.Result, a *store.Attempt) error {
	if err := j.run.Put(result); err != nil {
		if errors.Is(err, store.ErrConflict) {
			return err
		}
		return unstorable(j.run.Dir, err)
	}
	if err := j.run.SaveAttempt(result.ID, a); err != nil {
		return unstorable(j.run.Dir, err)
	}
	return nil
}

// build says which program this is.
func build() store.Build {
	b := store.Build{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
