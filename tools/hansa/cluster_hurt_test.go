//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
	"github.com/hansa-fl/hansa/framework/session"
)

// unhurt runs a grid, while two collect all the time.
func (g *field) unhurt() {
	g.submit("plain", "--collect")
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- g.collecting("plain") }()
	}
	g.idle("plain")
	for range 2 {
		if err := <-done; err != nil {
			g.Error(err)
		}
	}
	g.same("plain")
	g.until("the job that collects has ended", func() bool {
		text, err := os.ReadFile("plain/tables/table.txt")
		return err == nil && string(text) == g.table
	})
	out, said, err := g.try("run", g.file, "--dir", "plain", "--on", "slurm")
	if err != nil || !strings.Contains(said, "nothing to run: 6 training runs are done") || out != g.table {
		g.Errorf("%v\n%s", err, said)
	}
}

// collecting collects until all is done; the table that it finds is whole at any time.
func (g *field) collecting(dir string) error {
	for range 60 {
		if _, said, err := g.try("collect", dir); err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
		text, err := os.ReadFile(filepath.Join(dir, "tables", "table.json"))
		if err != nil || !strings.HasSuffix(string(text), "}\n") && !strings.HasSuffix(string(text), "]\n") {
			return fmt.Errorf("the table ends in %q, %v", text[max(0, len(text)-20):], err)
		}
	}
	return nil
}

// killed kills two tasks: that costs no other task anything, and they go on where they were.
func (g *field) killed() {
	g.submit("killed")
	for index := range 2 {
		g.kill(g.hold("killed", index), syscall.SIGKILL)
	}
	g.idle("killed")
	if n := g.status("killed"); n[session.StateDone] != len(g.want)-2 || n[session.StateCrash] != 2 {
		g.Errorf("%v, want 2 that crashed", n)
	}
	if out := g.hansa("status", "killed"); !strings.Contains(out, "killed") {
		g.Errorf("it does not say why:\n%s", out)
	}
	if _, said, err := g.try("resume", "killed", "--lost-only"); err != nil ||
		!strings.Contains(said, "nothing to run") {
		g.Errorf("nothing was lost: %v\n%s", err, said)
	}
	g.hansa("resume", "killed", "--failed-only")
	g.idle("killed")
	if log := g.log("killed", 0) + g.log("killed", 1); !strings.Contains(log, " goes on from round ") {
		g.Errorf("they began anew:\n%s", log)
	}
	g.same("killed")
}

// told tells the last task to go, whose id is that of its array: it saves its cell and asks to be
// started again.
func (g *field) told() {
	g.submit("told")
	last := len(g.want) - 1
	pid := g.hold("told", last)
	task := fmt.Sprintf("%s_%d", g.array("told"), last)
	g.until("it was told", func() bool {
		out, err := exec.Command("scancel", "--batch", "--signal=USR1", task).CombinedOutput()
		if err != nil {
			g.Logf("scancel: %v\n%s", err, out) // it may yet have told the task
		}
		return g.pending(pid, syscall.SIGUSR1)
	})
	g.kill(pid, syscall.SIGCONT)
	g.idle("told")
	log := g.log("told", last)
	asked := strings.Count(log, "it will be started again") +
		strings.Count(log, "it asked to be started again, and was ended before the answer")
	if asked != 1 || !strings.Contains(log, "restart 1") {
		g.Errorf("the log of the task:\n%s", log)
	}
	g.same("told")
}

// preempted has a job of another partition take the processors.
func (g *field) preempted() {
	g.submit("preempted")
	g.hold("preempted", 0) // Slurm has it go on, and ends it
	out, err := exec.Command("sbatch", "--parsable", "-p", "urgent", "--nodes=2", "--exclusive",
		"--output=/dev/null", "--wrap", "sleep 1").CombinedOutput()
	if err != nil {
		g.Fatalf("%v\n%s", err, out)
	}
	g.idle("preempted")
	var again int
	for index := range len(g.want) {
		again += strings.Count(g.log("preempted", index), "restart 1")
	}
	if again == 0 {
		g.Error("no task was preempted")
	}
	g.same("preempted")
}

