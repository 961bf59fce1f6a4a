package session

import (
	"context"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"
)

// longEnough is how long a run interprets its strategies before it has them compiled: what ends
// earlier gains nothing.
const longEnough = 5 * time.Second

// compilingTakes says how long: most of the first time is spent on what hansa is built of.
const compilingTakes = "once; some seconds, the first time a minute or two"

// A route is how the strategies of a job run.
type route struct {
	program atomic.Pointer[string] // with all of them compiled in, once there is one
}

// compilable reports whether the strategies of a job may run compiled: whether there are some in
// the cells that are to run, and those run in worker processes.
func (j *Job) compilable(missing []int, o *Options) bool {
	if o.Strategies != EitherWay && o.Strategies != AsCompiled {
		return false
	}
	for _, i := range missing {
		if j.Experiment.foreign[i] && o.apart(true) {
			return true
		}
	}
	return false
}

// Compile finds the program that the strategies of a job are compiled into, and makes one where
// that is asked for.
func (j *Job) Compile(ctx context.Context, missing []int, o *Options) error {
	if !j.compilable(missing, o) {
		return nil
	}
	path, err := j.Experiment.Tools.Loaded.Program()
	if err != nil {
		return err
	}
	if path == "" && o.Strategies == AsCompiled {
		j.Sayf("compiling %s: "+compilingTakes, j.Experiment.Tools.Loaded.Names())
		if path, err = j.Experiment.Tools.Loaded.Compile(ctx, false); err != nil {
			return err
		}
	}
	if path != "" {
		j.way.program.Store(&path)
	}
	return nil
}

// compileMeanwhile has strategies compiled while cells interpret them, unless that is over soon:
// cells that begin when the program is there run compiled. What it returns ends it.
func (j *Job) compileMeanwhile(
	ctx context.Context, missing []int, o *Options, p Progress,
) (end func()) {
	_, lacking := exec.LookPath("go")
	if o.Strategies != EitherWay || lacking != nil || j.way.program.Load() != nil ||
		!j.compilable(missing, o) {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-ctx.Done():
			return
		case <-time.After(longEnough):
		}
		names := j.Experiment.Tools.Loaded.Names()
		j.announce(p, names)
		path, err := j.Experiment.Tools.Loaded.Compile(ctx, true)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			p.Above(fmt.Sprintf("hansa: %s cannot be compiled and stays interpreted: %v\n", names,
				err))
		default:
			j.way.program.Store(&path)
			p.Above(fmt.Sprintf("training runs that begin now use %s compiled\n", names))
		}
	}()
	return func() {
		stop()
		<-over
	}
}

// announce says that strategies are being compiled: once, though a run with [tune] has jobs of
// trials first, each of which may end before the program is there.
func (j *Job) announce(p Progress, names string) {
	j.Experiment.Tools.Announced.Do(func() {
		p.Above(fmt.Sprintf("compiling %s meanwhile: %s\n", names, compilingTakes))
	})
}
