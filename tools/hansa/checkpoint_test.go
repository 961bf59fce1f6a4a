//go:build unix

package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/store"
)

// cut starts hansa and sends it a signal when that is due, unless it ends before. It returns what
// hansa said.
func cut(t *testing.T, s syscall.Signal, due func() bool, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "hansa", args...)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !due() {
		select {
		case <-ended:
			return said.String()
		case <-time.After(time.Millisecond): // looking at folders takes the time of a core
		}
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Logf("%v: it has just ended", err)
	}
	<-ended // the error says that it was stopped
	return said.String()
}

// in is due after a time.
func in(d time.Duration) func() bool {
	then := time.Now().Add(d)
	return func() bool { return time.Now().After(then) }
}

// written is due once checkpoints below a folder were written n times since it was made: cells are
// at work then, however slow the machine is.
func written(t *testing.T, dir string, n int) func() bool {
	latest := func() map[string]time.Time {
		at := map[string]time.Time{}
		for _, path := range glob(t, filepath.Join(dir, "checkpoints", "*", "[^.]*.ckpt")) {
			if info, err := os.Stat(path); err == nil { // else it has just been replaced
				at[path] = info.ModTime()
			}
		}
		return at
	}
	before, times := latest(), 0
	return func() bool {
		now := latest()
		for path, at := range now {
			if !at.Equal(before[path]) {
				times++
			}
		}
		before = now
		return times >= n
	}
}

var isSaved = regexp.MustCompile(`missing   FedAVOT · seed 0 +round \d+ of 12000, saved \d\d:\d\d`)

var goesOn = regexp.MustCompile(`(?m)^\S+ · seed 0 goes on from round \d+ of 12000$`)

