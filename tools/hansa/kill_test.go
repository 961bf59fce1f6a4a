//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// A run that was stopped in any way goes on where it was, and ends with the results of one
// that was never stopped. What a stopped one has stored is whole.
func TestStoppedRunsGoOn(t *testing.T) {
	onPath(t)
	file, err := filepath.Abs(filepath.Join("testdata", "stopped", "busy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	shell(t, "hansa run --dir whole "+file)
	want := contents(t, "whole/results")

	t.Run("two at once", func(t *testing.T) { atOnce(t, file, want) })
	t.Run("moved", func(t *testing.T) { moved(t, file, want) })
	t.Run("SIGKILL", func(t *testing.T) { killed(t, file, want) })
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) { interrupted(t, file, s, want) })
	}
	t.Run("ignoring", func(t *testing.T) { ignoring(t, file, want) })
}

// onPath has shells find hansa.
func onPath(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", filepath.Dir(asBuilt(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// shell runs a command line that must succeed.
func shell(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// killed kills a run in the middle, and then runs it to its end.
func killed(t *testing.T, file string, want map[string]string) {
	some := stopped(t, []string{"run", "--jobs", "1", "--dir", "killed", file}, "killed",
		len(want), syscall.SIGKILL)
	if status := some.state.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v", some.state)
	}
	before := contents(t, "killed/results")
	if len(before) == 0 || len(before) >= len(want) {
		t.Fatalf("it has %d of %d results", len(before), len(want))
	}
	if notes := glob(t, "killed/busy/*.json"); len(notes) != 1 {
		t.Errorf("the killed process left the notes %v", notes)
	}
	fresh, stale := leave(t, want, os.Getpid()), leave(t, want, 1<<30+1)
	shell(t, "hansa run --dir killed "+file)
	if got := contents(t, "killed/results"); !maps.Equal(got, want) {
		t.Errorf("%d results, which are not the %d of a run that was not killed", len(got), len(want))
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("what a process may be writing is gone: %v", err)
	}
	if notes := glob(t, "killed/busy/*"); len(notes) > 0 {
		t.Errorf("left: %v", notes)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Errorf("%s, which no process writes any more, is still there", stale)
	}
}

// atOnce has two processes run one experiment in one folder: they share the work, and the
// results do not show it.
func atOnce(t *testing.T, file string, want map[string]string) {
	var said [2]bytes.Buffer
	var runs [2]*exec.Cmd
	for k := range runs {
		for k > 0 && len(glob(t, "shared/results/*/*.json")) < len(want)/20 {
			time.Sleep(time.Millisecond)
		}
		runs[k] = exec.CommandContext(t.Context(), "hansa", "run", "-j", "1", "--dir", "shared", file)
		runs[k].Stderr = &said[k]
		if err := runs[k].Start(); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for k := range runs {
		if err := runs[k].Wait(); err != nil {
			t.Errorf("%v\n%s", err, &said[k])
		}
		ran += strings.Count(said[k].String(), "] ok ")
	}
	line := regexp.MustCompile(fmt.Sprintf(`(?m)^another hansa run \(process %d, since \d\d:\d\d\) `+
		`is at work here: what others finish is not run again$`, runs[0].Process.Pid))
	if n := strings.Count(said[1].String(), "another hansa run"); n != 1 || !line.MatchString(said[1].String()) {
		t.Errorf("the second one says\n%s", &said[1])
	}
	if strings.Contains(said[0].String(), "another hansa run (") {
		t.Errorf("the first one says\n%s", &said[0])
	}
	// Each may begin a cell that the other one is about to finish, where they meet.
	if ran < len(want) || ran > len(want)+4 {
		t.Errorf("%d cells were run for %d results", ran, len(want))
	}
	if !strings.Contains(said[0].String(), " by another run") || !strings.Contains(said[1].String(), " by another run") {
		t.Error("one of them did all the work")
	}
	if got := contents(t, "shared/results"); !maps.Equal(got, want) {
		t.Errorf("%d results, which are not the %d of one run", len(got), len(want))
	}
	if notes := glob(t, "shared/busy/*"); len(notes) > 0 {
		t.Errorf("they left %v", notes)
	}
}

// moved renames the folder of a run at work, which costs no result: some are in the one folder, and
// some in the other.
func moved(t *testing.T, file string, want map[string]string) {
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "hansa", "run", "--dir", "old", file)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(glob(t, "old/results/*/*.json")) < len(want)/10 {
		time.Sleep(time.Millisecond)
	}
	if err := os.Rename("old", "new"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailed ||
		strings.Count(said.String(), "hansa: old was moved or removed while hansa ran: ") != 1 {
		t.Errorf("%v: it says\n%s", err, &said)
	}
	before, since := contents(t, "new/results"), contents(t, "old/results")
	if len(before) == 0 || len(since) == 0 || len(before)+len(since) < len(want) {
		t.Errorf("%d results before and %d after it, of %d", len(before), len(since), len(want))
	}
	if err := os.CopyFS("new/results", os.DirFS("old/results")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	shell(t, "hansa run --dir new "+file)
	if got := contents(t, "new/results"); !maps.Equal(got, want) {
		t.Errorf("%d results, which are not the %d of a run that was not moved", len(got), len(want))
	}
}

// leave writes half a result beside the place of one, as a process that is killed while it writes
// does: it is fresh all the same.
func leave(t *testing.T, results map[string]string, pid int) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host = strings.ReplaceAll(host, ".", "_")
	for path, content := range results {
		dir, name := filepath.Split(filepath.Join("killed", "results", path))
		left := filepath.Join(dir, fmt.Sprintf(".%s.%.32s.%d.left", name, host, pid))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left, []byte(content[:len(content)/2]), 0o666); err != nil {
			t.Fatal(err)
		}
		return left
	}
	t.Fatal("there are no results")
	return ""
}

// ignoring runs hansa as nohup does, and shells what they start behind their back: signals that it
// is to ignore do nothing.
func ignoring(t *testing.T, file string, want map[string]string) {
	c := stopping(t, exec.CommandContext(t.Context(), "sh", "-c", `trap "" HUP INT; exec "$@"`, "sh",
		"hansa", "run", "--dir", "ignoring", file), "ignoring", len(want), syscall.SIGHUP,
		syscall.SIGINT, syscall.SIGINT)
	if code := c.state.ExitCode(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, c.err.String())
	}
	if got := contents(t, "ignoring/results"); !maps.Equal(got, want) {
		t.Errorf("%d results, which are not the %d of a run that was not stopped", len(got), len(want))
	}
}

