package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// planForm names the form of a stored plan. It changes whenever an older program would
// misread a plan, or this one an older plan.
const planForm = "hansa/plan/1"

// A Plan is what a run consists of, so that its table can be made without the experiment
// file.
type Plan struct {
	Form       string            `json:"form"` // SavePlan fills it in
	Title      string            `json:"title"`
	File       string            `json:"file"`    // the experiment file, from the folder of the run
	Command    string            `json:"command"` // that makes the run
	Hash       string            `json:"hash"`    // of the ids of all cells
	Cells      []study.Cell      `json:"cells"`   // resolved
	IDs        []string          `json:"ids"`     // parallel to Cells
	Report     study.Report      `json:"report"`
	References []study.Reference `json:"references"`
	Strategies []Strategy        `json:"strategies,omitempty"`
}

// A Strategy is code of the user's that a run is made with.
type Strategy struct {
	Path   string `json:"path"`           // as the user calls it
	File   string `json:"file,omitempty"` // of a plan: Path, from the folder of the run
	Digest string `json:"digest"`         // as cells know it
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
	Volatile    []engine.Series `json:"volatile"`
}

// An Environment is where a cell ran, as far as numbers or times can depend on it.
type Environment struct {
	Host       string     `json:"host,omitempty"`
	Kernel     string     `json:"kernel,omitempty"`   // release of the operating system
	CPU        string     `json:"cpu,omitempty"`      // its model
	Flags      string     `json:"flags,omitempty"`    // digest of what the CPU can do
	Program    string     `json:"program,omitempty"`  // SHA-256 of its file
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

	Compiled []string `json:"compiled,omitempty"` // digests of strategies that were built in
}

// A Failure says why a cell has no result.
type Failure struct {
	Method  string `json:"method"`
	Seed    uint64 `json:"seed"`
	Message string `json:"message"`
	Outcome string `json:"outcome"` // "failed", "time-out", "memory" or "crash"
}

// SavePlan stores the plan of the run.
func (r Run) SavePlan(p *Plan) error {
	p.Form = planForm
	return r.save(filepath.Join(r.Dir, "plan.json"), p)
}

// LoadPlan returns the plan of the run. It refuses what this program did not write, or
// would misread.
func (r Run) LoadPlan() (*Plan, error) {
	var p Plan
	path := filepath.Join(r.Dir, "plan.json")
	found, err := r.load(path, &p)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s is not a run: it has no plan.json", r.Dir)
	case p.Form != planForm:
		return nil, fmt.Errorf("%s is no plan that this version of hansa reads: its form is %q, "+
			"not %q", path, p.Form, planForm)
	case len(p.Cells) != len(p.IDs):
		return nil, fmt.Errorf("%s: %d ids for %d cells", path, len(p.IDs), len(p.Cells))
	}
	return &p, nil
}

// SaveAttempt stores what else is known of a cell that has a result, and forgets that it
// failed before.
func (r Run) SaveAttempt(id string, a *Attempt) error {
	if err := os.Remove(r.place("failures", id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.save(r.place("attempts", id), a)
}

// LoadAttempt returns what SaveAttempt stored, or nil.
func (r Run) LoadAttempt(id string) (*Attempt, error) {
	var a Attempt
	found, err := r.load(r.place("attempts", id), &a)
	if err != nil || !found {
		return nil, err
	}
	return &a, nil
}

// SaveFailure stores why a cell has no result.
func (r Run) SaveFailure(id string, f *Failure) error { return r.save(r.place("failures", id), f) }

// LoadFailure returns what SaveFailure stored, or nil.
func (r Run) LoadFailure(id string) (*Failure, error) {
	var f Failure
	found, err := r.load(r.place("failures", id), &f)
	if err != nil || !found {
		return nil, err
	}
	return &f, nil
}

func (r Run) save(path string, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return writeFile(path, append(content, '\n'))
}

func (r Run) load(path string, v any) (found bool, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(content, v); err != nil {
		return false, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return true, nil
}
