package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// A job is a run at work.
type job struct {
	*session
	x      *experiment
	run    store.Run
	plan   *store.Plan
	cells  int // that are asked for, each experiment counted once
	done   int // cells of these that have a result
	failed int // cells of these that failed now, or cannot be read
	turn   int // of this process among those at work on the run

	mu       sync.Mutex
	finished int               // cells that ended now, here or in another process
	broken   int               // those of them that failed
	reasons  map[string]string // by id: why a cell failed now
	halt     *halt             // cells that would fail as others did
	methods  map[string]bool   // of the cells that are to run
	way      route

	unstored error // why something could not be stored
	bytes    int   // of what could not be stored, at least
	roomless int   // cells that were not begun because their results could not be stored
}

// execute runs cells, several at once, and stores what comes of each as soon as it is
// there. A cell that fails costs nobody else anything. The first interrupt stops all cells
// after their round, the second one the process. The error is ErrFailed or ErrInterrupted.
func (j *job) execute(ctx context.Context, missing []int, o *options) error {
	if len(missing) == 0 {
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	atOnce := min(o.Jobs, len(missing))
	if o.Memory == 0 {
		o.Memory = uint64(spare(atOnce))
	}
	engineOptions := j.engineOptions(o, atOnce)
	rounds := 0
	for _, i := range missing {
		rounds += j.x.setups[i].Rounds
	}
	j.halt, j.methods = newHalt(), j.methodsOf(missing)
	numerics := sync.OnceValues(numerics)
	p := j.watch(len(missing), rounds, atOnce)
	uncompile := j.compileMeanwhile(ctx, missing, o, p)
	next := make(chan []int)
	var wg sync.WaitGroup
	hands := make([]*hand, atOnce)
	for k := range hands {
		h := newHand(j, engineOptions, o, numerics, p.Slot(k))
		hands[k] = h
		wg.Go(func() {
			defer h.close()
			for together := range next {
				for _, i := range together {
					h.cell(ctx, i)
				}
			}
		})
	}
	for _, cells := range inTurn(j.batches(missing), j.turn) {
		select {
		case next <- cells:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	p.Await(ctx, &wg)
	uncompile()
	for _, h := range hands {
		h.settle()
	}
	p.Close()
	return j.verdict(len(missing))
}

// verdict says why cells were not begun, and returns what all that ended comes to.
func (j *job) verdict(cells int) error {
	j.done += j.finished - j.broken
	j.failed += j.broken
	j.halt.tell(j.session)
	j.tellRoom()
	switch {
	case j.finished+j.unbegun() < cells:
		return fault.ErrInterrupted
	case j.broken+j.unbegun() > 0:
		return fault.ErrFailed
	}
	return nil
}

// methodsOf returns the methods of cells.
func (j *job) methodsOf(cells []int) map[string]bool {
	methods := map[string]bool{}
	for _, i := range cells {
		methods[j.x.cells[i].Method] = true
	}
	return methods
}

// engineOptions are how cells are trained, so many at once.
func (j *job) engineOptions(o *options, atOnce int) engine.Options {
	return engine.Options{
		// Cells of one population wait until one of them has prepared it.
		Workers: max(1, o.Jobs/atOnce), Movers: o.Jobs, Folders: j.x.folders(o),
		// A population and the objective on it, for each cell at work and one more.
		Memo:      engine.NewMemo(3 * (atOnce + 1)),
		DiskCache: encoderCache(),
		// The clients of each one-shot cell at work: see batches.
		Trained: engine.NewMemo(atOnce),
	}
}

// batches returns cells in the order in which they are run. Those that train the same clients
// once and for all come together, so that they are trained once.
func (j *job) batches(missing []int) (batches [][]int) {
	at := map[string]int{}
	for _, i := range missing {
		s := &j.x.setups[i]
		k, known := at[s.FirstKey]
		if !s.OneShot() || !known {
			k, at[s.FirstKey] = len(batches), len(batches)
			batches = append(batches, nil)
		}
		batches[k] = append(batches[k], i)
	}
	return batches
}

// A hand runs one cell after another.
type hand struct {
	*job
	engine  engine.Options
	options *options
	slot    slot
	from    int // rounds that the cell at work had done before
	keeper  keeper
	worker  *launch.Worker // nil until a cell needs one
	program string         // of that, where strategies are compiled in
	used    *store.Usage   // by the cell that ran last
	before  float64        // see store.Attempt; of that cell
	held    *held          // a result that could not be stored yet

	compiled []string // digests of the strategies of the cell at work, if they run compiled
}

// newHand returns a hand that shows what it does in a slot.
func newHand(j *job, e engine.Options, o *options, n store.Numerics, s slot) *hand {
	h := &hand{job: j, engine: e, options: o, slot: s}
	h.keeper = keeper{run: j.run, every: o.Checkpoint, numerics: n, tell: h.hear}
	return h
}

// hear notes where a cell goes on, and shows what it reports.
func (h *hand) hear(r launch.Report) {
	if r.Remark == "" && r.From > 0 {
		h.from = r.From
	}
	h.slot.Hear(r)
}

func (h *hand) close() {
	h.slot.Close()
	if h.worker != nil {
		h.worker.Close()
	}
}

// cell runs one cell and stores its result, or why it has none.
func (h *hand) cell(ctx context.Context, i int) {
	if ctx.Err() != nil || h.halted(i) || !h.storable(i) {
		return
	}
	cell, id := h.x.cells[i], h.x.ids[i]
	h.from = 0
	h.slot.Begin(cell.Label(), h.x.setups[i].Rounds)
	if h.elsewhere(i) {
		return
	}
	started := time.Now()
	result, err := h.within(ctx, i)
	switch {
	case err == nil:
		h.finish(ctx, &held{i, result, h.attempt(started, result)})
		return
	case errors.Is(err, ctx.Err()):
		return
	default:
		failure := &store.Failure{Method: cell.Method, Seed: cell.Seed, Message: err.Error(),
			Outcome: outcome(err), Compiled: h.compiled}
		if unsaved := h.job.run.SaveFailure(id, failure); unsaved != nil {
			err = fmt.Errorf("%w\n%w", err, fault.Unstorable(h.job.run.Dir, unsaved))
		}
	}
	h.end(i, err)
}

// end notes what came of a cell: nil, or why it failed.
func (h *hand) end(i int, err error) {
	h.mu.Lock()
	h.finished++
	if err != nil {
		h.broken++
		h.reasons[h.x.ids[i]] = err.Error()
	}
	var full *fault.Unstored
	switch {
	case errors.As(err, &full):
		h.unstored, h.bytes = err, max(h.bytes, 1)
	case err != nil:
		h.halt.failed(&h.x.cells[i], err, h.methods)
	default:
		h.halt.begun = true
	}
	h.mu.Unlock()
	h.slot.End(err)
}

// within runs one cell in the time that it may take.
func (h *hand) within(ctx context.Context, i int) (*engine.Result, error) {
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
func (h *hand) run(ctx context.Context, i int) (*engine.Result, error) {
	// A task of a cluster is planned elsewhere: here is where its cells meet their machine.
	if large := h.x.fit(i, host.Memory()); len(large) > 0 {
		return nil, &launch.Failure{Outcome: launch.Memory, Message: large[0].Message}
	}
	h.compiled = nil
	if !h.options.apart(h.x.foreign[i]) {
		setup, err := h.x.setup(i)
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
	if err := h.hire(i); err != nil {
		return nil, err
	}
	r, err := remotely(ctx, h.worker, order{
		Cells: h.x.written[i : i+1], ID: h.x.ids[i], Sources: h.x.tools.sources,
		Budget: h.options.Call, Folders: h.engine.Folders, Workers: h.engine.Workers,
		Run: h.job.run.Dir, Checkpoint: h.keeper.every,
		Compiled: h.program != "", Numerics: h.numbers(),
	}, h.hear)
	h.used, h.before = r.Used, r.Before
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

// keep stores the result of a cell, which needs no checkpoint any more.
func (j *job) keep(result *engine.Result, a *store.Attempt) error {
	if err := j.run.Put(result); errors.Is(err, store.ErrConflict) {
		return err
	} else if err != nil {
		return fault.Unstorable(j.run.Dir, err)
	}
	// It makes room on a full disk. What is left of it is removed the next time.
	_ = j.run.DropCheckpoint(result.ID)
	if err := j.run.SaveAttempt(result.ID, a); err != nil {
		return fault.Unstorable(j.run.Dir, err)
	}
	return nil
}

// build says which program this is.
func build() store.Build {
	b := store.Build{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b.Compiled = slices.Sorted(maps.Keys(compiledStrategies()))
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
