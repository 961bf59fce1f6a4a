package slurm_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
)

var slow = flag.Bool("slow", false, "wait for Slurm, too: for a time limit, for a node to be down")

// program is what tasks run: it writes its user, does what its first argument says, and may
// wait for the file that is its second one.
const program = `#!/bin/sh
mode=$1 file=$2 index=$4
case $mode in
requeue)
	trap 'echo told; scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; exit 75' USR1 ;;
told) trap 'echo told; exit 0' USR1 ;;
deaf) trap '' USR1 ;;
esac
echo "began ${SLURM_RESTART_COUNT:-0} on $SLURMD_NODENAME"
case $mode$index in
exit0) kill -9 $$ ;;
exit1) exit 7 ;;
exit*) ;;
*) until [ -e "$file" ]; do sleep 0.1; done ;;
esac
echo "ended $index"
`

// A bench is a cluster, and what one test has on it.
type bench struct {
	*testing.T
	slurm  *slurm.Cluster
	array  *launch.Array
	file   string // that tasks wait for
	states []launch.TaskState
}

// on returns a bench with an array of tasks that do what mode says. Every user may write there.
func on(t *testing.T, mode string, tasks int) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "task's\"%a\" ")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "program")
	err = errors.Join(os.Chmod(dir, 0o777), os.WriteFile(path, []byte(program), 0o755),
		os.Chmod(path, 0o755)) // whatever the mask is
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, slurm: &slurm.Cluster{}, file: filepath.Join(dir, "go")}
	b.array = &launch.Array{Site: &launch.Site{}, Name: "test-" + filepath.Base(t.Name()),
		Comment: "a test's", Tasks: tasks, Log: filepath.Join(dir, "log"),
		Command: []string{path, mode, b.file}}
	return b
}

// another returns a bench whose array has another name.
func (b *bench) another(suffix string) *bench {
	array := *b.array
	array.Name += "-" + suffix
	return &bench{T: b.T, slurm: b.slurm, array: &array, file: b.file}
}

// submit submits the array and returns its id.
func (b *bench) submit() string {
	b.Helper()
	id, err := launch.Submit(b.Context(), b.slurm, b.array)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// begin lets tasks go on that wait.
func (b *bench) begin() {
	b.Helper()
	if err := os.WriteFile(b.file, nil, 0o644); err != nil {
		b.Fatal(err)
	}
}

// await asks for states until n of them are as wanted.
func (b *bench) await(n int, state string) {
	b.Helper()
	b.until(n, state, func() {})
}

// hurry waits until n tasks run, and lets those begin early that were requeued.
func (b *bench) hurry(n int) {
	b.Helper()
	b.until(n, "RUNNING", func() { slurmtest.Hurry(b, b.array.Name) })
}

// until does something over and over until n states are as wanted.
func (b *bench) until(n int, state string, do func()) {
	b.Helper()
	var err error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		do()
		slurmtest.Release(b, b.array.Name)
		b.states, err = b.slurm.States(b.Context(), []string{b.array.Name})
		if err != nil {
			b.Fatal(err)
		}
		if len(b.in(state)) == n {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(b.array.Log, "0.log")) // there may be none
	b.Fatalf("there are never %d %s: %+v\n%s", n, state, b.states, text)
}

// hear waits until a task has written something.
func (b *bench) hear(name, words string) {
	b.Helper()
	for range 150 {
		text, _ := os.ReadFile(filepath.Join(b.array.Log, name+".log")) // there may be none yet
		if strings.Contains(string(text), words) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	b.Fatalf("task %s never says %q: %s", name, words, b.log(name))
}

// in returns what is in a state.
func (b *bench) in(state string) (found []launch.TaskState) {
	for _, s := range b.states {
		if s.State == state {
			found = append(found, s)
		}
	}
	return found
}

// log returns what a task wrote.
func (b *bench) log(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.array.Log, name+".log"))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

func TestSlurm(t *testing.T) {
	cluster := slurmtest.Start(t)
	cluster.Use(t)
	t.Run("at once", func(t *testing.T) {
		for name, test := range map[string]func(t *testing.T){
			"limits": testLimits, "throttle": testThrottle, "requeue": testRequeue,
			"exits": testExits, "no log": testNoLog, "signal": testSignal, "killed": testKilled,
			"no root": testNobody, "limit": testTimeLimit,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t)
			})
		}
	})
	t.Run("forgotten", func(t *testing.T) { testForgotten(t, cluster) })
	t.Run("down", func(t *testing.T) { testDown(t, cluster) })
	t.Run("node", func(t *testing.T) { testNode(t, cluster) })
}

