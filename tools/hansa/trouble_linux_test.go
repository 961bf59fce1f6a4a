package main

import (
	"bytes"
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
	"github.com/hansa-fl/hansa/framework/store"
)

// small mounts a file system of a size and returns its folder.
func small(t *testing.T, size string) (dir string, remount func(flags uintptr, data string)) {
	t.Helper()
	slurmtest.Root(t)
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func(flags uintptr, data string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", flags|syscall.MS_REMOUNT, data); err != nil {
			t.Fatal(err)
		}
	}
}

// children lists the processes that a process started.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	for _, path := range glob(t, "/proc/[0-9]*/stat") {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		var state string
		var pid, of int
		_, rest, _ := strings.Cut(string(stat), ") ")
		_, err = fmt.Sscan(rest, &state, &of)
		if _, errPid := fmt.Sscanf(path, "/proc/%d/stat", &pid); err == nil && errPid == nil &&
			of == parent && state != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// A worker process that is killed costs its cell this attempt, and no round that was saved; one
// whose parent is killed ends.
func TestKilledWorkers(t *testing.T) {
	onPath(t)
	file, err := filepath.Abs(filepath.Join("testdata", "stopped", "long.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	run := []string{"run", file, "--only", "method=FedAVOT", "--checkpoint", "1ms"}
	if out, err := exec.Command("hansa", append(run, "--dir", "whole")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, parent := range []bool{false, true} {
		cmd, said, ended := saving(t, append(run, "--isolation", "process"))
		workers, victim := children(t, cmd.Process.Pid), cmd.Process.Pid
		if len(workers) != 1 {
			t.Fatalf("its workers: %v", workers)
		}
		if !parent {
			victim = workers[0]
		}
		if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-ended // how is in its state
		if failed := strings.Contains(said.String(), ": the worker died: signal: killed\n"); failed == parent ||
			!parent && cmd.ProcessState.ExitCode() != exitFailed {
			t.Errorf("%v: it says\n%s", cmd.ProcessState, said)
		}
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			if errors.Is(syscall.Kill(workers[0], 0), syscall.ESRCH) || zombie(workers[0]) {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the worker lives on")
			}
		}
	}
	out, err := exec.Command("hansa", run...).CombinedOutput()
	if err != nil || !goesOn.Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
	if !maps.Equal(contents(t, "runs/long/results"), contents(t, "whole/results")) {
		t.Error("the result is another one")
	}
}

// saving starts a run that has no result yet, and returns it once its cell was saved. A busy machine
// may see a cell only after its end: then it is tried again.
func saving(t *testing.T, run []string) (cmd *exec.Cmd, said *bytes.Buffer, ended chan error) {
	t.Helper()
	for range 20 {
		if err := os.RemoveAll("runs/long"); err != nil { // until the worker saves
			t.Fatal(err)
		}
		said, ended = new(bytes.Buffer), make(chan error, 1)
		cmd = exec.CommandContext(t.Context(), "hansa", run...)
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- cmd.Wait() }()
		for over := false; !over; {
			if len(glob(t, "runs/long/checkpoints/*/[^.]*")) > 0 {
				return cmd, said, ended
			}
			select {
			case <-ended:
				over = true
			case <-time.After(time.Millisecond):
			}
		}
	}
	t.Fatalf("20 runs ended before anything was seen that they saved:\n%s", said)
	return nil, nil, nil
}

// zombie reports whether a process has ended, and its exit status was not asked for.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// A full disk costs those cells their results that do not fit, with one message. Nothing that is
// there is torn, and once there is room the rest is run.
func TestFullDisk(t *testing.T) {
	want, table := eightWhole(t)
	dir, remount := small(t, "64k")
	run := []string{"run", "eight.toml", "--dir", dir, "--checkpoint", "1ns"}
	_, said := try(t, exitFailed, run...)
	if n := strings.Count(said, "nothing can be stored in "+dir+": no space left on device"); n < 1 || n > 2 {
		t.Errorf("it says %d times that the disk is full:\n%s", n, said)
	}
	r := store.Run{Dir: dir}
	plan, err := r.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for i, id := range plan.IDs {
		result, err := r.Get(id, &plan.Cells[i])
		if err != nil {
			t.Error(err)
		}
		if result != nil {
			done++
		}
	}
	if done == 0 || done == len(plan.IDs) {
		t.Fatalf("%d of %d results fit", done, len(plan.IDs))
	}
	remount(0, "size=4m")
	printed, said := try(t, exitOK, run...)
	if printed != table || strings.Count(said, "] ok ") != len(plan.IDs)-done ||
		!maps.Equal(contents(t, dir+"/results"), want) {
		t.Errorf("with room:\n%s%s", said, printed)
	}
	if left := glob(t, dir+"/*/*/.*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What cannot be written to can be read, and a command that wants to run in it says so.
func TestReadOnlyRun(t *testing.T) {
	want, table := eightWhole(t)
	dir, remount := small(t, "4m")
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil { // the experiment and its run
		t.Fatal(err)
	}
	t.Chdir(dir)
	remount(syscall.MS_RDONLY, "")
	if printed, said := try(t, exitOK, "table", "eight"); printed != table || said != "" {
		t.Errorf("the table is\n%s%s", said, printed)
	}
	for _, args := range [][]string{{"run", "eight.toml", "--dir", "new"},
		{"run", "eight.toml", "--seeds", "5", "--dir", "runs/eight"}} {
		printed, said := try(t, exitFailed, args...)
		if printed != "" || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said,
			"hansa: nothing can be stored in "+args[len(args)-1]+": read-only file system") {
			t.Errorf("running in it:\n%s%s", said, printed)
		}
	}
	if !maps.Equal(contents(t, "runs/eight/results"), want) {
		t.Error("the results are others")
	}
}
