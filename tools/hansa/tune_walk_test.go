//go:build unix

package main

import (
	"maps"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Every command that goes through the folder of a run knows of its trials: of a run that was
// stopped among them, and of one whose parameters are chosen. None loses a result.
func TestCommandsKnowTrials(t *testing.T) {
	onPath(t)
	file := tunedFile(t)
	t.Chdir(t.TempDir())
	prints(t, "run", file, "--dir", "runs/whole")
	want := contents(t, "runs/whole/tune/results")
	stopped(t, []string{"run", file, "--dir", "runs/part", "--jobs", "1"}, "runs/part/tune", 30, syscall.SIGINT)
	done := len(contents(t, "runs/part/tune/results"))
	left := strconv.Itoa(done) + " of " + strconv.Itoa(len(want))
	const first = "the trials of [tune] come first: "
	for _, c := range []struct {
		line   string
		prints []string // of output and messages; "!" before what is not printed
	}{
		{"runs runs", []string{"trials ", left, "Chosen parameters", "!tune "}},
		{"status part", []string{"6   missing", "trials of [tune]", strconv.Itoa(done) + "    done", first + left, "`hansa resume part` goes on"}},
		{"status whole", []string{"6   done", "!trials of [tune]"}},
		{"tune part", []string{"not run yet", first + left}},
		{"table part", []string{"the trials of [tune] have not ended"}},
		{"collect part", []string{"0 training runs are done, 6 missing", first + left, "`hansa resume runs/part` goes on"}},
		{"cancel part", []string{"no process is at work on runs/part/tune", "no process is at work on runs/part"}},
		{"gc part --orphans --dry-run", []string{"--orphans: which training runs are in the plan follows from the trials"}},
		{"export-jobs part --tasks 3", []string{"these are trials of [tune]", "runs/part/tune", "`hansa export-jobs part` exports what follows"}},
		{"diff whole part", []string{"momentum", "tune.budget", "!panic"}},
		{"gc whole --orphans --quarantine", []string{"there is nothing to remove in runs/whole\n", "there is nothing to remove in runs/whole/tune\n"}},
	} {
		if strings.HasPrefix(c.line, "diff") {
			prints(t, "run", file, "--dir", "runs/part", "--set", "tune.budget=4")
		}
		var out, said strings.Builder
		if code := hansa(t.Context(), &out, &said, strings.Fields(c.line)); code != exitOK {
			t.Errorf("hansa %s: exit code %d\n%s", c.line, code, &said)
		}
		for _, text := range c.prints {
			what, not := strings.CutPrefix(text, "!")
			if strings.Contains(out.String()+said.String(), what) == not {
				t.Errorf("hansa %s: %q\n%s%s", c.line, text, &out, &said)
			}
		}
	}
	if got := contents(t, "runs/whole/tune/results"); !maps.Equal(got, want) {
		t.Errorf("%d trials of %d are left", len(got), len(want))
	}
}
