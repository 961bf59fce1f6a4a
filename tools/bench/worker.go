package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hansa-fl/hansa/framework/launch"
)

// asWorker is the argument with which this program is a worker process.
const asWorker = "worker"

// serve is what a worker process does: it loads the strategy, as the worker of hansa does for
// the first cell that it is given.
func serve() int {
	s := &launch.Service{Do: func(context.Context, []byte, func(launch.Report)) ([]byte, error) {
		_, err := loaded("mean.go", strategy)
		return nil, err
	}}
	if err := s.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// starts measures how fast a worker process is there, with a strategy loaded, and gone.
func starts() (task, error) {
	program, err := os.Executable()
	if err != nil {
		return task{}, err
	}
	w := &launch.Worker{Path: program, Args: []string{asWorker}}
	return task{done: w.Close, do: func(n int) error {
		for range n {
			if _, err := w.Do(context.Background(), nil, func(launch.Report) {}); err != nil {
				return err
			}
			w.Close()
		}
		return nil
	}}, nil
}
