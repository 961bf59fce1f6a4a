package session

import (
	"cmp"
	"runtime"
	"time"

	"github.com/hansa-fl/hansa/framework/store"
)

// Options say how cells are run. No result depends on them.
type Options struct {
	store.Terms
	Jobs int    // cells or clients that are trained at once, at least 1
	Data string // a list of folders with data, before $HANSA_DATA, where Terms name none
}

// Budget is how long a call into a strategy may take where nothing else is said.
const Budget = time.Minute

// The ways in which strategies run.
const (
	EitherWay     = "auto" // compiled while a run that is not over soon interprets them
	AsInterpreted = "interpreted"
	AsCompiled    = "compiled"
)

// Which cells run in worker processes.
const (
	StrategiesApart = "auto" // those with strategies
	AllApart        = "process"
	NoneApart       = "none"
)

// apart reports whether a cell, which is foreign where it has strategies, runs in a worker process.
func (o *Options) apart(foreign bool) bool {
	return o.Isolation == AllApart || o.Isolation == StrategiesApart && foreign
}

// settled returns options with defaults where nothing is said.
func (o Options) settled() *Options {
	o.Call = cmp.Or(o.Call, Budget)
	o.Isolation = cmp.Or(o.Isolation, StrategiesApart)
	o.Strategies = cmp.Or(o.Strategies, AsInterpreted)
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	return &o
}
