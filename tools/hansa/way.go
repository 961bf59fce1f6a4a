package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/compile"
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

// newKit returns what strategies are compiled with.
func newKit(offline bool) (*compile.Kit, error) {
	tree, err := compile.Carried()
	if err != nil {
		return nil, err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return &compile.Kit{Source: tree, Cache: filepath.Join(dir, "hansa", "compiled"),
		Now: time.Now(), Offline: offline}, nil
}

// compilable reports whether the strategies of a job may run compiled: whether there are some in
// the cells that are to run, and those run in worker processes.
func (j *job) compilable(missing []int, o *options) bool {
	if o.Strategies != eitherWay && o.Strategies != asCompiled {
		return false
	}
	for _, i := range missing {
		if j.x.foreign[i] && o.apart(true) {
			return true
		}
	}
	return false
}

// compile finds the program that the strategies of a job are compiled into, and makes one where
// that is asked for.
func (j *job) compile(ctx context.Context, missing []int, o *options) error {
	if !j.compilable(missing, o) {
		return nil
	}
	path, err := j.x.tools.loaded.program()
	if err != nil {
		return err
	}
	if path == "" && o.Strategies == asCompiled {
		j.say("compiling %s: "+compilingTakes, j.x.tools.loaded.names())
		if path, err = j.x.tools.loaded.compile(ctx, false); err != nil {
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
func (j *job) compileMeanwhile(
	ctx context.Context, missing []int, o *options, p progress,
) (end func()) {
	_, lacking := exec.LookPath("go")
	if o.Strategies != eitherWay || lacking != nil || j.way.program.Load() != nil ||
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
		names := j.x.tools.loaded.names()
		p.Above(fmt.Sprintf("compiling %s meanwhile: %s\n", names,
			compilingTakes))
		path, err := j.x.tools.loaded.compile(ctx, true)
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

// names says which strategies there are.
func (s strategies) names() string {
	var names []string
	for _, one := range s {
		names = append(names, one.Path)
	}
	return strings.Join(names, ", ")
}

// program returns a program with strategies compiled in that is there: this one, or one that was
// made before; else "".
func (s strategies) program() (string, error) {
	own := compiledStrategies()
	lacking := 0
	for _, one := range s {
		if _, ok := own[one.Digest()]; !ok {
			lacking++
		}
	}
	if lacking == 0 {
		return os.Executable()
	}
	kit, err := newKit(true)
	if err != nil {
		return "", nil // there is no cache, and so nothing in it
	}
	path, _ := kit.Made(s)
	return path, nil
}

// compile returns a program with strategies compiled in. An error that is no mistake in a strategy
// is a fault.
func (s strategies) compile(ctx context.Context, offline bool) (string, error) {
	kit, err := newKit(offline)
	if err != nil {
		return "", fault.Of(fmt.Errorf("--strategies compiled: %w", err))
	}
	path, err := kit.Program(ctx, s)
	switch {
	case errors.Is(err, ctx.Err()) && ctx.Err() != nil:
		return "", fault.ErrInterrupted
	case err == nil || errors.As(err, new(study.Problems)):
		return path, err
	case errors.Is(err, compile.ErrNoToolchain):
		err = fmt.Errorf("%w; --strategies interpreted needs none", err)
	}
	return "", fault.Of(fmt.Errorf("--strategies compiled: %w", err))
}

// hire has the worker of a hand be of the program in which the cell runs.
func (h *hand) hire(i int) error {
	program := ""
	if made := h.way.program.Load(); made != nil {
		program = *made
		for _, source := range h.x.cells[i].Sources() {
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
		h.worker, err = newWorker(size(h.options.Memory))
		return err
	}
	h.worker = workerOf(program, size(h.options.Memory))
	h.worker.Env = []string{"GOTRACEBACK=single"} // which names the line of the author
	h.worker.Blame = h.x.tools.loaded.blame
	return nil
}

// numbers says what the bits of a worker with strategies compiled in are to depend on.
func (h *hand) numbers() string {
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
func workerOf(program string, memory size) *launch.Worker {
	args := []string{"task", "--memory", fmt.Sprint(uint64(memory))}
	return &launch.Worker{Path: program, Args: args}
}

// blame returns where a process died, from where it was last seen and what it wrote: the line of a
// strategy that a stack has first, and what was called. A process that died at once was seen
// nowhere; then the stack has the name of the function.
func (s strategies) blame(at, written string) string {
	above := ""
	for line := range strings.Lines(written) {
		for _, one := range s {
			if pos, _, ok := one.Compiled(line); ok {
				_, called, _ := strings.Cut(at, ": ")
				if at == "" {
					called = inStack.ReplaceAllString(above, "$1")
				}
				return strings.TrimSuffix(pos.String()+": "+called, ": ")
			}
		}
		above = strings.TrimSuffix(line, "\n")
	}
	return at
}

// inStack finds the name of a function or a method in a line of a stack.
var inStack = regexp.MustCompile(`^.*\.(\w+)(?:\[\.\.\.\])?\(.*\)$|^.*$`)

// programFor returns the program that tasks elsewhere run, and its SHA-256: this one, or one with
// the strategies compiled in, where they can be.
func (d *delivery) programFor(ctx context.Context, missing []int) (
	content []byte, digest string, err error,
) {
	d.strategies = asInterpreted
	if d.compilable(missing, d.options) {
		path, err := d.compileAhead(ctx)
		if err != nil {
			return nil, "", err
		}
		if path != "" {
			d.strategies = asCompiled
			content, digest, err := host.ReadProgram(path)
			return content, digest, fault.Of(err)
		}
	}
	content, digest, err = host.Program()
	return content, digest, fault.Of(err)
}

// compileAhead returns the program with the strategies compiled in, or "" where they are to be
// interpreted.
func (d *delivery) compileAhead(ctx context.Context) (string, error) {
	list, offline := d.x.tools.loaded, d.options.Strategies == eitherWay
	if path, err := list.program(); path != "" || err != nil {
		return path, err
	}
	if _, lacking := exec.LookPath("go"); lacking != nil && offline {
		return "", nil
	}
	d.say("compiling %s: "+compilingTakes, list.names())
	path, err := list.compile(ctx, offline)
	if errors.As(err, new(fault.Fault)) && offline {
		d.say("hansa: %s cannot be compiled and stays interpreted: %v", list.names(), err)
		return "", nil
	}
	return path, err
}
