package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// entered writes the note of a process as Enter does.
func entered(t *testing.T, r Run, b Busy) string {
	t.Helper()
	path := filepath.Join(r.Dir, "busy", b.Host+"-"+b.Command+".json")
	name := "busy/" + b.Host + "-" + b.Command + ".json"
	if err := r.save(name, busyForm, "", &b); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProcessesAtWork(t *testing.T) {
	r := Run{t.TempDir()}
	if at := r.AtWork(); len(at) != 0 {
		t.Errorf("at work on nothing: %v", at)
	}
	// Another process than this one must be alive: the one that started it is.
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	began, alive := process(os.Getppid())
	if !alive || (began == "") == (runtime.GOOS == "linux") {
		t.Errorf("our parent: %q, %t", began, alive)
	}
	since := time.Date(2026, 1, 2, 10, 2, 0, 0, time.UTC)
	parent := Busy{host, os.Getppid(), began, "parent", since.Format(time.RFC3339)}
	remote := Busy{"zz-elsewhere", noProcess, "whenever", "remote", parent.Since}
	entered(t, r, parent)
	entered(t, r, remote)
	dead := []string{
		entered(t, r, Busy{host, noProcess, "", "dead", parent.Since}),
	}
	if began != "" { // another process has the number now
		dead = append(dead, entered(t, r, Busy{host, os.Getppid(), began + "1", "reused", parent.Since}))
	}
	damaged := filepath.Join(r.Dir, "busy", "damaged.json")
	if err := os.WriteFile(damaged, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	others, turn, leave := r.Enter("me", since)
	if len(others) != 2 || others[0] != parent || others[1] != remote || turn != 2 {
		t.Errorf("beside us there are %+v, and we are number %d", others, turn)
	}
	if at := r.AtWork(); len(at) != 3 {
		t.Errorf("at work: %+v", at)
	}
	if err := r.Tidy(); err != nil {
		t.Error(err)
	}
	for _, path := range dead {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s of a dead process is still there", path)
		}
	}
	leave()
	leave()
	if at := r.AtWork(); len(at) != 2 || at[0] != parent || at[1] != remote {
		t.Errorf("after us there are %+v", at)
	}
}

// A process that ended and was not reaped is dead.
func TestTheDeadAreDead(t *testing.T) {
	child := exec.CommandContext(t.Context(), "true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			if _, alive := process(child.Process.Pid); !alive {
				break
			}
			if time.Now().After(end) {
				t.Fatal("it never dies")
			}
		}
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if _, alive := process(child.Process.Pid); alive {
		t.Error("it is alive")
	}
	for _, pid := range []int{0, -1, noProcess} {
		if _, alive := process(pid); alive {
			t.Errorf("process %d is alive", pid)
		}
	}
}

// Where no note can be written the work goes on.
func TestNotesAreAdvice(t *testing.T) {
	r := Run{t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.Dir, "busy"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	others, turn, leave := r.Enter("me", time.Time{})
	leave()
	if len(others) != 0 || turn != 0 {
		t.Errorf("%v, %d", others, turn)
	}
	if content, err := os.ReadFile(filepath.Join(r.Dir, "busy")); err != nil || len(content) > 0 {
		t.Errorf("what was in the way is %q, %v", content, err)
	}
}