// farewell is what an interrupted run says last.
var farewell = regexp.MustCompile("(?m)^interrupted: ([0-9]+) of ([0-9]+) training runs are done and " +
	"stored; go on with `(.*)`$")

// interrupted interrupts a run in the middle, looks at what it says and has stored, and
// then does what it says.
func interrupted(t *testing.T, file string, s syscall.Signal, want map[string]string) {
	dir := "stopped by " + s.String()
	some := stopped(t, []string{"run", "-j", "1", "--dir", dir, file}, dir, len(want), s)
	if code := some.state.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	said := farewell.FindStringSubmatch(some.err.String())
	if said == nil {
		t.Fatalf("it does not say how to go on:\n%s", some.err.String())
	}
	done, all, line := said[1], said[2], said[3]
	if all != fmt.Sprint(len(want)) || done != fmt.Sprint(valid(t, dir)) {
		t.Errorf("it says %q, and has %d of %d", said[0], valid(t, dir), len(want))
	}
	if wish := fmt.Sprintf("hansa run %s --dir '%s'", phrase.Quote(file), dir); line != wish {
		t.Errorf("it says to go on with\n%s\nwant\n%s", line, wish)
	}
	if !strings.Contains(some.out.String(), "FedAVOT") {
		t.Errorf("it prints no table of what is done:\n%s", some.out.String())
	}
	shell(t, line)
	if got := contents(t, filepath.Join(dir, "results")); !maps.Equal(got, want) {
		t.Errorf("%d results, which are not the %d of a run that was not stopped", len(got), len(want))
	}
}

// valid counts the results of a run, all of which verify.
func valid(t *testing.T, dir string) (n int) {
	t.Helper()
	run := store.Run{Dir: dir}
	plan, err := run.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range plan.IDs {
		result, err := run.Get(id, &plan.Cells[i])
		if err != nil {
			t.Error(err)
		}
		if result != nil {
			n++
		}
	}
	return n
}

// A child is a process that has ended, and what it printed.
type child struct {
	out, err bytes.Buffer
	state    *os.ProcessState
}

// stopped runs hansa until it is stopped by a signal.
func stopped(t *testing.T, args []string, dir string, all int, s syscall.Signal) *child {
	t.Helper()
	return stopping(t, exec.CommandContext(t.Context(), "hansa", args...), dir, all, s)
}

// stopping starts a run in a process group of its own, sends it signals as soon as its folder has a
// tenth of all results, and waits for its end.
func stopping(
	t *testing.T, cmd *exec.Cmd, dir string, all int, signals ...syscall.Signal,
) *child {
	t.Helper()
	var c child
	cmd.Stdout, cmd.Stderr = &c.out, &c.err
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was stopped: %v\n%s", err, c.err.String())
		case <-time.After(time.Millisecond):
		}
		found, err := filepath.Glob(filepath.Join(dir, "results", "*", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) >= all/10 {
			break
		}
	}
	for _, s := range signals {
		if err := syscall.Kill(-cmd.Process.Pid, s); err != nil {
			t.Fatal(err)
		}
	}
	<-ended // the error says that it was stopped
	c.state = cmd.ProcessState
	return &c
}
