package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/plugins/compile"
)

// Cadence is after how much time the progress of a cell is saved where nothing else is said.
const Cadence = time.Minute

// share is the part of its time that a cell spends on being saved at most: one in so many.
const share = 50

// A keeper saves the progress of one cell after another, and lets them go on from there.
type keeper struct {
	run      store.Run
	every    time.Duration // 0: nothing is saved
	numerics store.Numerics
	tell     func(launch.Report) // of a cell that goes on, and of trouble

	saved  int     // how often the cell at work was
	before float64 // seconds of the rounds that were played before it went on
	spoilt bool    // its progress is not worth saving any more
}

// play runs a cell from where it was, or from its first round. Before each save by time passes at
// least what was asked for, and longer where saving would else take more than its share.
func (k *keeper) play(
	ctx context.Context, s *engine.Setup, o engine.Options,
) (*engine.Result, error) {
	k.spoilt, k.saved, k.before = false, 0, 0
	var due atomic.Bool // whether it is: a clock takes a while where a round takes a microsecond
	timer := time.AfterFunc(math.MaxInt64, func() { due.Store(true) })
	defer timer.Stop()
	if k.every > 0 {
		o.Due = due.Load
		o.Save = func(p *engine.Progress) {
			_, _ = k.numerics() // save reports its error; it takes long only once
			began := time.Now()
			k.save(s.CheckpointID(), p)
			due.Store(false)
			timer.Reset(max(k.every, share*time.Since(began)))
		}
	}
	cell, err := k.open(s, o)
	if err != nil {
		return nil, err
	}
	timer.Reset(k.every)
	due.Store(k.every < time.Millisecond) // which is over before a timer is set
	return cell.Finish(ctx)
}

// open prepares a cell to go on from where it was, where that is known, or else to begin.
func (k *keeper) open(s *engine.Setup, o engine.Options) (*engine.Cell, error) {
	p, trouble := k.run.LoadCheckpoint(s.CheckpointID(), k.numerics)
	if errors.As(trouble, new(*fs.PathError)) {
		trouble = fmt.Errorf("progress cannot be read in %s: %w", k.run.Dir, fault.Cause(trouble))
	}
	if p != nil {
		cell, err := engine.Resume(s, o, p)
		if err == nil {
			k.remark(trouble, "the one before it is used")
			k.tell(launch.Report{Rounds: p.Round, From: p.Round})
			k.before = p.Seconds
			return cell, nil
		}
		if !errors.Is(err, engine.ErrUnfit) {
			return nil, err
		}
		trouble = errors.Join(trouble, err)
	}
	k.remark(trouble, "the training run begins anew")
	return engine.Start(s, o)
}

// save saves the progress of a cell. That it cannot be saved does not stop the cell.
func (k *keeper) save(id string, p *engine.Progress) {
	if k.spoilt {
		return
	}
	if err := k.run.SaveCheckpoint(id, k.numerics, p); err != nil {
		err = fmt.Errorf("progress cannot be saved in %s: %w", k.run.Dir, fault.Cause(err))
		k.remark(err, "training runs go on without")
		return
	}
	k.saved++
}

// remark tells of a trouble, and what is done about it.
func (k *keeper) remark(trouble error, done string) {
	if trouble != nil {
		k.tell(launch.Report{Remark: fmt.Sprintf("%v; %s", trouble, done)})
	}
}

// numerics says what the last bits of numbers depend on: the source of the program, its compiler
// and kernels, and what the standard library makes of the processor. That strategies are compiled
// in makes no difference.
func numerics() (string, error) {
	digest, ok := carried()
	if !ok {
		return "", errors.New("the source that this program carries cannot be read")
	}
	return fmt.Sprintf("source %s %s %s/%s %s kernels %s functions %s", digest, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, compile.Architecture(), kernel.ISA(),
		host.Functions()), nil
}

// carried returns the digest of the source that this program carries, which is what it was built
// of.
func carried() (digest string, ok bool) {
	tree, err := compile.Carried()
	if err != nil {
		return "", false
	}
	return tree.Digest, true
}
