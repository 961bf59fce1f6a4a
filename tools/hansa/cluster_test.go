//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
)

// A field is an experiment on a cluster: runs are made of it, disturbed, and compared with an
// undisturbed run on this machine.
type field struct {
	*testing.T
	cluster *slurmtest.Cluster
	file    string
	want    map[string]string // results
	table   string
	long    func() []string // command line of a cell that takes minutes, which is run in long
}

// Whatever happens to a run on a cluster with Slurm, it ends with the bytes of a run on one
// machine.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster takes its time")
	}
	g := newGrid(t)
	for _, one := range []struct {
		name string
		test func(*field)
	}{
		{"undisturbed", (*field).unhurt},
		{"tasks are killed", (*field).killed},
		{"a strategy changes", (*field).strategic},
		{"a task is told to go", (*field).told},
		{"an urgent job preempts tasks", (*field).preempted},
		{"sbatch dies when all is said", (*field).mute},
		{"the controller is away", (*field).away},
		{"cancelled", (*field).cancelled},
		{"parameters are chosen", (*field).tuned},
		{"trials are cancelled", (*field).untuned},
		{"the job that goes on is killed", (*field).orphaned},
		{"cancelled while it is submitted", (*field).overtaken},
		{"an ordinary user runs it", (*field).ordinary},
		{"the disk is full", (*field).full},
		{"a node dies", (*field).nodeless},
		{"time is over", (*field).late},
	} {
		t.Run(one.name, func(t *testing.T) {
			of := *g
			of.T = t
			one.test(&of)
		})
	}
	if !*slow { // no node was killed
		g.cluster.Undrained()
	}
}

var slow = flag.Bool("slow", false, "wait for Slurm, too: for a time limit, for a node to be down")

// patiently leaves out what takes minutes, unless that is asked for.
func (g *field) patiently() {
	if !*slow {
		g.Skip("it takes minutes: -slow waits for it")
	}
}

