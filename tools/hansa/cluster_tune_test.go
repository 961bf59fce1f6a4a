//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
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

// before puts a program in the place of sbatch for all that is called from now on, by tasks, too: a
// script that may end with exec "$sbatch" "$@". What only asks it leaves alone.
func (g *field) before(script string) {
	g.Helper()
	real, err := exec.LookPath("sbatch")
	if err != nil {
		g.Fatal(err)
	}
	bin := g.TempDir()
	script = fmt.Sprintf("#!/bin/sh\nsbatch='%s'\ncase \"$*\" in *--test-only*) exec \"$sbatch\" \"$@\";; esac\n%s", real, script)
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte(script), 0o755); err != nil {
		g.Fatal(err)
	}
	g.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// orphaned kills the job that goes on after trials while it submits the next ones, and goes on by
// hand.
func (g *field) orphaned() {
	r := newTuningRun(g)
	held, err := filepath.Abs("held")
	if err != nil {
		g.Fatal(err)
	}
	// A job that submits is held for as long as there is no file "free".
	g.before(fmt.Sprintf("if [ -n \"$SLURM_JOB_ID\" ] && [ ! -e '%[1]s.free' ]; then touch '%[1]s'; sleep 600; fi\n"+
		"exec \"$sbatch\" \"$@\"\n", held))
	g.hansa(append(r.line, "--dir", "orphaned", "--on", "slurm")...)
	job := g.trialsOf("orphaned").Successor
	g.until("the job that goes on submits", func() bool {
		_, err := os.Stat(held)
		return err == nil
	})
	if out, err := exec.Command("scancel", "--full", "--signal=KILL", job).CombinedOutput(); err != nil {
		g.Fatalf("%v\n%s", err, out)
	}
	g.until("the job is killed", func() bool { return g.trialsOf("orphaned").Successor == "" })
	if s := g.trialsOf("orphaned"); s.TrialCounts[session.StateRunning]+s.TrialCounts[session.StatePending] > 0 ||
		s.Counts[session.StateDone] > 0 {
		g.Errorf("after the job that goes on was killed: %+v", s)
	}
	if err := os.WriteFile(held+".free", nil, 0o666); err != nil {
		g.Fatal(err)
	}
	g.hansa("resume", "orphaned")
	g.until("all cells are done", func() bool {
		return g.trialsOf("orphaned").Counts[session.StateDone] == len(r.results)
	})
	r.same(g, "orphaned")
}

// overtaken cancels a run after its submission began and before the cluster has it: nothing is left
// in the queue.
func (g *field) overtaken() {
	dir, err := filepath.Abs("overtaken")
	if err != nil {
		g.Fatal(err)
	}
	g.before(fmt.Sprintf("hansa cancel '%s' > cancel.txt 2>&1\nexec \"$sbatch\" \"$@\"\n", dir))
	_, said, err := g.try("run", g.file, "--dir", dir, "--on", "slurm")
	if err == nil || !strings.Contains(said, "was cancelled while it was submitted: what was submitted is cancelled, too") {
		text, _ := os.ReadFile("cancel.txt")
		g.Errorf("%v\n%s\nhansa cancel says\n%s", err, said, text)
	}
	if n := g.status(dir); n[session.StateRunning]+n[session.StatePending] > 0 {
		g.Errorf("after it was cancelled: %v", n)
	}
	g.hansa("resume", dir, "--on", "here")
	g.same(dir)
}
