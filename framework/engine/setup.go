package engine

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Setup is a cell whose names have become components.
type Setup struct {
	ID       string // of the cell
	Seed     uint64
	DataSeed uint64  // of the streams "data" and "partition"
	Clients  int     // N
	Rounds   int     //
	Every    int     // metrics are taken before round 1, after every Every-th, and at the end
	Law      bool    // the server knows the cohort distribution
	Oracle   bool    // the aggregator is told the true participation probabilities
	Apart    bool    // in the first round every client starts from initial parameters of its own
	Held     float64 // share of the training samples that is the server's, [0, 1)
	// TestByClient says that clients get test samples by the law of their training samples; HeldOut
	// is the share of each client's training samples that it tests on instead, in [0, 1).
	TestByClient bool
	HeldOut      float64
	// Validated is the share of each client's training samples that takes the place of all test
	// data, in [0, 1); 0: none does.
	Validated float64
	// GoesOnAs is of a setup that stops early the ID of the one with all rounds, which goes on from
	// its last checkpoint: that is made after its last round. Empty: it ends for good.
	GoesOnAs string

	// Initial returns the initial parameters, of which the file lies in one of the folders; nil:
	// the model draws them.
	Initial func(folders []string) (fl.Vector, error)

	// Disclosure is what the server knows of the covariates of clients that are not enrolled.
	Disclosure fl.Disclosure

	Public       Public
	Source       fl.Source
	Partition    fl.Partitioner
	Preprocess   []Stage // in this order, before the first round
	Importance   fl.Importance
	Model        fl.Model // made for the shape that comes of Source and Preprocess
	Local        fl.LocalRule
	Enrollment   fl.Enrollment // nil: everyone
	Availability fl.Availability
	Selection    fl.Selection
	Selects      fl.SelectionTraits // of Selection
	Completion   Completion
	Compressor   Compressor // of what clients send
	Download     Compressor // of the model that they are sent
	Adversary    Adversary
	Guard        Guard
	Drift        fl.Drift // of Local
	Method       string   // that Local and Aggregator are halves of; see fl.LocalTraits
	Aggregator   fl.Aggregator
	Losses       bool        // Aggregator asks for losses; see fl.AggregatorTraits
	Stale        bool        // Aggregator takes stale models as they are; see fl.AggregatorTraits
	Remembers    bool        // updates of earlier rounds count, too; see fl.AggregatorTraits
	Release      *fl.Release // of a private Aggregator; rounds without clients are played then
	Coded        int         // bits of an update in the code of Aggregator; 0: it has none
	Drops        bool        // Partition may leave rows out; see fl.Entry
	Packed       bool        // its components say that rows may be packed; see fl.LocalTraits
	Statistics   string      // what Local sends and Aggregator takes, not models; see fl.Entry
	NoModel      bool        // clients are sent no model; see fl.Entry
	PerSample    *float64    // noise on what Local sends; nil: none is stated; see fl.LocalTraits
	Personal     Personal
	Measures     []Measure

	Inspectors []fl.Inspector // of the files of its components

	// Two setups with the same DealtKey give the same data to the same clients; with the same
	// DataKey they move them the same way, if the same clients are enrolled; with the same
	// GoalKey they have the same objective then. What depends on nothing else is computed once.
	// Two setups with the same FirstKey train the same clients to the same bits in their first
	// round: where that is the only one, clients are trained once for all of them.
	// In two setups with the same CohortKey the same clients participate, as far as they do not
	// differ in how much clients have to do. Empty: nothing is known of that.
	DealtKey, DataKey, GoalKey, FirstKey, CohortKey string
}

// tells reports whether clients tell something beside their updates.
func (s *Setup) tells() bool {
	t := &s.Selects
	return s.sendsLosses() || t.Norms || t.SquaredLosses || t.Updates
}

// sendsLosses reports whether clients send the losses of the models that they were sent.
func (s *Setup) sendsLosses() bool { return s.Losses || s.Selects.Losses }

// streams returns the Aggregator where it is a weighted sum of models that are added up as they
// come: not where an adversary or a guard sees those of all clients first.
func (s *Setup) streams() *fl.WeightedSum {
	if s.Adversary.Colludes() || s.Guard.Component != nil {
		return nil
	}
	return s.WeightedSum()
}

// WeightedSum returns the Aggregator where it is a weighted sum of models; nil where it is none.
func (s *Setup) WeightedSum() *fl.WeightedSum {
	sum, _ := s.Aggregator.(*fl.WeightedSum)
	return sum
}

