package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/fault"
)

// Keepable says why arrays of some cell cannot be kept: a worker process sends results only.
func (x *Experiment) Keepable(o *Options) error {
	for i := range x.Cells {
		switch {
		case !x.Shown[i] || !o.apart(x.foreign[i]):
		case o.Isolation == AllApart:
			return errors.New("--keep: worker processes keep no arrays; leave out " +
				"--isolation process")
		default:
			return fmt.Errorf("--keep: %s has strategies and so runs in a worker process, which "+
				"keeps no arrays; with --isolation none it runs here", x.Cells[i].Label())
		}
	}
	return nil
}

// recorded runs a cell and stores the arrays that its components record as soon as they are
// there. If one cannot be stored the cell fails, as it does without a place for its result.
func recorded(
	ctx context.Context, s *engine.Setup, o engine.Options, k *keeper,
) (*engine.Result, error) {
	var trouble error // the first
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.Keep = func(round int, name string, m fl.Matrix) {
		if trouble != nil {
			return
		}
		shape := [2]int{m.Rows, m.Cols}
		if trouble = k.run.PutArray(s.ID, round, name, shape, m.Data); trouble != nil {
			k.spoilt = true // the cell would go on without this array
			stop()
		}
	}
	result, err := k.play(ctx, s, o)
	if trouble != nil {
		return nil, fault.Unstorable(k.run.Dir, trouble)
	}
	return result, err
}
