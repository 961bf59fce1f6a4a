package session

import (
	"context"
	"sync"

	"github.com/hansa-fl/hansa/framework/launch"
)

// A Progress shows how far cells are that run side by side.
type Progress interface {
	// Slot shows one cell after another: the cells of one runner, 0 is the first.
	Slot(k int) Slot
	// Above shows a text, whole lines, above what changes.
	Above(lines string)
	// Await waits for all runners, or tells that it waits for them once ctx is over.
	Await(ctx context.Context, runners *sync.WaitGroup)
	// Close ends what is shown.
	Close()
}

// A Slot shows the cells of one runner.
type Slot interface {
	Begin(name string, rounds int)              // a cell begins
	Prepares(preprocessor string, rows, of int) // before its first round
	Rounds(done int)                            // so many are done
	Hear(r launch.Report)                       // what a worker process reports
	End(err error)                              // it ended: nil, or why it failed
	Skip()                                      // another process has finished it
	Close()                                     // there are no more cells
}

// A silent progress shows nothing.
type silent struct{}

func (silent) Slot(int) Slot             { return silent{} }
func (silent) Above(string)              {}
func (silent) Begin(string, int)         {}
func (silent) Prepares(string, int, int) {}
func (silent) Rounds(int)                {}
func (silent) Hear(launch.Report)        {}
func (silent) End(error)                 {}
func (silent) Skip()                     {}
func (silent) Close()                    {}

func (silent) Await(_ context.Context, runners *sync.WaitGroup) { runners.Wait() }