func newGrid(t *testing.T) *field {
	settings := []string{"LOCAL_SLURM_KILL_WAIT=5", "LOCAL_SLURM_GRACE=5"}
	if !*slow { // which kills a node, and waits until it is down
		settings = append(settings, slurmtest.Patient...)
	}
	cluster := slurmtest.Start(t, settings...)
	cluster.Use(t)
	onPath(t)
	file, err := filepath.Abs(filepath.Join("testdata", "cluster", "grid.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("HANSA_SITE", "site.toml")
	site := "[slurm]\ntime = \"10m\"\nthrottle = 4\n"
	if err := os.WriteFile("site.toml", []byte(site), 0o666); err != nil {
		t.Fatal(err)
	}
	g := &field{T: t, cluster: cluster, file: file}
	g.long = sync.OnceValue(g.pace)
	g.hansa("run", file, "--dir", "here")
	g.want, g.table = contents(t, "here/results"), g.hansa("table", "here")
	return g
}

// hansa runs a command line that must succeed, and returns its standard output.
func (g *field) hansa(args ...string) string {
	g.Helper()
	out, said, err := g.try(args...)
	if err != nil {
		g.Fatalf("hansa %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return out
}

// try runs a command line.
func (g *field) try(args ...string) (out, said string, err error) {
	var b, e bytes.Buffer
	cmd := exec.Command("hansa", args...)
	cmd.Stdout, cmd.Stderr = &b, &e
	err = cmd.Run()
	return b.String(), e.String(), err
}

// submit submits the experiment as a run, whose cells are saved twice a second.
func (g *field) submit(dir string, more ...string) {
	g.Helper()
	g.hansa(append([]string{"run", g.file, "--dir", dir, "--on", "slurm", "--checkpoint", "300ms"},
		more...)...)
}

// status returns how many cells are in which state, once the controller answers: while it does not,
// nothing is known of what is in the queue, which may be full.
func (g *field) status(dir string) (counts map[string]int) {
	g.Helper()
	g.until("the controller answers", func() bool {
		var s struct {
			Counts  map[string]int
			Unknown string
		}
		if err := json.Unmarshal([]byte(g.hansa("status", dir, "--format", "json")), &s); err != nil {
			g.Fatal(err)
		}
		counts = s.Counts
		return s.Unknown == ""
	})
	return counts
}

// patience is how long a cluster on a busy machine may take for anything.
const patience = 4 * time.Minute

// until waits for something to be so.
func (g *field) until(what string, is func() bool) {
	g.Helper()
	for began := time.Now(); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Since(began) > patience {
			queue, _ := exec.Command("squeue", "-r").CombinedOutput()
			g.Fatalf("after %v still not: %s\n%s", patience, what, queue)
		}
	}
}

// idle waits until no task of a run waits or runs. Tasks that are held after they asked to be
// started again are not waited for so long.
func (g *field) idle(dir string) {
	g.Helper()
	g.until("no task is in the queue", func() bool {
		slurmtest.Hurry(g, "")
		n := g.status(dir)
		return n[session.StateRunning]+n[session.StatePending]+n[session.StateArriving] == 0
	})
}

// same compares a run with the undisturbed one.
func (g *field) same(dir string) {
	g.Helper()
	if got := contents(g.T, filepath.Join(dir, "results")); !maps.Equal(got, g.want) {
		out, said, _ := g.try("status", dir, "--all")
		g.Errorf("%d results, which are not the %d of an undisturbed run:\n%s%s", len(got),
			len(g.want), out, said)
	}
	if got := g.hansa("table", dir); got != g.table {
		g.Errorf("the table is\n%s\nnot\n%s", got, g.table)
	}
}

// at waits until a task of a run has saved its cell, and returns its process.
func (g *field) at(dir string, index int) (pid int) {
	g.Helper()
	g.until(fmt.Sprintf("task %d has saved a cell", index), func() bool {
		pid = g.process(dir, index)
		return pid > 0 && g.saved(dir, index)
	})
	return pid
}

// hold stops the process of a task of a run in the middle of its cell, so that the cell is not
// done before the test has done something to the task, however slow the machine is. The process
// goes on when it is told to, or by the signals with which Slurm ends it.
func (g *field) hold(dir string, index int) (pid int) {
	g.Helper()
	g.until(fmt.Sprintf("task %d is held", index), func() bool {
		pid = g.process(dir, index)
		if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
			return false
		}
		if g.saved(dir, index) {
			return true
		}
		_ = syscall.Kill(pid, syscall.SIGCONT) // it cannot have ended
		return false
	})
	g.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	return pid
}

// saved reports whether a task of a run has saved its cell.
func (g *field) saved(dir string, index int) bool {
	return slices.ContainsFunc(g.cells(dir, index), func(id string) bool {
		saved, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*", id+".ckpt"))
		return err == nil && len(saved) > 0
	})
}

// pending reports whether a signal waits for a process that is held.
func (g *field) pending(pid int, s syscall.Signal) bool {
	g.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		g.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if of, ok := strings.CutPrefix(line, "ShdPnd:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(of), 16, 64)
			if err != nil {
				g.Fatal(err)
			}
			return set>>(s-1)&1 == 1
		}
	}
	g.Fatal("no ShdPnd")
	return false
}

// cells returns the ids of the cells of a task of the last submission.
func (g *field) cells(dir string, index int) []string {
	g.Helper()
	found, err := store.Run{Dir: dir}.Submissions()
	if err != nil || len(found) == 0 {
		g.Fatalf("%d submissions of %s: %v", len(found), dir, err)
	}
	return found[len(found)-1].Tasks[index]
}

// process returns the process of a task, or 0.
func (g *field) process(dir string, index int) int {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		g.Fatal(err)
	}
	for _, path := range lines {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		args := strings.Split(strings.TrimSuffix(string(content), "\x00"), "\x00")
		if len(args) > 2 && args[1] == "task" && slices.Contains(args, session.Real(dir)) &&
			args[len(args)-1] == strconv.Itoa(index) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err == nil {
				return pid
			}
		}
	}
	return 0
}

// array returns the id of the array of the last submission.
func (g *field) array(dir string) string {
	g.Helper()
	var s struct{ Submissions []struct{ Job string } }
	if err := json.Unmarshal([]byte(g.hansa("status", dir, "--format", "json")), &s); err != nil {
		g.Fatal(err)
	}
	return s.Submissions[0].Job
}

// log returns what a task of the last submission wrote.
func (g *field) log(dir string, index int) string {
	found, err := filepath.Glob(filepath.Join(dir, "submissions", "*", "log", fmt.Sprint(index)+".log"))
	if err != nil || len(found) == 0 {
		g.Fatalf("task %d has no log: %v", index, err)
	}
	text, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		g.Fatal(err)
	}
	return string(text)
}

// kill sends a signal to a process.
func (g *field) kill(pid int, s syscall.Signal) {
	g.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		g.Fatal(err)
	}
}
