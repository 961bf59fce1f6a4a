// Package slurmtest gives tests a real Slurm: two nodes on this machine, which live as long as
// the test.
package slurmtest

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

//go:embed testdata/*.sh
var scripts embed.FS

// A Cluster is a Slurm of two nodes, node1 and node2, with two CPUs each, and of the partitions
// main and urgent, which preempts main.
type Cluster struct {
	Dir  string // that everything of it lies in
	Conf string // its configuration: SLURM_CONF

	t       testing.TB
	scripts string // folder of them
	env     []string
}

// Patient are settings of a cluster whose nodes are not killed, on a machine that is busy. A daemon
// that gets no processor for ten seconds is not down, and its tasks are not requeued. Commands wait
// half a minute for a controller that is away.
var Patient = []string{"LOCAL_SLURM_NODE_TIMEOUT=300",
	"LOCAL_SLURM_EXTRA=MessageTimeout=30\nBatchStartTimeout=60"}

// Start starts a cluster, with settings as LOCAL_SLURM_KILL_WAIT=5 of the script in testdata,
// and stops it when the test ends. Where Slurm is not installed the test is skipped, but in
// continuous integration it fails.
func Start(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	if err := installed(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI=true asks for what is missing here: install slurm-wlm and munge: %v", err)
		}
		t.Skipf("slurm-wlm and munge are not installed: nothing is seen of a real Slurm: %v", err)
	}
	// The sockets of the daemons need a path that is shorter than that of t.TempDir.
	dir, err := os.MkdirTemp("", "ls")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: filepath.Join(dir, "s"), t: t, scripts: dir, env: settings}
	t.Cleanup(c.stop)
	// Other users of the cluster read its configuration.
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, scripts); err != nil {
		t.Fatal(err)
	}
	c.Heal()
	return c
}

// Root leaves out what only root can test; continuous integration is root, and fails here where it
// is not.
func Root(t testing.TB) {
	t.Helper()
	switch {
	case os.Getuid() == 0:
	case os.Getenv("CI") == "true":
		t.Fatal("CI=true asks for root: to be another user, and to have a disk that is full")
	default:
		t.Skip("only root can be another user, or have a disk that is full")
	}
}

// needed lists the programs that the script which starts a cluster looks for.
var needed = []string{"munged", "slurmctld", "slurmd", "sinfo", "scontrol", "flock"}

// installed says what of Slurm is missing: what the script, which looks for daemons in folders of
// the administrator as well, would not find.
func installed() error {
	for _, name := range needed {
		_, err := exec.LookPath(name)
		for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
			if err != nil {
				_, err = exec.LookPath(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return fmt.Errorf("%s is not found", name)
		}
	}
	return nil
}

// script runs a script of testdata and returns what it writes.
func (c *Cluster) script(name string, args ...string) (string, error) {
	args = append([]string{filepath.Join(c.scripts, "testdata", name), c.Dir}, args...)
	cmd := exec.Command("bash", args...)
	cmd.Env = append(os.Environ(), c.env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", name, err, said.String())
	}
	return string(out), err
}

// Heal starts what of the cluster does not run.
func (c *Cluster) Heal() {
	c.t.Helper()
	out, err := c.script("start-local-slurm.sh")
	if err != nil {
		c.t.Fatal(err)
	}
	conf, found := strings.CutPrefix(strings.TrimSpace(out), "export SLURM_CONF='")
	if !found {
		c.t.Fatalf("start-local-slurm.sh says %q", out)
	}
	c.Conf = strings.TrimSuffix(conf, "'")
}

// forgotten is how many ids of jobs a controller that was killed may have given since it wrote down
// which one is next: more than a test uses in the seconds between.
const forgotten = 50

// Ready waits until the cluster takes jobs. A controller that begins again knows its nodes by what
// it wrote down of them; until they have told it what they have, it may take no job. It also may
// give ids again that it has forgotten, and a node that still runs a job by such an id is drained:
// so these ids are used up.
func (c *Cluster) Ready() {
	c.t.Helper()
	var out []byte
	try := func() error {
		cmd := exec.Command("sbatch", "--test-only", "--wrap", "true") // it takes an id
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Conf)
		said, err := cmd.CombinedOutput()
		out = said
		return err
	}
	for range 150 {
		if try() != nil {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		for range forgotten {
			if err := try(); err != nil {
				c.t.Fatalf("the cluster takes jobs no longer: %v\n%s", err, out)
			}
		}
		return
	}
	c.t.Fatalf("the cluster takes no jobs: %s", out)
}

// Undrained fails the test if a node takes no jobs because something went wrong on it.
func (c *Cluster) Undrained() {
	c.t.Helper()
	cmd := exec.Command("sinfo", "-h", "-R")
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Conf)
	switch out, err := cmd.CombinedOutput(); {
	case err != nil:
		c.t.Errorf("sinfo -R: %v\n%s", err, out)
	case len(out) > 0:
		c.t.Errorf("nodes take no jobs: %s", out)
	}
}