// submitted twice.
func (g *field) mute() {
	real, err := exec.LookPath("sbatch")
	if err != nil {
		g.Fatal(err)
	}
	bin := g.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *--test-only*) exec %[1]s \"$@\";; esac\n"+
		"%[1]s \"$@\" > /dev/null\nkill -9 $$\n", real)
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte(script), 0o755); err != nil {
		g.Fatal(err)
	}
	g.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	g.submit("mute")
	if found, err := filepath.Glob("mute/submissions/*"); err != nil || len(found) != 1 {
		g.Errorf("submissions: %v, %v", found, err)
	}
	g.idle("mute")
	g.same("mute")
}

// away submits while the controller is down, and kills it right after a submission.
func (g *field) away() {
	if *slow { // no answer comes for a minute
		g.cluster.KillController()
		_, said, err := g.try("run", g.file, "--dir", "away", "--on", "slurm")
		if err == nil || strings.Contains(said, "submitted 6 training runs") {
			g.Errorf("submitted without a controller: %s", said)
		}
		g.cluster.Heal()
	}
	g.cluster.Settle()
	g.submit("away")
	g.cluster.KillController() // it has written nothing down of that
	out, said, err := g.try("status", "away")
	if err != nil || !strings.Contains(said, "what is in the queue is not known") {
		g.Errorf("%v\n%s%s", err, out, said)
	}
	g.cluster.Heal()
	g.cluster.Ready()
	g.idle("away")
	g.hansa("resume", "away", "--force")
	g.idle("away")
	g.same("away")
}

// cancelled cancels a run and goes on with it on this machine.
func (g *field) cancelled() {
	g.submit("cancelled")
	g.hold("cancelled", 0)
	here := exec.Command("hansa", "run", g.file, "--dir", "cancelled")
	if said, told := interruptAt(g.T, here, "in the queue of a cluster, and run here, too"); !told {
		g.Errorf("it was not told:\n%s", said)
	}
	g.hansa("cancel", "cancelled")
	if n := g.status("cancelled"); n[session.StateRunning]+n[session.StatePending] > 0 || n[session.StateDone] == len(g.want) {
		g.Errorf("%v", n)
	}
	g.hansa("resume", "cancelled", "--on", "here")
	g.same("cancelled")
}

// ordinary has a user without any rights do everything.
func (g *field) ordinary() {
	slurmtest.Root(g)
	dir, err := os.MkdirTemp("", "ordinary")
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := exec.LookPath("hansa")
	if err != nil {
		g.Fatal(err)
	}
	const nobody = 65534
	for name, from := range map[string]string{"hansa": program, "grid.toml": g.file,
		"site.toml": "site.toml"} {
		content, err := os.ReadFile(from)
		if err != nil {
			g.Fatal(err)
		}
		path := filepath.Join(dir, name)
		err = errors.Join(os.WriteFile(path, content, 0o755), os.Chown(path, nobody, nobody))
		if err != nil {
			g.Fatal(err)
		}
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		g.Fatal(err)
	}
	asNobody := func(args ...string) string {
		cmd := exec.Command("./hansa", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			g.Fatalf("%v: %v\n%s", args, err, said.String())
		}
		return string(out)
	}
	asNobody("run", "grid.toml", "--on", "slurm")
	g.until("all training runs are done", func() bool {
		return strings.HasPrefix(asNobody("status", "grid"), fmt.Sprint(len(g.want), "   done"))
	})
	if got := asNobody("collect", "grid"); got != g.table {
		g.Errorf("the table is\n%s", got)
	}
	asNobody("cancel", "grid")
	asNobody("gc", "grid")
}

