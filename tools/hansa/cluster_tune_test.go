//go:build linux

package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
)

// tuningRun is a run of an experiment with [tune] on this machine, and its command line.
type tuningRun struct {
	*testing.T
	line            []string
	results, trials map[string]string
	table           string
}

// newTuningRun runs a small experiment here, whose search halves.
func newTuningRun(g *field) *tuningRun {
	file, err := filepath.Abs(filepath.Join(filepath.Dir(g.file), "..", "tune", "small.toml"))
	if err != nil {
		g.Fatal(err)
	}
	r := &tuningRun{T: g.T, line: []string{"run", file, "--set", "tune.search=halving", "--set", "tune.budget=9"}}
	r.table = g.hansa(append(r.line, "--dir", "tuned-here")...)
	r.results, r.trials = contents(g.T, "tuned-here/results"), contents(g.T, "tuned-here/tune/results")
	return r
}

// same holds a run to the one here.
func (r *tuningRun) same(g *field, dir string) {
	g.Helper()
	if got := contents(g.T, dir+"/results"); !maps.Equal(got, r.results) {
		out, said, _ := g.try("status", dir)
		g.Errorf("%d results, which are not the %d of a run here:\n%s%s", len(got), len(r.results), out, said)
	}
	if got := contents(g.T, dir+"/tune/results"); !maps.Equal(got, r.trials) {
		g.Errorf("%d trials, which are not the %d of a run here", len(got), len(r.trials))
	}
	if got := g.hansa("table", dir); got != r.table {
		g.Errorf("the table is\n%s\nnot\n%s", got, r.table)
	}
}

// trialsOf returns what hansa status says of the trials of a run.
func (g *field) trialsOf(dir string) (s struct {
	Trials      string
	TrialCounts map[string]int `json:"trial_counts"`
	Successor   string
	Counts      map[string]int
	Unknown     string
}) {
	g.Helper()
	if err := json.Unmarshal([]byte(g.hansa("status", dir, "--format", "json")), &s); err != nil {
		g.Fatal(err)
	}
	return s
}

// tuned runs trials on the cluster, of which a job after the tasks of each step chooses: no command
// is given but the first.
func (g *field) tuned() {
	r := newTuningRun(g)
	_, said, err := g.try(append(r.line, "--dir", "tuned", "--on", "slurm", "--collect")...)
	if err != nil || !strings.Contains(said, " goes on; `hansa status tuned` says how far it is") {
		g.Fatalf("%v\n%s", err, said)
	}
	g.until("the tables are collected", func() bool {
		found, err := filepath.Glob("tuned/tables/table.txt")
		return err == nil && len(found) == 1
	})
	g.idle("tuned")
	r.same(g, "tuned")
	list, err := store.Run{Dir: "tuned/tune"}.Submissions()
	if err != nil || len(list) < 2 {
		g.Errorf("trials were submitted %d times, once for each step of the search: %v", len(list), err)
	}
}

// untuned cancels trials with the job that goes on after them, and goes on later.
func (g *field) untuned() {
	r := newTuningRun(g)
	g.hansa(append(r.line, "--dir", "untuned", "--on", "slurm")...)
	if s := g.trialsOf("untuned"); s.Successor == "" || s.Trials == "" {
		g.Errorf("no job goes on: %+v", s)
	}
	g.hansa("cancel", "untuned")
	s := g.trialsOf("untuned")
	if s.Successor != "" || s.TrialCounts[session.StateRunning]+s.TrialCounts[session.StatePending] > 0 {
		g.Errorf("after they were cancelled: %+v", s)
	}
	g.hansa("resume", "untuned")
	g.until("all cells are done", func() bool {
		s := g.trialsOf("untuned")
		return s.Counts[session.StateDone] == len(r.results)
	})
	r.same(g, "untuned")
}