// stop ends the cluster and all that runs on it, and removes it.
func (c *Cluster) stop() {
	if _, err := c.script("stop-local-slurm.sh", "--wipe"); err != nil {
		c.t.Error(err)
	}
	if err := os.RemoveAll(c.scripts); err != nil {
		c.t.Error(err)
	}
}

// Use makes the cluster that of this process, until the test ends.
func (c *Cluster) Use(t testing.TB) {
	t.Helper()
	t.Setenv("SLURM_CONF", c.Conf)
}

// Hurry lets tasks begin in two seconds that were requeued and would begin in two minutes: those
// of a name, or all if it is empty. It has to be called until they run. Sooner would be too soon:
// a node that was told to end a task refuses all that is to begin in the same second, and then
// the task is over ("Job credential revoked"). Hence the two minutes.
//
// It releases what was not launched, too.
func Hurry(t testing.TB, name string) {
	t.Helper()
	for _, w := range waiting(t, name) {
		begin, err := time.ParseInLocation("2006-01-02T15:04:05", w.begin, time.Local)
		if w.reason == "BeginTime" && err == nil && time.Until(begin) > 3*time.Second {
			// It may just have ended, or been cancelled.
			_ = exec.Command("scontrol", "update", "jobid="+w.task, "starttime=now+2").Run()
		}
	}
	Release(t, name)
}

// Release lets tasks of a name, or all if it is empty, wait again that a node failed to launch, as
// their user would: a node that is busy may refuse a task, and so does one that knows the id of
// the task from before its controller forgot it.
func Release(t testing.TB, name string) {
	t.Helper()
	for _, w := range waiting(t, name) {
		if strings.Contains(w.reason, "launch failed") {
			t.Logf("task %s is released: %s", w.task, w.reason)
			_ = exec.Command("scontrol", "release", w.task).Run() // or it was cancelled
		}
	}
}

// A waitingTask is one that is in the queue and does not run.
type waitingTask struct{ task, reason, begin string }

// waiting returns what of a name waits in the queue.
func waiting(t testing.TB, name string) (list []waitingTask) {
	t.Helper()
	args := []string{"-h", "-r", "-t", "PENDING", "-o", "%F_%K|%S|%r"}
	if name != "" {
		args = append(args, "--name="+name)
	}
	queue, err := exec.Command("squeue", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(queue)) {
		if f := strings.SplitN(strings.TrimSpace(line), "|", 3); len(f) == 3 {
			task := strings.TrimSuffix(f[0], "_N/A") // no array
			list = append(list, waitingTask{task: task, begin: f[1], reason: f[2]})
		}
	}
	return list
}

// KillNode kills the daemon of a node. What runs there goes on; the node is down to the
// controller half a minute later.
func (c *Cluster) KillNode(name string) { c.t.Helper(); c.kill("slurmd." + name) }

// Settle waits until the controller has written down what it knows now, which it does within five
// seconds of a change: one that is killed then takes no job up again that has ended.
func (c *Cluster) Settle() {
	c.t.Helper()
	began := time.Now()
	for time.Since(began) < 8*time.Second { // nothing may have changed
		info, err := os.Stat(filepath.Join(c.Dir, "ctld", "job_state"))
		if err == nil && info.ModTime().After(began) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// KillController kills the controller, which forgets what it has not written down.
func (c *Cluster) KillController() { c.t.Helper(); c.kill("slurmctld") }

// kill kills a daemon and waits until it is gone.
func (c *Cluster) kill(daemon string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "run", daemon+".pid"))
	if err != nil {
		c.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		c.t.Fatalf("the process of %s is %q", daemon, text)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		c.t.Fatalf("%s: %v", daemon, err)
	}
	for range 100 {
		if gone(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("%s, process %d, is still there", daemon, pid)
}

// gone reports whether a process has ended, reaped or not.
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(after, "Z")
}
