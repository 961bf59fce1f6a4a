package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
)

// newWorker returns a worker process that is not yet running.
func newWorker(memory Size) (*launch.Worker, error) {
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
	r.played.Volatile, r.played.Cost = r.Volatile, r.Cost
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

// workerOf returns a worker process of a program that is not yet running.
func workerOf(program string, memory Size) *launch.Worker {
	args := []string{"task", "--memory", fmt.Sprint(uint64(memory))}
	return &launch.Worker{Path: program, Args: args}
}
