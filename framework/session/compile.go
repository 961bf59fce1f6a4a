package session

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
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
		p.Above(fmt.Sprintf("compiling %s meanwhile: %s\n", names,
			compilingTakes))
		path, err := j.Experiment.Tools.Loaded.Compile(ctx, true)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			p.Above(fmt.Sprintf("hansa: %s cannot be compiled and stays interpreted: %v\n", names,
				err))
		default:
			j.way.program.Store(&path)
			p.Above(fmt.Sprintf("cells that begin now run %s compiled\n", names))
		}
	}()
	return func() {
		stop()
		<-over
	}
}

// hire has the worker of a hand be of the program in which the cell runs.
func (h *runner) hire(i int) error {
	program := ""
	if made := h.way.program.Load(); made != nil {
		program = *made
		for _, source := range h.Experiment.Cells[i].Sources() {
			_, digest, _ := strings.Cut(source, " ")
			h.compiled = append(h.compiled, digest)
		}
	}
	if h.worker != nil && h.program == program {
		return nil
	}
	if h.worker != nil {
		h.worker.Close()
	}
	var err error
	if h.program = program; program == "" {
		h.worker, err = newWorker(Size(h.options.Memory))
		return err
	}
	h.worker = workerOf(program, Size(h.options.Memory))
	h.worker.Env = []string{"GOTRACEBACK=single"} // which names the line of the author
	h.worker.Blame = h.Experiment.Tools.Loaded.Blame
	return nil
}

// numbers says what the bits of a worker with strategies compiled in are to depend on.
func (h *runner) numbers() string {
	if h.program == "" {
		return ""
	}
	own, err := h.keeper.numerics()
	if err != nil {
		return "not known: " + err.Error() // and so of no program
	}
	return own
}

// workerOf returns a worker process of a program that is not yet running.
func workerOf(program string, memory Size) *launch.Worker {
	args := []string{"task", "--memory", fmt.Sprint(uint64(memory))}
	return &launch.Worker{Path: program, Args: args}
}

// programFor returns the program that tasks elsewhere run, and its SHA-256: this one, or one with
// the strategies compiled in, where they can be.
func (d *submission) programFor(ctx context.Context, missing []int) (
	content []byte, digest string, err error,
) {
	d.strategies = AsInterpreted
	if d.compilable(missing, d.options) {
		path, err := d.compileAhead(ctx)
		if err != nil {
			return nil, "", err
		}
		if path != "" {
			d.strategies = AsCompiled
			content, digest, err := host.ReadProgram(path)
			return content, digest, fault.Of(err)
		}
	}
	content, digest, err = host.Program()
	return content, digest, fault.Of(err)
}

// compileAhead returns the program with the strategies compiled in, or "" where they are to be
// interpreted.
func (d *submission) compileAhead(ctx context.Context) (string, error) {
	list, offline := d.Experiment.Tools.Loaded, d.options.Strategies == EitherWay
	if path, err := list.Program(); path != "" || err != nil {
		return path, err
	}
	if _, lacking := exec.LookPath("go"); lacking != nil && offline {
		return "", nil
	}
	d.Sayf("compiling %s: "+compilingTakes, list.Names())
	path, err := list.Compile(ctx, offline)
	if errors.As(err, new(fault.Fault)) && offline {
		d.Sayf("hansa: %s cannot be compiled and stays interpreted: %v", list.Names(), err)
		return "", nil
	}
	return path, err
}
