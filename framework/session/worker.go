package session

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// An order is what a worker process is asked to do: to run one cell, to build the components
// of some, or to examine strategies.
type order struct {
	Cells   []study.Cell // as they are written
	ID      string       // of the one cell to run; empty: build them all
	Examine bool         // instead: examine the strategies
	Speeds  bool         // and measure how fast they are
	Place   string       // the file in which the statement is noted that runs then
	Sources []plugins.Source
	// Compiled has strategies run as they are compiled into the worker, whose numbers are then to
	// be those of Numerics.
	Compiled bool
	Numerics string
	Budget   time.Duration // of a call into a strategy
	Folders  []string      // with data
	Workers  int

	Run        string        // the folder in which the progress of the cell is saved
	Checkpoint time.Duration // how often
}

// A reply is what comes of a cell.
type reply struct {
	Result   []byte // JSON
	Volatile []engine.Series
	Cost     *engine.Cost
	Used     *store.Usage
	Before   float64 // see store.Attempt

	played *engine.Result // what Result says, Volatile and Cost
}

// kindsOfValues lists what a gob must know to hold the parameters of a cell.
func kindsOfValues() []any { return []any{[]any{}, map[string]any{}, []float64{}, int64(0)} }

func encode(v any) ([]byte, error) {
	for _, k := range kindsOfValues() {
		gob.Register(k)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(b []byte, v any) error {
	for _, k := range kindsOfValues() {
		gob.Register(k)
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(v)
}

// Serve does the orders that a run writes to the standard input of a worker process.
func Serve(memory uint64) error {
	signal.Ignore(launch.StopSignals()...) // the process that started it says when to stop
	w := &worker{memory: memory, memo: engine.NewMemo(6), disk: EncoderCache(),
		decoded:  DecodedCache(nil),
		numerics: sync.OnceValues(numerics)}
	s := &launch.Service{Do: w.do, Memory: memory,
		Where:   func() string { return w.strategies.Load().Where() },
		Overdue: w.overdue}
	w.strategies.Store(new(toolbox.Strategies))
	return fault.Of(s.Serve(os.Stdin, os.Stdout))
}

// A worker is a process that does orders.
type worker struct {
	memory   uint64 // that the process may use; 0: any
	registry *registry.Registry
	loaded   string // digests of the sources of the strategies
	memo     *engine.Memo
	disk     engine.DiskCache
	decoded  fl.Decoded
	numerics store.Numerics

	strategies atomic.Pointer[toolbox.Strategies] // what they do is asked while they do it
	limits     atomic.Pointer[examLimits]         // of an examination; nil: there is none
}

func (w *worker) do(
	ctx context.Context, job []byte, tell func(launch.Report),
) ([]byte, error) {
	var o order
	if err := decode(job, &o); err != nil {
		return nil, err
	}
	if o.Examine {
		return w.examine(&o)
	}
	if err := w.load(&o); err != nil {
		return nil, err
	}
	if o.ID == "" {
		for _, cell := range o.Cells {
			w.registry.Compose(cell) // the process that asks reports what is wrong
		}
		return nil, nil
	}
	setup, _, problems := w.registry.Compose(o.Cells[0])
	if len(problems) > 0 {
		return nil, problems
	}
	if setup.ID != o.ID {
		return nil, fmt.Errorf("the training run is %.12s here and %.12s there", setup.ID, o.ID)
	}
	options := engine.Options{Workers: o.Workers, Folders: o.Folders, Memo: w.memo,
		DiskCache: w.disk, Decoded: w.decoded, ClientMemory: forClients(w.memory),
		Progress: func(rounds int) { tell(launch.Report{Rounds: rounds}) }}
	k := keeper{run: store.Run{Dir: o.Run}, every: o.Checkpoint, numerics: w.numerics, tell: tell}
	before := spent()
	result, err := k.play(ctx, &setup, options)
	if err != nil {
		return nil, w.explain(err)
	}
	content, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return encode(reply{Result: content, Volatile: result.Volatile, Cost: result.Cost,
		Used: since(before, k.saved), Before: k.before})
}

// load loads the strategies of an order, unless they are those of the one before.
func (w *worker) load(o *order) error {
	digests := fmt.Sprint(o.Budget, o.Compiled)
	for _, s := range o.Sources {
		digests += " " + s.Path + " " + s.Hash
	}
	if w.registry != nil && w.loaded == digests {
		return nil
	}
	t, err := toolbox.Builtin()
	if err != nil {
		return err
	}
	add := t.Add
	if o.Compiled {
		own, err := w.numerics()
		if err != nil {
			return err
		}
		if own != o.Numerics {
			return fmt.Errorf("the program with strategies compiled in would compute other bits: "+
				"%s instead of %s", own, o.Numerics)
		}
		add = t.AddCompiled
	}
	for _, source := range o.Sources {
		if err := add(source, o.Budget); err != nil {
			return err
		}
	}
	w.registry, w.loaded = t.Registry, digests
	w.strategies.Store(&t.Loaded)
	return nil
}

// explain says how a cell failed.
func (w *worker) explain(err error) error {
	var fault *plugins.Fault
	if errors.As(err, &fault) && fault.Timeout {
		return &launch.Failure{Outcome: launch.TimeOut, Message: err.Error()}
	}
	return err
}

// examLimits are the limits of the examination that a process is at.
type examLimits struct{ deadline host.Deadline }

// examine examines the strategies of an order.
func (w *worker) examine(o *order) ([]byte, error) {
	w.limits.Store(&examLimits{host.NewDeadline(exam.Time)})
	defer w.limits.Store(nil)
	e := exam.Order{Sources: o.Sources, Budget: o.Budget, Place: o.Place, Speeds: o.Speeds}
	found, err := e.Examine(func(list toolbox.Strategies) { w.strategies.Store(&list) })
	if err != nil {
		return nil, err
	}
	return encode(found)
}

// overdue says why the process has to end now, or nothing.
func (w *worker) overdue() string {
	list, limits := w.strategies.Load(), w.limits.Load()
	if limits == nil {
		return list.Overdue(grace)
	}
	if late := list.Overdue(exam.Grace); late != "" {
		return late
	}
	if limits.deadline.Left() <= 0 {
		return fmt.Sprintf("the examination takes longer than %v; it was last seen here", exam.Time)
	}
	return ""
}

// grace is how long a strategy that was stopped may take to return: it may wait for a
// function of ours.
const grace = 5 * time.Second
