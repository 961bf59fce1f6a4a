package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// A runner runs one cell after another.
type runner struct {
	*Job
	engine  engine.Options
	options *Options
	slot    Slot
	from    int // rounds that the cell at work had done before
	keeper  keeper
	worker  *launch.Worker // nil until a cell needs one
	program string         // of that, where strategies are compiled in
	used    *store.Usage   // by the cell that ran last
	far     *store.Usage   // by the cell at work, in another process
	before  float64        // see store.Attempt; of that cell
	unsaved *unsavedResult // a result that could not be stored yet

	compiled []string // digests of the strategies of the cell at work, if they run compiled
}

// newRunner returns a runner that shows what it does in a slot.
func newRunner(j *Job, e engine.Options, o *Options, n store.Numerics, s Slot) *runner {
	h := &runner{Job: j, engine: e, options: o, slot: s}
	h.keeper = keeper{run: j.Run, every: o.Checkpoint, numerics: n, tell: h.hear}
	return h
}

// hear notes where a cell goes on, and shows what it reports.
func (h *runner) hear(r launch.Report) {
	if r.Remark == "" && r.From > 0 {
		h.from = r.From
	}
	h.slot.Hear(r)
}

func (h *runner) close() {
	h.slot.Close()
	if h.worker != nil {
		h.worker.Close()
	}
}

// timed is cell, and counts how long it takes.
func (h *runner) timed(ctx context.Context, i int) {
	began := time.Now()
	h.far = nil
	h.cell(ctx, i)
	h.load.add(began, h.far)
}

// cell runs one cell and stores its result, or why it has none.
func (h *runner) cell(ctx context.Context, i int) {
	if ctx.Err() != nil || h.failsAsOthers(i) || !h.storable(i) {
		return
	}
	cell, id := h.Experiment.Cells[i], h.Experiment.IDs[i]
	h.from = 0
	h.slot.Begin(cell.Label(), h.Experiment.setups[i].Rounds)
	if h.elsewhere(i) {
		return
	}
	started := time.Now()
	result, err := h.within(ctx, i)
	switch {
	case err == nil:
		h.finish(ctx, &unsavedResult{i, result, h.attempt(started, result)})
		return
	case errors.Is(err, ctx.Err()):
		return
	default:
		failure := &store.Failure{Method: cell.Method, Seed: cell.Seed, Message: err.Error(),
			Outcome: outcome(err), Compiled: h.compiled}
		if unsaved := h.Job.Run.SaveFailure(id, failure); unsaved != nil {
			err = fmt.Errorf("%w\n%w", err, fault.Unstorable(h.Job.Run.Dir, unsaved))
		}
	}
	h.end(i, err)
}

// end notes what came of a cell: nil, or why it failed.
func (h *runner) end(i int, err error) {
	h.mu.Lock()
	h.finished++
	if err != nil {
		h.broken++
		h.Reasons[h.Experiment.IDs[i]] = err.Error()
	}
	var full *fault.Unstored
	switch {
	case errors.As(err, &full):
		h.unstored, h.bytes = err, max(h.bytes, 1)
	case err != nil:
		h.shared.failed(&h.Experiment.Cells[i], err, h.methods)
	default:
		h.shared.begun = true
	}
	h.mu.Unlock()
	h.slot.End(err)
}

// within runs one cell in the time that it may take.
func (h *runner) within(ctx context.Context, i int) (*engine.Result, error) {
	if h.options.Cell == 0 {
		return h.run(ctx, i)
	}
	limited, stop := context.WithTimeout(ctx, h.options.Cell)
	defer stop()
	result, err := h.run(limited, i)
	if err != nil && ctx.Err() == nil && errors.Is(err, limited.Err()) {
		return nil, &launch.Failure{Outcome: launch.TimeOut, Message: fmt.Sprintf(
			"it took longer than its %v; what it did is saved, and goes on", h.options.Cell)}
	}
	return result, err
}

// run runs one cell, in a worker process where that is asked for.
func (h *runner) run(ctx context.Context, i int) (*engine.Result, error) {
	// A task of a cluster is planned elsewhere: here is where its cells meet their machine.
	if large := h.Experiment.fit(i, host.Memory()); len(large) > 0 {
		return nil, &launch.Failure{Outcome: launch.Memory, Message: large[0].Message}
	}
	h.compiled = nil
	if !h.options.apart(h.Experiment.foreign[i]) {
		setup, err := h.Experiment.Setup(i)
		if err != nil {
			return nil, err
		}
		before := spent()
		defer func() { h.used, h.before = since(before, h.keeper.saved), h.keeper.before }()
		o := h.engine
		o.Progress, o.Preparing = h.slot.Rounds, h.slot.Prepares
		if h.options.Keep {
			return recorded(ctx, setup, o, &h.keeper)
		}
		return h.keeper.play(ctx, setup, o)
	}
	if err := h.acquire(i); err != nil {
		return nil, err
	}
	r, err := remotely(ctx, h.worker, order{
		Cells: h.Experiment.Written[i : i+1], ID: h.Experiment.IDs[i],
		Sources: h.Experiment.Tools.Sources,
		Budget:  h.options.Call, Folders: h.engine.Folders, Workers: h.engine.Workers,
		Run: h.Job.Run.Dir, Checkpoint: h.keeper.every,
		Compiled: h.program != "", Numerics: h.numbers(),
	}, h.hear)
	h.used, h.before, h.far = r.Used, r.Before, r.Used
	return r.played, err
}

// outcome says in a word how a cell failed.
func outcome(err error) string {
	var f *launch.Failure
	if errors.As(err, &f) {
		return string(f.Outcome)
	}
	return string(launch.Failed)
}

// acquire has the worker be of the program in which the cell runs.
func (h *runner) acquire(i int) error {
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

// attempt says how a cell was run that ends now.
func (h *runner) attempt(started time.Time, result *engine.Result) *store.Attempt {
	ended := time.Now()
	made := Build()
	made.Compiled = h.compiled
	return &store.Attempt{
		Started: started.UTC().Format(time.RFC3339), Ended: ended.UTC().Format(time.RFC3339),
		Seconds: ended.Sub(started).Seconds(), Workers: h.engine.Workers, Resumed: h.from,
		Before: h.before, Build: made, Environment: environment(h.Experiment.Tools.Stored()),
		Usage: h.used, Cost: result.Cost, Volatile: result.Volatile,
	}
}

// keep stores the result of a cell, which needs no checkpoint any more.
func (j *Job) keep(result *engine.Result, a *store.Attempt) error {
	if err := j.Run.Put(result); errors.Is(err, store.ErrConflict) {
		return err
	} else if err != nil {
		return fault.Unstorable(j.Run.Dir, err)
	}
	// It makes room on a full disk. What is left of it is removed the next time.
	_ = j.Run.DropCheckpoint(result.ID)
	if err := j.Run.SaveAttempt(result.ID, a); err != nil {
		return fault.Unstorable(j.Run.Dir, err)
	}
	return nil
}

// elsewhere reports whether another process has finished a cell, right before it would begin.
func (h *runner) elsewhere(i int) bool {
	// What is wrong with it was told, or ends when it is run.
	result, _ := h.Job.Run.Get(h.Experiment.IDs[i], &h.Experiment.Cells[i])
	if result == nil {
		return false
	}
	h.mu.Lock()
	h.finished++
	h.mu.Unlock()
	h.slot.Skip()
	return true
}
