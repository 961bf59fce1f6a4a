package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// What is too large for any machine is refused before anything runs, with the number that asks for
// it and how much memory that takes, or with the range of the parameter; a million clients are not.
func TestLargeCellsAreRefused(t *testing.T) {
	const quick = "../../experiments/quickstart.toml"
	for set, want := range map[string]string{
		"clients=1000000000":                   "clients: 1000000000 is outside [1, 100000000]",
		"rounds=9000000000000000000":           "rounds: 9000000000000000000 is outside",
		"local.steps=9000000000000000000":      "steps: 9000000000000000000 is outside [0, 1e+09]",
		"dataset.samples_per_client=999999999": "dataset.samples_per_client: 999999999 needs about ",
		"dataset.features=999999999":           "dataset.features: 999999999 needs about ",
		"clients=99999999":                     "clients: 99999999 needs about ",
	} {
		for _, command := range []string{"check", "run"} {
			args := []string{command, quick, "--set", set}
			if command == "run" {
				args = append(args, "--dir", t.TempDir())
			}
			var out, errOut bytes.Buffer
			code := hansa(context.Background(), &out, &errOut, args)
			if said := errOut.String(); code != 2 || !strings.Contains(said, want) ||
				!strings.Contains(said, "nothing was run") {
				t.Errorf("%v: exit %d, %s", args, code, said)
			}
		}
	}
	var out, errOut bytes.Buffer
	args := []string{"check", "--quiet", "../../experiments/fedavot/million.toml"}
	if code := hansa(context.Background(), &out, &errOut, args); code != 0 {
		t.Errorf("a million clients: exit %d, %s", code, errOut.String())
	}
}

// Every command that runs cells refuses those that need more memory than there is: a run that was
// planned for other machines is not resumed here, and of a task such cells fail. Nothing is
// exported that needs more than the memory that is given.
func TestEveryCommandRefusesLargeCells(t *testing.T) {
	const needs = "dataset.samples_per_client: 999999999 needs about "
	large := []string{"../../experiments/quickstart.toml", "--set",
		"dataset.samples_per_client=999999999", "--seeds", "1", "--only", "method=FedAVOT"}
	dir := filepath.Join(t.TempDir(), "planned")
	call := func(args ...string) (code int, said string) {
		var out, errOut bytes.Buffer
		code = hansa(context.Background(), &out, &errOut, args)
		return code, errOut.String()
	}
	export := append([]string{"export-jobs"}, large...)
	if code, said := call(append(export, "--dir", dir, "--tasks", "1")...); code != exitOK {
		t.Fatalf("planned for other machines: exit %d, %s", code, said)
	}
	submission := submitted(t, dir)[0].Name
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"run", append([]string{"run", "--dir", t.TempDir()}, large...), exitUsage},
		{"run of a plan", append([]string{"run", "--dir", dir}, large...), exitUsage},
		{"resume", []string{"resume", dir}, exitUsage},
		{"resume with a limit", []string{"resume", dir, "--memory", "1GiB"}, exitUsage},
		{"export-jobs with a limit", append(export, "--dir", t.TempDir(), "--memory", "1GiB"),
			exitUsage},
		{"export-jobs of a run", []string{"export-jobs", dir, "--memory", "1GiB"},
			exitUsage},
		{"task", []string{"task", "--run", dir, "--submission", submission, "--index", "0"},
			exitFailed},
	} {
		code, said := call(c.args...)
		if code != c.code || !strings.Contains(said, needs) {
			t.Errorf("%s: exit %d, want %d: %s", c.name, code, c.code, said)
		}
	}
}