// Cells go on where they were, and end with the bytes of those that were never stopped.
func TestCellsGoOn(t *testing.T) {
	onPath(t)
	file, err := filepath.Abs(filepath.Join("testdata", "stopped", "long.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	shell(t, "hansa run --checkpoint 0 --dir whole "+file)
	want := contents(t, "whole/results")
	t.Run("at any moment", func(t *testing.T) { stoppedAgain(t, file, want) })
	t.Run("interrupted", func(t *testing.T) { interruptedCells(t, file, want) })
	t.Run("unfit", func(t *testing.T) { unfit(t, file, want) })
}

// stoppedAgain stops a run again and again, in every way, here and in worker processes, until
// cells went on often enough. A run that ended before it could be stopped, as on a loaded machine,
// begins anew.
func stoppedAgain(t *testing.T, file string, want map[string]string) {
	drafted := func() bool { return len(glob(t, "runs/long/checkpoints/*/.*")) > 0 }
	rng := rand.New(rand.NewPCG(10, 37))
	resumed := 0
	whole := func() {
		if !maps.Equal(contents(t, "runs/long/results"), want) {
			t.Error("the results are others than those of a run that was never stopped")
		}
	}
	for k := 0; k < 12 || resumed < 4; k++ {
		if k == 200 {
			t.Fatalf("of %d runs that were stopped only %d cells went on", k, resumed)
		}
		if len(glob(t, "runs/long/results/*/[^.]*")) == len(want) {
			whole()
			if err := os.RemoveAll("runs/long"); err != nil {
				t.Fatal(err)
			}
		}
		where := []string{"auto", "process", "none"}[k/2%3]
		s := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGKILL, syscall.SIGTERM}[k%4]
		due := written(t, "runs/long", 1+rng.IntN(20))
		if k == 4 { // while it writes one
			due = drafted
		}
		said := cut(t, s, due, "run", file, "-j", "2", "--checkpoint", "1ms", "--isolation", where)
		resumed += len(goesOn.FindAllString(said, -1))
		if strings.Contains(said, "FAIL") || strings.Contains(said, "hansa:") {
			t.Errorf("stopped by %v in %s:\n%s", s, where, said)
		}
	}
	shell(t, "hansa run "+file)
	whole()
	left := glob(t, "runs/long/checkpoints/*/*.ckpt")
	if quarantined := glob(t, "runs/long/quarantine/*"); len(left)+len(quarantined) > 0 {
		t.Errorf("left: %v %v", left, quarantined)
	}
}

// interruptedCells interrupts a cell, which is saved then, but not with --checkpoint 0. What was
// saved before is used all the same.
func interruptedCells(t *testing.T, file string, want map[string]string) {
	only := []string{"run", file, "--only", "method=FedAVOT"}
	for _, where := range []string{"process", "none"} {
		args := append(slices.Clone(only), "--dir", where, "--isolation", where)
		took := interruptedAtWork(t, where, args)
		unsaved := append(slices.Clone(only), "--dir", where+"-0", "--isolation", where, "--checkpoint", "0")
		cut(t, syscall.SIGINT, in(took), unsaved...)
		if found := glob(t, where+"-0/checkpoints/*/*"); len(found) > 0 {
			t.Errorf("saved with --checkpoint 0: %v", found)
		}
		if found := glob(t, where+"/checkpoints/*/*"); len(found) != 1 {
			t.Errorf("%s: after an interrupt there are %v", where, found)
		}
		out, err := exec.Command("hansa", "status", where).Output()
		if err != nil || !isSaved.Match(out) {
			t.Errorf("%s: status says %v\n%s", where, err, out)
		}
		out, err = exec.Command("hansa", append(args, "--checkpoint", "0")...).CombinedOutput()
		if said := string(out); err != nil || !goesOn.MatchString(said) {
			t.Errorf("%s: %v\n%s", where, err, said)
		}
		for path, content := range contents(t, where+"/results") {
			if content != want[path] {
				t.Errorf("%s: %s differs", where, path)
			}
			id := strings.TrimSuffix(filepath.Base(path), ".json")
			a, err := store.Run{Dir: where}.LoadAttempt(id)
			if err != nil || a.Resumed == 0 || a.Before <= 0 || a.Before > 60 {
				t.Errorf("%s: %+v %v", where, a, err)
			}
		}
	}
}

// interruptedAtWork interrupts a cell while it is at work, in the run of a folder, and returns after how
// long that was. When a cell begins depends on the machine: it is tried later and later, until the
// interrupt has saved the cell, and a little sooner where the cell was done before.
func interruptedAtWork(t *testing.T, dir string, args []string) time.Duration {
	t.Helper()
	after := 100 * time.Millisecond
	for range 40 {
		cut(t, syscall.SIGTERM, in(after), args...)
		if len(glob(t, dir+"/checkpoints/*/*")) > 0 {
			return after
		}
		if len(glob(t, dir+"/results/*/*")) > 0 {
			after = after * 4 / 5
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			continue
		}
		after = after * 5 / 4
	}
	t.Fatalf("of 40 interrupts none saved the cell, the last one after %v", after)
	return 0
}

// unfit has cells go on from what is no whole checkpoint of this program: the one before it is
// used, or the cell begins anew. Each time one line says so, and the result is the same.
func unfit(t *testing.T, file string, want map[string]string) {
	saving := []string{"run", file, "--checkpoint", "1ms", "--only", "method=FedAVOT"}
	for name, c := range map[string]struct {
		spoil func(latest, previous string) error
		said  string
		on    bool // it goes on all the same
	}{
		"another processor": {func(string, string) error { return nil },
			"is not for this program: another build of hansa made it, or another kind of processor; " +
				"the training run begins anew", false},
		"flipped": {func(latest, _ string) error { return flip(latest) },
			"did not verify: its checksum is not that of its content; moved to", true},
		"both cut": {func(latest, previous string) error {
			_ = os.Truncate(previous, 700)
			return os.Truncate(latest, 700)
		}, "; the training run begins anew", false},
	} {
		t.Run(name, func(t *testing.T) {
			other := "generic" // or, where that is how this test is run
			if kernel.ISA() == other {
				other = "avx2"
			}
			if name == "another processor" && runtime.GOARCH != "amd64" {
				t.Skip("kernels have one path but on amd64: there is no other processor to feign")
			}
			two := func() bool { return len(glob(t, "runs/long/checkpoints/*/[^.]*")) == 2 }
			var latest []string
			for try := 0; len(latest) == 0; try++ { // where disks are slow a cell is saved once only
				if err := os.RemoveAll("runs"); err != nil || try == 9 {
					t.Fatalf("checkpoints: %v, %v", glob(t, "runs/long/checkpoints/*/*"), err)
				}
				cut(t, syscall.SIGKILL, two, saving...)
				latest = glob(t, "runs/long/checkpoints/*/*[^s].ckpt")
			}
			before := strings.TrimSuffix(latest[0], ".ckpt") + ".previous.ckpt"
			if err := c.spoil(latest[0], before); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("hansa", saving...)
			if name == "another processor" {
				cmd.Env = append(os.Environ(), "HANSA_ISA="+other)
			}
			out, err := cmd.CombinedOutput()
			if said := string(out); err != nil || strings.Count(said, "hansa: ") != 1 ||
				!strings.Contains(said, c.said) || goesOn.MatchString(said) != c.on {
				t.Errorf("%v\n%s", err, said)
			}
			for path, content := range contents(t, "runs/long/results") {
				if content != want[path] {
					t.Errorf("%s differs", path)
				}
			}
			if left := glob(t, "runs/long/checkpoints/*/*"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// Where progress cannot be saved, that is said once and costs no cell anything.
func TestProgressThatCannotBeSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "eight.toml", "--dir", "whole")
	for _, where := range []string{"none", "process"} {
		dir := "in-" + where
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/checkpoints", nil, 0o666); err != nil { // a file in its place
			t.Fatal(err)
		}
		_, said := try(t, exitOK, "run", "eight.toml", "--dir", dir, "--checkpoint", "1ns",
			"--isolation", where)
		line := "progress cannot be saved in " + dir + ": not a directory; training runs go on without\n"
		if strings.Count(said, "hansa:") != 1 || !strings.Contains(said, line) {
			t.Error(said)
		}
		if !maps.Equal(contents(t, "whole/results"), contents(t, dir+"/results")) {
			t.Error("the results are others")
		}
	}
}
