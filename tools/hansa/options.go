package main

import (
	"cmp"
	"runtime"
	"time"

	"github.com/hansa-fl/hansa/framework/store"
)

// options say how cells are run. No result depends on them.
type options struct {
	store.Terms
	Jobs int    // cells or clients that are trained at once, at least 1
	Data string // a list of folders with data, before $HANSA_DATA, where Terms name none
}

// budget is how long a call into a strategy may take where nothing else is said.
const budget = time.Minute

// The ways in which strategies run.
const (
	eitherWay     = "auto" // compiled while a run that is not over soon interprets them
	asInterpreted = "interpreted"
	asCompiled    = "compiled"
)

// Which cells run in worker processes.
const (
	strategiesApart = "auto" // those with strategies
	allApart        = "process"
	noneApart       = "none"
)

// apart reports whether a cell, which is foreign where it has strategies, runs in a worker process.
func (o *options) apart(foreign bool) bool {
	return o.Isolation == allApart || o.Isolation == strategiesApart && foreign
}

// settled returns options with defaults where nothing is said.
func (o options) settled() *options {
	o.Call = cmp.Or(o.Call, budget)
	o.Isolation = cmp.Or(o.Isolation, strategiesApart)
	o.Strategies = cmp.Or(o.Strategies, asInterpreted)
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	return &o
}
