package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/diagnose"
	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
	"github.com/hansa-fl/hansa/framework/session"
)

// A visit is what the doctor said of everything.
type visit struct {
	*testing.T
	findings []diagnose.Finding
	said     string
}

// see has the doctor look at everything and end with an exit code.
func see(t *testing.T, code int, args ...string) *visit {
	t.Helper()
	var out, said strings.Builder
	got := hansa(t.Context(), &out, &said, append([]string{"doctor", "--format", "json"}, args...))
	var found struct {
		OK     bool
		Checks []diagnose.Finding
	}
	if err := json.Unmarshal([]byte(out.String()), &found); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &said)
	}
	v := &visit{t, found.Checks, said.String()}
	if got != code || found.OK != (code == exitOK) {
		t.Errorf("doctor %v: exit code %d, want %d\n%s", args, got, code, v)
	}
	if left, err := filepath.Glob("runs/.doctor*"); err != nil || left != nil {
		t.Errorf("it left %v, %v", left, err)
	}
	return v
}

// String returns all of it.
func (v *visit) String() string {
	var b strings.Builder
	for _, s := range v.findings {
		fmt.Fprintf(&b, "%s %s: %s → %s\n", s.Level, s.What, s.Found, s.Do)
	}
	return b.String() + v.said
}

// is holds something to how it should be, and to what of it should be said.
func (v *visit) is(level diagnose.Level, what, found string) {
	v.Helper()
	for _, s := range v.findings {
		if s.Level == level && s.What == what && strings.Contains(s.Found, found) {
			if (s.Do != "") != (level != diagnose.OK) {
				v.Errorf("%s: it is %s, and what to do about it is %q", what, level, s.Do)
			}
			return
		}
	}
	v.Errorf("%s is not %s, with %q:\n%s", what, level, found, v)
}

// says holds something to what of it should be said, however it is.
func (v *visit) says(what, found string) {
	v.Helper()
	for _, s := range v.findings {
		if s.What == what && strings.Contains(s.Found, found) {
			return
		}
	}
	v.Errorf("%s has nothing of %q:\n%s", what, found, v)
}

// elsewhere makes the test begin in an empty folder, and nothing around it matter.
func elsewhere(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HANSA_DATA", "")
	t.Setenv("HANSA_SITE", "")
	t.Setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
	t.Setenv("XDG_CONFIG_HOME", "/dev/null/nowhere")
}

