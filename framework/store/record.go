package store

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// A Plan is what a run consists of, so that its table can be made without the experiment
// file.
type Plan struct {
	Title      string            `json:"title"`
	File       string            `json:"file"`    // the experiment file, from the folder of the run
	Command    string            `json:"command"` // that makes the run
	Hash       string            `json:"hash"`    // of the ids of all cells
	Cells      []study.Cell      `json:"cells"`   // resolved
	IDs        []string          `json:"ids"`     // parallel to Cells
	Report     study.Report      `json:"report"`
	References []study.Reference `json:"references"`
	Claims     []study.Claim     `json:"claims,omitempty"`
	Strategies []Strategy        `json:"strategies,omitempty"`
	Tuning     *Tuning           `json:"tuning,omitempty"` // nil: no parameter is chosen

	// Whole is, of a part of a plan, the cells of the plan. A part is not stored.
	Whole []study.Cell `json:"-"`
}

// A Strategy is code of the user's that a run is made with.
type Strategy struct {
	Path   string `json:"path"`           // as the user calls it
	File   string `json:"file,omitempty"` // of a plan: Path, from the folder of the run
	Digest string `json:"digest"`         // as cells know it
	Exam   *Exam  `json:"exam,omitempty"` // whether it meets its requirements; nil: not known
}

// An Exam says how a strategy was examined before its cells ran.
type Exam struct {
	// Requirements is how many it meets. The key is older than the name, and stays, for plans that
	// earlier programs wrote.
	Requirements int  `json:"promises,omitempty"`
	Unexamined   bool `json:"unexamined,omitempty"` // as the command line wanted it
}

// An Attempt is what differs from run to run: when, how long, by which build and where. What it
// does not say is empty: programs before this one said less.
type Attempt struct {
	Started     string          `json:"started"`         // RFC 3339
	Ended       string          `json:"ended,omitempty"` // RFC 3339
	Seconds     float64         `json:"seconds"`
	Workers     int             `json:"workers"`
	Resumed     int             `json:"resumed,omitempty"` // the round from which it went on
	Before      float64         `json:"before,omitempty"`  // seconds that the rounds before it took
	Build       Build           `json:"build"`
	Environment *Environment    `json:"environment,omitempty"`
	Usage       *Usage          `json:"usage,omitempty"`
	Cost        *engine.Cost    `json:"cost,omitempty"`
	Volatile    []engine.Series `json:"volatile"`
}

// An Environment is where a cell ran, as far as numbers or times can depend on it.
type Environment struct {
	Host       string     `json:"host,omitempty"`
	Kernel     string     `json:"kernel,omitempty"`   // release of the operating system
	CPU        string     `json:"cpu,omitempty"`      // its model
	Flags      string     `json:"flags,omitempty"`    // digest of what the CPU can do
	Program    string     `json:"program,omitempty"`  // SHA-256 of its file
	Source     string     `json:"source,omitempty"`   // SHA-256 of what it was built of
	Numerics   string     `json:"numerics,omitempty"` // see Numerics
	Processors int        `json:"processors"`         // GOMAXPROCS
	Strategies []Strategy `json:"strategies,omitempty"`

	Variables map[string]string `json:"variables,omitempty"` // of the process, by a list of names
}

// A Usage is what the process in which a cell ran took meanwhile: for all cells that it ran then.
type Usage struct {
	User        float64 `json:"user"`        // seconds of processors
	System      float64 `json:"system"`      // seconds of processors, in the operating system
	Memory      int64   `json:"memory"`      // most bytes of the process until then
	Checkpoints int     `json:"checkpoints"` // of the cell, that were stored
}

// A Build says which program produced a result.
type Build struct {
	Revision string `json:"revision"` // of the source; empty when the build does not know
	Modified bool   `json:"modified"` // the source differed from Revision
	Go       string `json:"go"`
	Platform string `json:"platform"` // "linux/amd64"

	Compiled []string `json:"compiled,omitempty"` // digests of strategies that ran compiled
}

// A Failure says why a cell has no result.
type Failure struct {
	Method  string `json:"method"`
	Seed    uint64 `json:"seed"`
	Message string `json:"message"`
	Outcome string `json:"outcome"` // "failed", "time-out", "memory" or "crash"

	Compiled []string `json:"compiled,omitempty"` // digests of strategies that ran compiled
}

// SaveAttempt stores what else is known of a cell that has a result, and forgets that it
// failed before.
func (r Run) SaveAttempt(id string, a *Attempt) error {
	return r.storing(func(f *folder) error {
		failed, err := place("failures", id, ".json")
		if err != nil {
			return err
		}
		if err := f.drop(failed); err != nil {
			return err
		}
		return f.saveOf("attempts", attemptForm, id, a)
	})
}

// LoadAttempt returns what SaveAttempt stored, or nil.
func (r Run) LoadAttempt(id string) (*Attempt, error) {
	var a Attempt
	found, err := r.loadOf("attempts", attemptForm, id, &a)
	if err == nil && found {
		err = r.sound(id, &a)
	}
	if err != nil || !found {
		return nil, err
	}
	return &a, nil
}

// SaveFailure stores why a cell has no result.
func (r Run) SaveFailure(id string, why *Failure) error {
	return r.storing(func(f *folder) error { return f.saveOf("failures", failureForm, id, why) })
}

// LoadFailure returns what SaveFailure stored, or nil.
func (r Run) LoadFailure(id string) (*Failure, error) {
	var f Failure
	found, err := r.loadOf("failures", failureForm, id, &f)
	if err != nil || !found {
		return nil, err
	}
	return &f, nil
}

// saveOf stores a record of a cell.
func (f *folder) saveOf(kind, form, id string, v any) error {
	name, err := place(kind, id, ".json")
	if err != nil {
		return err
	}
	return f.save(name, form, id, v)
}

// loadOf reads a record of a cell, if there is one.
func (r Run) loadOf(kind, form, id string, v any) (found bool, err error) {
	name, err := place(kind, id, ".json")
	if err != nil {
		return false, err
	}
	return r.load(name, form, id, v)
}
