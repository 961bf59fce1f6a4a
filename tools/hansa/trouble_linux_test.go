package main

import (
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// small mounts a file system of a size and returns its folder.
func small(t *testing.T, size string) (dir string, remount func(flags uintptr, data string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
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
	for _, id := range plan.IDs {
		result, err := r.Get(id)
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

// What cannot be written to can be read, and whoever wants to run in it is told.
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