func TestDoctor(t *testing.T) {
	elsewhere(t)
	v := see(t, exitOK)
	v.is(diagnose.OK, "program", "SHA-256")
	v.is(diagnose.OK, "runs", "written, replaced and read in "+session.Real("."))
	v.is(diagnose.OK, "strategies", "meets the requirements")
	v.is(diagnose.OK, "data", "none; ")
	if left, err := filepath.Glob("*"); err != nil || left != nil {
		t.Errorf("it left %v, %v", left, err)
	}
	t.Setenv("HANSA_DATA", "here")
	see(t, exitOK).is(diagnose.Warn, "data", "here is no folder")
	if err := os.Mkdir("here", 0o777); err != nil {
		t.Fatal(err)
	}
	see(t, exitOK).is(diagnose.OK, "data", "in here: no data set that hansa knows")
	if err := os.WriteFile("runs", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	see(t, exitFailed).is(diagnose.Fail, "runs", "not a directory")
}

func TestDoctorWithoutSlurm(t *testing.T) {
	elsewhere(t)
	t.Setenv("PATH", "")
	see(t, exitFailed, "--on", "slurm").is(diagnose.Fail, "slurm", "there is no scontrol here")
	var out, said strings.Builder
	if code := hansa(t.Context(), &out, &said, []string{"doctor", "--on", "slurm", "--site", "no.toml"}); code != exitUsage ||
		!strings.Contains(said.String(), "the site profile no.toml") {
		t.Errorf("exit code %d: %s", code, &said)
	}
}

func TestDoctorOnSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster takes its time")
	}
	slurmtest.Start(t, append(slices.Clip(slurmtest.Patient), "LOCAL_SLURM_KILL_WAIT=5")...).Use(t)
	elsewhere(t)
	profile := func(text string) string {
		if err := os.WriteFile("site.toml", []byte("[slurm]\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		return "site.toml"
	}
	v := see(t, exitOK, "--on", "slurm")
	v.is(diagnose.OK, "slurm", "1001 tasks in an array")
	v.is(diagnose.OK, "requeue", "")
	v.is(diagnose.OK, "accounting", "none; ")
	v.says("files", "is seen by the other after ") // how soon depends on the machine
	v.is(diagnose.OK, "numbers", "as here")
	v.is(diagnose.OK, "processors", "asked for 1, uses 1")
	v.is(diagnose.OK, "signal", "USR1 arrives")
	v.is(diagnose.Warn, "memory", "does not say")
	if !strings.Contains(v.said, "submitted 2 tasks as job") || !strings.Contains(v.said, "task 1") {
		t.Errorf("it does not say how far it is:\n%s", v.said)
	}

	v = see(t, exitOK, "--on", "slurm", "--site", profile("cpus_per_task = 2\nmem = \"500M\"\n"))
	v.is(diagnose.OK, "tasks", "they ran on node")
	v.is(diagnose.OK, "processors", "asked for 2, uses 2")
	v.is(diagnose.OK, "memory", "524 MB for a task")

	see(t, exitFailed, "--on", "slurm", "--site", profile("partition = \"nope\"\n")).
		is(diagnose.Fail, "site", "nope; ")
	see(t, exitFailed, "--on", "slurm", "--site", profile("setup = [\"exit 127\"]\n")).
		is(diagnose.Fail, "tasks", "task 1 failed: its program is not there")
	v = see(t, exitOK, "--on", "slurm", "--site",
		profile("setup = [\"trap '' USR1\", \"export GOMAXPROCS=3\"]\n"))
	v.is(diagnose.OK, "signal", "USR1 arrives") // Go hears what the shell ignores
	v = see(t, exitFailed, "--on", "slurm", "--site", profile("extra = [\"--hold\"]\n"))
	v.is(diagnose.Fail, "tasks", "task 0 waits: it is held")
	noTasks(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	profile("extra = [\"--begin=now+1hour\"]\n") // they wait until they are cancelled
	var out strings.Builder
	said := stopper{words: "submitted 2 tasks", stop: stop}
	if code := hansa(ctx, &out, &said, []string{"doctor", "--on", "slurm", "--site", "site.toml"}); code != exitInterrupted ||
		!strings.HasSuffix(said.String(), "interrupted: the tasks are cancelled\n") || strings.Contains(out.String(), string(diagnose.Fail)) {
		t.Errorf("interrupted: exit code %d\n%s%s", code, &out, &said)
	}
	noTasks(t)
}

// A stopper keeps what is said, and stops at certain words.
type stopper struct {
	text  strings.Builder
	words string
	stop  func()
}

// String returns what was said.
func (s *stopper) String() string { return s.text.String() }

// Write keeps a part of what is said.
func (s *stopper) Write(part []byte) (int, error) {
	n, err := s.text.Write(part)
	if strings.Contains(s.String(), s.words) {
		s.stop()
	}
	return n, err
}

// queuePatience is how long a cluster on a busy machine may take to end what was cancelled.
const queuePatience = 4 * time.Minute

// noTasks fails where tasks are left in the queue. Those that were cancelled are in it until their
// node has ended them.
func noTasks(t *testing.T) {
	t.Helper()
	var left []byte
	for began := time.Now(); time.Since(began) < queuePatience; time.Sleep(200 * time.Millisecond) {
		var err error
		left, err = exec.Command("squeue", "--noheader", "--me", "--states=PENDING,RUNNING,SUSPENDED,COMPLETING").CombinedOutput()
		if err == nil && len(left) == 0 {
			return
		}
	}
	t.Errorf("left in the queue: %s", left)
}
