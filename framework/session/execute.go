package session

import (
	"context"
	"os/signal"
	"sync"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session/fault"
)

// execute runs cells, several at once, and stores what comes of each as soon as it is
// there. A cell that fails costs the others nothing. The first interrupt stops all cells
// after their round, the second one the process. The error is ErrFailed or ErrInterrupted.
func (j *Job) execute(ctx context.Context, missing []int, o *Options) error {
	if len(missing) == 0 {
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	atOnce := min(o.Jobs, len(missing))
	if o.Memory == 0 { // the caller's options stay: its next run may have other cells at once
		shared := *o
		shared.Memory, o = uint64(spare(atOnce)), &shared
	}
	engineOptions := j.engineOptions(o, atOnce)
	rounds := 0
	for _, i := range missing {
		rounds += j.Experiment.setups[i].Rounds
	}
	j.shared, j.methods = newSharedFailures(), j.methodsOf(missing)
	numerics := sync.OnceValues(numerics)
	plan := j.schedule(missing)
	plan.tell(j.Session, atOnce)
	j.load = newLoad(atOnce)
	p := j.watch(len(missing), rounds, atOnce)
	uncompile := j.compileMeanwhile(ctx, missing, o, p)
	next := make(chan []int)
	var wg sync.WaitGroup
	runners := make([]*runner, atOnce)
	for k := range runners {
		h := newRunner(j, engineOptions, o, numerics, p.Slot(k))
		runners[k] = h
		wg.Go(func() {
			defer h.close()
			for together := range next {
				for _, i := range together {
					h.timed(ctx, i)
				}
			}
		})
	}
	for _, cells := range inTurn(plan.batches, j.turn) {
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
	for _, h := range runners {
		h.settle()
	}
	p.Close()
	j.Used = j.load.total(j.finished)
	return j.verdict(len(missing))
}

// verdict says why cells were not begun, and returns what all that ended comes to.
func (j *Job) verdict(cells int) error {
	j.Done += j.finished - j.broken
	j.Failed += j.broken
	j.shared.tell(j.Session)
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
func (j *Job) methodsOf(cells []int) map[string]bool {
	methods := map[string]bool{}
	for _, i := range cells {
		methods[j.Experiment.Cells[i].Method] = true
	}
	return methods
}

// engineOptions are how cells are trained, so many at once.
func (j *Job) engineOptions(o *Options, atOnce int) engine.Options {
	return engine.Options{
		// cells of one population wait until one of them has prepared it.
		Workers: max(1, o.Jobs/atOnce), Movers: o.Jobs, Folders: j.Experiment.folders(o),
		// A population and the objective on it, for each cell at work and one more.
		Memo:      engine.NewMemo(3 * (atOnce + 1)),
		DiskCache: EncoderCache(),
		Decoded:   DecodedCache(func(text string) { j.Sayf("hansa: %s", text) }),
		// The clients of each one-shot cell at work: see batches.
		Trained:      engine.NewMemo(atOnce),
		ClientMemory: forClients(o.Memory),
	}
}

// batches returns cells that are run one after another. Those that train the same clients once and
// for all come together, so that they are trained once.
func (j *Job) batches(missing []int) (batches [][]int) {
	at := map[string]int{}
	for _, i := range missing {
		s := &j.Experiment.setups[i]
		k, known := at[s.FirstKey]
		if !s.OneShot() || !known {
			k, at[s.FirstKey] = len(batches), len(batches)
			batches = append(batches, nil)
		}
		batches[k] = append(batches[k], i)
	}
	return batches
}
