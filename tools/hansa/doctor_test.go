package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
	"github.com/hansa-fl/hansa/framework/session"
)

// A visit is what the doctor said of everything.
type visit struct {
	*testing.T
	symptoms []symptom
	said     string
}

// see has the doctor look at everything, who ends with an exit code.
func see(t *testing.T, code int, args ...string) *visit {
	t.Helper()
	var out, said strings.Builder
	got := hansa(t.Context(), &out, &said, append([]string{"doctor", "--format", "json"}, args...))
	var found struct {
		OK     bool
		Checks []symptom
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
	for _, s := range v.symptoms {
		fmt.Fprintf(&b, "%s %s: %s → %s\n", s.Level, s.What, s.Found, s.Do)
	}
	return b.String() + v.said
}

// is holds something to how it should be, and to what of it should be said.
func (v *visit) is(level, what, found string) {
	v.Helper()
	for _, s := range v.symptoms {
		if s.Level == level && s.What == what && strings.Contains(s.Found, found) {
			if (s.Do != "") != (level != isOK) {
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
	for _, s := range v.symptoms {
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
	v.is(isOK, "program", "SHA-256")
	v.is(isOK, "runs", "written, replaced and read in "+session.Real("."))
	v.is(isOK, "strategies", "keeps its promises")
	v.is(isOK, "data", "none; ")
	if left, err := filepath.Glob("*"); err != nil || left != nil {
		t.Errorf("it left %v, %v", left, err)
	}
	t.Setenv("HANSA_DATA", "here")
	see(t, exitOK).is(isWarn, "data", "here is no folder")
	if err := os.Mkdir("here", 0o777); err != nil {
		t.Fatal(err)
	}
	see(t, exitOK).is(isOK, "data", "in here: no data set that hansa knows")
	if err := os.WriteFile("runs", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	see(t, exitFailed).is(isWrong, "runs", "not a directory")
}

func TestDoctorWithoutSlurm(t *testing.T) {
	elsewhere(t)
	t.Setenv("PATH", "")
	see(t, exitFailed, "--on", "slurm").is(isWrong, "slurm", "there is no scontrol here")
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
	slurmtest.Start(t, "LOCAL_SLURM_KILL_WAIT=5").Use(t)
	elsewhere(t)
	profile := func(text string) string {
		if err := os.WriteFile("site.toml", []byte("[slurm]\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		return "site.toml"
	}
	v := see(t, exitOK, "--on", "slurm")
	v.is(isOK, "slurm", "1001 tasks in an array")
	v.is(isOK, "requeue", "")
	v.is(isOK, "accounting", "none; ")
	v.says("files", "is seen by the other after ") // how soon depends on the machine
	v.is(isOK, "numbers", "as here")
	v.is(isOK, "processors", "asked for 1, uses 1")
	v.is(isOK, "signal", "USR1 arrives")
	v.is(isWarn, "memory", "does not say")
	if !strings.Contains(v.said, "submitted 2 tasks as job") || !strings.Contains(v.said, "task 1") {
		t.Errorf("it does not say how far it is:\n%s", v.said)
	}

	v = see(t, exitOK, "--on", "slurm", "--site", profile("cpus_per_task = 2\nmem = \"500M\"\n"))
	v.is(isOK, "tasks", "they ran on node")
	v.is(isOK, "processors", "asked for 2, uses 2")
	v.is(isOK, "memory", "524.3 MB for a task")

	see(t, exitFailed, "--on", "slurm", "--site", profile("partition = \"nope\"\n")).
		is(isWrong, "site", "nope; ")
	see(t, exitFailed, "--on", "slurm", "--site", profile("setup = [\"exit 127\"]\n")).
		is(isWrong, "tasks", "task 1 failed: its program is not there")
	v = see(t, exitOK, "--on", "slurm", "--site",
		profile("setup = [\"trap '' USR1\", \"export GOMAXPROCS=3\"]\n"))
	v.is(isOK, "signal", "USR1 arrives") // Go hears what the shell ignores
	v = see(t, exitFailed, "--on", "slurm", "--site", profile("extra = [\"--hold\"]\n"))
	v.is(isWrong, "tasks", "task 0 waits: it is held")
	nobody(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	profile("extra = [\"--begin=now+1hour\"]\n") // they wait until they are cancelled
	var out strings.Builder
	said := stopper{words: "submitted 2 tasks", stop: stop}
	if code := hansa(ctx, &out, &said, []string{"doctor", "--on", "slurm", "--site", "site.toml"}); code != exitInterrupted ||
		!strings.HasSuffix(said.String(), "interrupted: the tasks are cancelled\n") || strings.Contains(out.String(), isWrong) {
		t.Errorf("interrupted: exit code %d\n%s%s", code, &out, &said)
	}
	nobody(t)
}

// A stopper keeps what is said, and stops who says certain words.
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

// nobody fails where tasks are left in the queue. Those that were cancelled are in it until their
// node has ended them.
func nobody(t *testing.T) {
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

// Whatever canaries sing, the doctor knows what it means.
func TestCanariesAreUnderstood(t *testing.T) {
	ours := (&canary{}).look()
	with := func(change func(s *song)) *song {
		s := *ours
		s.Node, s.Asked, s.Used, s.Cores, s.Memory = "n1", 2, 2, 4, 1<<30
		s.Met, s.Answered, s.Told, s.Seen = true, true, true, 3*time.Millisecond
		change(&s)
		return &s
	}
	plain := with(func(*song) {})
	for _, c := range []struct {
		change             func(s *song) // of the second
		level, what, found string
	}{
		{func(s *song) { s.Node = "n2" }, isOK, "tasks", "n1 and n2"},
		{func(s *song) {}, isOK, "tasks", "both ran on n1"},
		{func(s *song) { s.Functions = "other" }, isWrong, "numbers", "would depend on the node"},
		{func(s *song) { s.Kernels = "other" }, isWarn, "numbers", "begins anew"},
		{func(s *song) { s.Used = 1 }, isWarn, "processors", "asked for 2, uses 1, sees 4"},
		{func(s *song) { s.Cores = 1 }, isWarn, "processors", "sees 1"},
		{func(s *song) { s.Asked = 0 }, isWarn, "processors", "does not say"},
		{func(s *song) { s.Told = false }, isWarn, "signal", "did not arrive"},
	} {
		v := judged(t, &aviary{songs: [canaries]*song{plain, with(c.change)}})
		v.is(c.level, c.what, c.found)
	}
	for _, c := range []struct {
		change             func(s *song) // of both
		level, what, found string
	}{
		{func(s *song) { s.Met = false }, isWarn, "files", "at the same time"},
		{func(s *song) { s.Answered = false }, isWrong, "files", "did not see within 1m0s"},
		{func(s *song) { s.Seen = 8 * time.Second }, isWarn, "files", "after 8s"},
		{func(s *song) { s.Memory = 0 }, isWarn, "memory", "does not say"},
		{func(s *song) { s.Functions = "other" }, isWarn, "numbers", "here functions are"},
		{func(s *song) { s.Kernels = "other" }, isWarn, "numbers", "here kernels are"},
	} {
		v := judged(t, &aviary{songs: [canaries]*song{with(c.change), with(c.change)}})
		v.is(c.level, c.what, c.found)
	}
	for _, c := range []struct {
		last  launch.TaskState
		found string
	}{
		{launch.TaskState{}, "was not seen in the queue"},
		{launch.TaskState{Phase: launch.Waiting, State: "PENDING", Reason: "Resources"}, "still waits after 0s: Resources"},
		{launch.TaskState{Phase: launch.Running, State: "RUNNING", Node: "n7"}, "runs on n7, but what it writes is not seen"},
		{launch.TaskState{Phase: launch.Completed, State: "COMPLETED", Node: "n7"}, "ended well on n7, but"},
		{launch.TaskState{Phase: launch.Ended, State: "FAILED", Exit: "0:53", Node: "n7"}, "failed: it never began"},
	} {
		a := &aviary{songs: [canaries]*song{nil, plain}}
		a.last[0] = c.last
		judged(t, a).is(isWrong, "tasks", c.found)
	}
}

// judged returns what the doctor says of canaries that were told of their end.
func judged(t *testing.T, a *aviary) *visit {
	a.cluster = new(slurm.Cluster)
	a.doctor = &doctor{command: &command{out: new(strings.Builder)}}
	a.told = [canaries]bool{true, true}
	a.judge()
	return &visit{t, a.symptoms, ""}
}