func testLimits(t *testing.T) {
	s := &slurm.Cluster{}
	l, err := s.Limits(t.Context())
	if err != nil || l.ArraySize != 1001 || !l.Requeue || !l.Signalled || l.Accounting ||
		l.KillWait != 5*time.Second || l.MinJobAge != 5*time.Minute || l.Version == "" {
		t.Errorf("%+v %v", l, err)
	}
	for want, site := range map[string]*launch.Site{
		"": {}, "artition": {Words: map[string]string{"partition": "nope"}}, "not available": {CPUs: 100},
		"feature": {Words: map[string]string{"constraint": "gold"}}, "option": {Extra: []string{"--no-such-option"}},
	} {
		if err := s.Try(t.Context(), site); (err != nil) != (want != "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", site, err, want)
		}
	}
	if past, err := s.Past(t.Context(), []string{"a"}); len(past) != 0 || err != nil {
		t.Errorf("%v %v", past, err)
	}
	b := on(t, "wait", 1002)
	if _, err := launch.Submit(t.Context(), s, b.array); err == nil ||
		!strings.Contains(err.Error(), "Invalid job array specification") {
		t.Errorf("%v", err)
	}
}

func testThrottle(t *testing.T) {
	b := on(t, "wait", 6)
	b.array.Site.Throttle = 2
	b.submit()
	b.await(2, "RUNNING")
	pending := b.in("PENDING")
	if len(pending) != 4 || pending[3].Index != 5 || !pending[3].Phase.Live() {
		t.Errorf("%+v", b.states)
	}
	if err := launch.Cancel(t.Context(), b.slurm, []string{b.array.Name, "test-no-such-name"}); err != nil {
		t.Error(err)
	}
	b.await(0, "PENDING")
	for _, s := range b.states {
		if s.State != "CANCELLED" || s.Phase.Live() {
			t.Errorf("%+v", s)
		}
	}
}