// A Measure is a metric to be taken while a cell runs.
type Measure struct {
	Key       string // what its series is called
	Metric    fl.Metric
	Average   bool // of the mean of θ¹ … θᵗ instead of θᵗ
	Best      bool // the best of all evaluations so far instead of the last one
	Judges    bool // see fl.Entry
	Describes bool // see fl.Entry
	Accounts  bool // see fl.MetricTraits
	// AccountsSamples is that of fl.MetricTraits.
	AccountsSamples bool
}

// Volatile reports whether the measure differs from run to run: then it is kept beside
// the result, not in it.
func (m Measure) Volatile() bool { return m.Metric.Unit() == "s" }

// Options are what may differ between two runs of a cell without changing its result.
type Options struct {
	Workers   int        // clients trained at once; 0 means 1
	Folders   []string   // where data files are looked for
	Memo      *Memo      // what cells share; nil: they share nothing
	Trained   *Memo      // what clients sent in one-shot cells, to share; nil: they train for each
	DiskCache DiskCache  // what outlives the program; nil: nothing does
	Decoded   fl.Decoded // content of data files that does; nil: nothing does
	// Keep gets the arrays that components record, with the round from 1; they are its own to
	// keep. Of every round in which something was sent it gets "sent" from the engine, n×3: of
	// each client its number, how many bytes were sent to it, and how many it sent. Nil: nothing
	// is recorded.
	Keep     func(round int, name string, m fl.Matrix)
	Progress func(int) // told the number of rounds done, from time to time; may be nil
	// Preparing is told how many rows a preprocessor is through with before the first round, from
	// time to time and by several goroutines, one after another. It may be nil.
	Preparing func(preprocessor string, rows, of int)
	// Save keeps a checkpoint of a cell, which can go on from there. What it gets is the cell's own
	// memory, not to be changed, and good only until Save returns. It is called where Due says so,
	// which is asked after every round but the last, and when the cell is called off. A nil Due
	// says that it never is; with a nil Save there are no checkpoints.
	Save func(*Progress)
	Due  func() bool
	// ClientMemory is how many bytes the states of clients may take in memory between rounds, with
	// the record of each client, of 64 bytes, that says where its state is. States that exceed it
	// lie in a temporary file in ClientFolder, or in the system's folder for these; records never
	// do. 0: there is no limit.
	ClientMemory int64
	ClientFolder string
	Movers       int // clients that summarise and move rows at once, if that is more than Workers
	// Record is told of every round that is played what the aggregator got and returned; an
	// error of it ends the cell. Models of a weighted sum are then kept until the round ends. Nil:
	// nothing is told.
	Record func(*RoundRecord) error
}

// Run runs a cell from its first round to its last.
func Run(ctx context.Context, s *Setup, o Options) (*Result, error) {
	c, err := Start(s, o)
	if err != nil {
		return nil, err
	}
	return c.Finish(ctx)
}

// Finish runs what is left of a cell and closes it.
func (c *Cell) Finish(ctx context.Context) (result *Result, err error) {
	defer c.Close()
	done, saved := ctx.Done(), c.progress.Round // before the first round there is nothing to save
	for c.progress.Round < c.setup.Rounds {
		called := false
		select {
		case <-done:
			called = true
		default:
		}
		t := c.progress.Round
		if c.opts.Save != nil && t > saved && (called || c.opts.Due != nil && c.opts.Due()) {
			saved = t
			c.opts.Save(c.saved())
		}
		if called {
			return nil, ctx.Err()
		}
		if err := c.Step(); err != nil {
			return nil, err
		}
		if t++; c.opts.Progress != nil && (t&63 == 0 || c.slow) {
			c.opts.Progress(t)
		}
	}
	if c.opts.Save != nil && c.setup.GoesOnAs != "" && c.progress.Round > saved {
		c.opts.Save(c.saved())
	}
	return c.Result(), nil
}

// CheckpointID returns the identity under which the checkpoints of the setup are kept: that of the
// setup with all rounds, which shares those of one that stops early.
func (s *Setup) CheckpointID() string {
	if s.GoesOnAs != "" {
		return s.GoesOnAs
	}
	return s.ID
}

// guard turns a panic of a component into an error: it costs one cell, not all of them.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = panicked(p)
	}
}

// panicked returns the error that a panic is. A component whose method returns none reports
// an error of its own by panicking with it; one of the runtime is a mistake in the component.
func panicked(p any) error {
	if err, ok := p.(error); ok {
		if _, mistake := p.(runtime.Error); !mistake {
			return err
		}
	}
	return fmt.Errorf("panic: %v", p)
}