// full has so small a disk that some results find no room.
func (g *field) full() {
	dir, remount := small(g.T, "1g")
	resize := func(room uint64) {
		var now syscall.Statfs_t
		if err := syscall.Statfs(dir, &now); err != nil {
			g.Fatal(err)
		}
		remount(0, fmt.Sprintf("size=%d", (now.Blocks-now.Bfree)*uint64(now.Bsize)+room))
	}
	g.partition("DOWN") // until the disk is small: on a busy machine tasks may be done before it is
	g.submit(dir)
	logs, err := filepath.Glob(dir + "/submissions/*/log")
	if err != nil || len(logs) != 1 {
		g.Fatal(logs, err)
	}
	for index := range len(g.want) { // Slurm closes a node whose logs find no room
		log := filepath.Join(logs[0], fmt.Sprint(index)+".log")
		if err := os.WriteFile(log, []byte("\n"), 0o666); err != nil {
			g.Fatal(err)
		}
	}
	resize(24 << 10)
	g.partition("UP")
	g.idle(dir)
	n := g.status(dir)
	if n[session.StateDone] == len(g.want) || n[session.StateCorrupt] > 0 {
		g.Errorf("%v: the disk was never full, or a result is torn", n)
	}
	resize(64 << 20)
	g.hansa("resume", dir)
	g.idle(dir)
	g.same(dir)
}

// nodeless kills the daemon of a node: its task runs again on the other one, while the old one
// goes on.
func (g *field) nodeless() {
	g.patiently()
	g.hansa(append(g.long(), "--dir", "nodeless", "--on", "slurm", "--checkpoint", "1s")...)
	g.at("nodeless", 0)
	g.cluster.KillNode("node1")
	g.until("its task runs on another node as well", func() bool {
		slurmtest.Hurry(g, "")
		log := g.log("nodeless", 0)
		return strings.Contains(log, "on node1") && strings.Contains(log, "on node2, restart 1")
	})
	g.idle("nodeless")
	g.cluster.Heal()
	g.asLong("nodeless")
}

// late has a task reach its time limit.
func (g *field) late() {
	g.patiently()
	site := "[slurm]\ntime = \"1m\"\nsignal = \"15s\"\n"
	if err := os.WriteFile("late.toml", []byte(site), 0o666); err != nil {
		g.Fatal(err)
	}
	g.hansa(append(g.long(), "--dir", "late", "--on", "slurm", "--site", "late.toml")...)
	g.idle("late")
	if log := g.log("late", 0); !strings.Contains(log, "restart 1") {
		g.Errorf("it was never late:\n%s", log)
	}
	g.asLong("late")
}

// pace runs a cell here that takes longer than nodes and limits of tests do, and returns its
// command line.
func (g *field) pace() []string {
	const few = 200_000
	line := func(rounds int) []string {
		return []string{"run", g.file, "--seeds", "1", "--only", "method=FedAVOT",
			"--set", fmt.Sprint("rounds=", rounds)}
	}
	began := time.Now()
	g.hansa(append(line(few), "--dir", "short")...)
	long := line(int(few * 100 * time.Second / time.Since(began)))
	g.hansa(append(long, "--dir", "long")...)
	return long
}

// asLong compares a run of the long cell with the undisturbed one.
func (g *field) asLong(dir string) {
	want, got := contents(g.T, "long/results"), contents(g.T, filepath.Join(dir, "results"))
	if len(want) != 1 || !maps.Equal(got, want) {
		g.Errorf("%d results, which are not the %d of an undisturbed run", len(got), len(want))
	}
}

// interruptAt runs a command, which is interrupted as soon as it says something. It returns what the
// command said, and whether it said that.
func interruptAt(t *testing.T, c *exec.Cmd, want string) (said string, told bool) {
	t.Helper()
	progress, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		said += lines.Text() + "\n"
		if !told && strings.Contains(said, want) {
			told = true
			err = c.Process.Signal(os.Interrupt)
		}
	}
	_ = c.Wait() // it was interrupted
	if err != nil {
		t.Error(err)
	}
	return said, told
}
