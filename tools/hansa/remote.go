package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
)

// limits are what a strategy, and any cell, may take.
type limits struct {
	call   time.Duration // per call into it
	cell   time.Duration // per cell; 0: as long as it takes
	memory size          // per worker process; 0: what this machine can spare
	where  string        // "auto" | "process" | "none": which cells run in worker processes
	way    string        // "auto" | "interpreted" | "compiled": how strategies run
}

func (l *limits) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&l.call, "call-timeout", budget,
		"`TIME` that one call into a strategy may take")
	f.DurationVar(&l.cell, "cell-timeout", 0,
		"`TIME` that one cell may take before it counts as failed; what it did is saved "+
			"(default as long as it takes)")
	f.Var(&l.memory, "memory", "`SIZE` of the memory of each worker process, such as 2GiB "+
		"(default its share of what the machine has)")
	f.StringVar(&l.where, "isolation", "auto",
		"`WHERE` cells run in worker processes: auto (those with strategies), process or none")
	completeFlag(cmd, "isolation", isolations...)
	wayFlag(cmd, &l.way)
	completeFlag(cmd, "call-timeout")
	completeFlag(cmd, "cell-timeout")
	completeFlag(cmd, "memory")
}

// check refuses values that make no sense.
func (l *limits) check() error {
	if l.call <= 0 {
		return fmt.Errorf("--call-timeout %v: want more than 0", l.call)
	}
	if l.cell < 0 {
		return fmt.Errorf("--cell-timeout %v: want a time such as 30m, or 0 for as long "+
			"as it takes", l.cell)
	}
	if err := oneOf("--isolation", l.where, isolations); err != nil {
		return err
	}
	var err error
	if l.way, err = wayOf(l.way); err != nil {
		return err
	}
	if l.way == asCompiled && l.where == "none" {
		return errors.New("--strategies compiled: compiled strategies run in worker processes; " +
			"leave out --isolation none")
	}
	return nil
}

// apart reports whether a cell runs in a worker process.
func (l *limits) apart(foreign bool) bool {
	return l.where == "process" || l.where == "auto" && foreign
}

// isolations are the values of --isolation.
var isolations = []string{"auto", "process", "none"}

// budget is how long a call into a strategy may take where nobody says.
const budget = time.Minute

// newWorker returns a worker process that is not yet running.
func newWorker(memory size) (*launch.Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("worker processes: %w", err)
	}
	return workerOf(program, memory), nil
}

// remotely runs a cell in a worker process.
func remotely(
	ctx context.Context, w *launch.Worker, o order, hear func(launch.Report),
) (r reply, err error) {
	job, err := encode(o)
	if err != nil {
		return r, err
	}
	answer, err := w.Do(ctx, job, hear)
	if err != nil {
		return r, err
	}
	if err := decode(answer, &r); err != nil {
		return r, err
	}
	r.played = new(engine.Result)
	if err := json.Unmarshal(r.Result, r.played); err != nil {
		return reply{}, err
	}
	r.played.Volatile = r.Volatile
	return r, nil
}

// rehearse builds the components of cells in a worker process, because a strategy that ends
// its process must not end this one. It returns an error only where that happens.
func rehearse(at study.Pos, cells []study.Cell, o order) error {
	w, err := newWorker(spare(1))
	if err != nil {
		return err
	}
	defer w.Close()
	o.Cells, o.ID = cells, ""
	job, err := encode(o)
	if err != nil {
		return err
	}
	if _, err := w.Do(context.Background(), job, func(launch.Report) {}); err != nil {
		return study.Problems{{Pos: at, Message: "plugins: " + err.Error(),
			Hint: "New must not do this"}}
	}
	return nil
}
