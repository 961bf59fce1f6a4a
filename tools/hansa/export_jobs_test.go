package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/store"
)

// An exportation is an experiment whose tasks another engine starts, in a folder that needs quotes.
type exportation struct {
	*testing.T
	want map[string]string // the results of a run here
	file string
}

// newExportation begins one: with the results of a run that needed no tasks.
func newExportation(t *testing.T) *exportation {
	file, err := filepath.Abs(filepath.Join("testdata", "cases", "run", "first.toml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's a $HOME of 連邦")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	e := &exportation{T: t, file: file}
	e.call("run", file, "--dir", "whole")
	e.want = contents(t, "whole/results")
	return e
}

// call runs a command line that must succeed, and returns what it prints.
func (e *exportation) call(args ...string) string {
	e.Helper()
	var out, said strings.Builder
	if code := hansa(e.Context(), &out, &said, args); code != exitOK {
		e.Fatalf("hansa %q: exit code %d\n%s", args, code, &said)
	}
	return out.String()
}

// sh runs a script of the shell that must succeed.
func (e *exportation) sh(script string) {
	e.Helper()
	if said, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		e.Fatalf("%s: %v\n%s", script, err, said)
	}
}

// same compares the results of a run with those that needed no tasks.
func (e *exportation) same(dir string) {
	e.Helper()
	if got := contents(e.T, filepath.Join(dir, "results")); !maps.Equal(got, e.want) {
		e.Errorf("%s: %d results, which are not the %d of a run here", dir, len(got), len(e.want))
	}
}

// The command lines of tasks, run in any way, compute the results of a run here.
func TestExportedCommands(t *testing.T) {
	e := newExportation(t)
	for name, run := range map[string]string{
		"sh": "sh sh.txt", "xargs": "xargs -P 2 -L 1 env < xargs.txt",
		"a loop": `while read -r line; do sh -c "$line" || exit; done < 'a loop.txt'`,
	} {
		e.call("export-jobs", e.file, "--dir", name, "--tasks", "4", "-o", name+".txt")
		text, err := os.ReadFile(name + ".txt")
		if err != nil || strings.Count(string(text), "\n") != 4 {
			t.Fatalf("%s, %v: want 4 lines", text, err)
		}
		e.sh(run)
		e.same(name)
		if left := e.call("export-jobs", e.file, "--dir", name); left != "" {
			t.Errorf("%s: all is done, and yet it exports\n%s", name, left)
		}
	}
}

// A script that every task of an array starts is the task that its variable says, from wherever
// the engine counts.
func TestExportedScript(t *testing.T) {
	e := newExportation(t)
	for _, c := range []struct {
		name, variable string
		flags          []string
		first          int
	}{
		{"pbs", "PBS_ARRAY_INDEX", nil, 0},
		{"sge", "SGE_TASK_ID", nil, 1},
		{"other", "MY_TASK", []string{"--first", "7", "--cpus", "2"}, 7},
	} {
		e.call(append([]string{"export-jobs", e.file, "--dir", c.name, "-o", c.name + ".sh",
			"--index-env", c.variable}, c.flags...)...)
		n := len(submitted(t, c.name)[0].Tasks)
		if n < 3 {
			t.Fatalf("%s: %d tasks", c.name, n)
		}
		for k := range n {
			e.sh(fmt.Sprintf("%s=%d ./%s.sh", c.variable, c.first+k, c.name))
		}
		e.same(c.name)
		if code := exitOf(t, fmt.Sprintf("%s=%d ./%s.sh", c.variable, c.first+n, c.name)); code != launch.ExitPlan {
			t.Errorf("%s: a task too many: exit code %d, want %d", c.name, code, launch.ExitPlan)
		}
		clean(t, c.name+".sh")
	}
}

// submitted returns the submissions of a run.
func submitted(t *testing.T, dir string) []*store.Submission {
	t.Helper()
	list, err := store.Run{Dir: dir}.Submissions()
	if err != nil || len(list) == 0 {
		t.Fatalf("%d submissions, %v", len(list), err)
	}
	return list
}

// exitOf returns the exit code of a script of the shell.
func exitOf(t *testing.T, script string) int {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	if err := cmd.Run(); err == nil {
		return 0
	}
	return cmd.ProcessState.ExitCode()
}

// clean holds a script to what shellcheck knows, where there is one.
func clean(t *testing.T, script string) {
	t.Helper()
	if _, err := exec.LookPath("shellcheck"); err != nil {
		return
	}
	if said, err := exec.Command("shellcheck", "-S", "warning", script).CombinedOutput(); err != nil {
		t.Errorf("shellcheck %s: %v\n%s", script, err, said)
	}
}

// What was exported and never run can be exported again and resumed, as often as one likes.
func TestExportedCellsAreResumed(t *testing.T) {
	e := newExportation(t)
	const some = "some"
	for range 4 {
		e.call("export-jobs", e.file, "--dir", some, "-o", "tasks.txt")
	}
	e.sh("head -n 2 tasks.txt | sh")
	if n := len(contents(t, some+"/results")); n != 2 {
		t.Fatalf("%d results of 2 tasks", n)
	}
	e.call("export-jobs", e.file, "--dir", some, "-o", "rest.sh", "--index-env", "I")
	list := submitted(t, some)
	if n := len(list[len(list)-1].Tasks); n != len(e.want)-2 {
		t.Errorf("%d tasks, want one for each of the %d cells that are missing", n, len(e.want)-2)
	}
	e.call("resume", some)
	e.same(some)
	e.sh("sh tasks.txt") // a task that comes late does no harm
	e.same(some)
}

// An only task is no array: several engines have none of one.
func TestExportedScriptOfOneTask(t *testing.T) {
	e := newExportation(t)
	e.call("export-jobs", e.file, "--dir", "one", "-o", "one.sh", "--index-env", "PBS_ARRAY_INDEX",
		"--tasks", "1")
	e.sh("./one.sh")
	e.same("one")
	clean(t, "one.sh")
}