// The last task of an array has the array's id for its own: it alone begins again, and what
// waits for the array waits for it.
func testRequeue(t *testing.T) {
	b := on(t, "wait", 2)
	id := b.submit()
	after := b.another("after")
	after.array.Tasks, after.array.After = 0, id
	after.array.Command = []string{"/bin/echo", "it's", "over"}
	after.submit()
	b.await(2, "RUNNING")
	if err := b.slurm.Requeue(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	b.await(1, "PENDING")
	if p := b.in("PENDING")[0]; p.Index != 1 || len(b.in("RUNNING")) != 1 {
		t.Errorf("%+v", b.states)
	}
	b.hurry(2)
	after.await(1, "PENDING")
	if s := after.states[0]; s.Index != -1 || s.Reason != "Dependency" {
		t.Errorf("%+v", after.states)
	}
	b.begin()
	b.await(2, "COMPLETED")
	if strings.Count(b.log("0"), "began") != 1 || strings.Count(b.log("1"), "began") != 2 ||
		!strings.Contains(b.log("1"), "began 1 on node") || !strings.Contains(b.log("1"), "ended 1") {
		t.Errorf("%s\n%s", b.log("0"), b.log("1"))
	}
	after.await(1, "COMPLETED")
	if text := after.log("job"); text != "it's over\n" {
		t.Errorf("%q", text)
	}
}

func testExits(t *testing.T) {
	b := on(t, "exit", 3)
	b.submit()
	for exit, path := range map[string]string{"126": "/etc/passwd", "127": "/no/such/program"} {
		other := b.another(exit)
		other.array.Tasks, other.array.Command = 1, []string{path}
		other.submit()
		other.await(1, "FAILED")
		got := other.states[0]
		if why := new(slurm.Cluster).Explain(got); got.Exit != exit+":0" || !strings.Contains(why, "its program") {
			t.Errorf("%+v: %s", got, why)
		}
	}
	b.await(2, "FAILED")
	b.await(1, "COMPLETED")
	for _, s := range b.states {
		if want := []string{"0:9", "7:0", "0:0"}[s.Index]; s.Exit != want {
			t.Errorf("%+v, want %s", s, want)
		}
	}
}

// Without the folder of its log a task fails and says nothing: Slurm's exit code tells.
func testNoLog(t *testing.T) {
	b := on(t, "exit", 1)
	b.array.Site.Extra = []string{"--begin=now+2"}
	b.submit()
	if err := os.Remove(b.array.Log); err != nil {
		t.Fatal(err)
	}
	b.await(1, "FAILED")
	if s := b.states[0]; s.Exit != "0:53" || !strings.Contains(new(slurm.Cluster).Explain(s), "folder of its log") {
		t.Errorf("%+v: %s", s, new(slurm.Cluster).Explain(s))
	}
}

// Before the end of its time a task is told, and the program itself hears it. Slurm looks every
// half a minute; all but a second of the shortest time is before the end.
func testSignal(t *testing.T) {
	b := on(t, "told", 1)
	b.array.Site = &launch.Site{Time: time.Minute, Signal: 10 * time.Second,
		Extra: []string{"--signal=B:USR1@59"}}
	b.submit()
	b.await(1, "COMPLETED")
	if !strings.Contains(b.log("0"), "told") {
		t.Error(b.log("0"))
	}
}

// An sbatch that dies when it has submitted is not run again.
func testKilled(t *testing.T) {
	b := on(t, "wait", 1)
	runs, id := 0, ""
	b.slurm.Command = func(ctx context.Context, stdin, name string, args ...string) (
		string, string, error) {
		out, said, err := as(nil)(ctx, stdin, name, args...)
		if name == "sbatch" && err == nil {
			runs, id = runs+1, strings.TrimSpace(out)
			return "", "", errors.New("signal: killed")
		}
		return out, said, err
	}
	if got := b.submit(); got != id || runs != 1 {
		t.Errorf("found %s, submitted %s in %d runs", got, id, runs)
	}
	b.begin()
	b.await(1, "COMPLETED")
}

// as runs commands with some words before them.
func as(before []string) func(ctx context.Context, stdin, name string, args ...string) (
	string, string, error) {
	return func(ctx context.Context, stdin, name string, args ...string) (string, string, error) {
		args = append(append(append([]string{}, before...), name), args...)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin = strings.NewReader(stdin)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		err := cmd.Run()
		return out.String(), said.String(), err
	}
}

// A user other than root submits, is told, requeues a task from within it, and cancels.
func testNobody(t *testing.T) {
	slurmtest.Root(t)
	b := on(t, "requeue", 1)
	b.array.Site.Extra = []string{"--chdir=/"} // this one may not be open to others
	if err := os.Mkdir(b.array.Log, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.array.Log, 0o777); err != nil {
		t.Fatal(err)
	}
	b.slurm.Command = as([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"})
	id := b.submit()
	b.await(1, "RUNNING")
	b.hear("0", "began 0") // and hears what it is told
	root := &slurm.Cluster{}
	if states, err := root.States(t.Context(), []string{b.array.Name}); len(states) != 0 || err != nil {
		t.Errorf("it is root's: %+v %v", states, err)
	}
	_, said, err := b.slurm.Command(t.Context(), "", "scancel", "--batch", "--signal=USR1", id+"_0")
	if err != nil {
		t.Fatal(said)
	}
	b.await(1, "PENDING")
	b.hurry(1)
	b.hear("0", "began 1")
	if text := b.log("0"); !strings.Contains(text, "told") {
		t.Error(text)
	}
	if err := launch.Cancel(t.Context(), b.slurm, []string{b.array.Name}); err != nil {
		t.Error(err)
	}
}
