package slurmtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInstalledIsWhatTheScriptNeeds: a machine that has a part of Slurm, or its daemons and not its
// commands, has none for the tests, which are left out instead of failing in the script.
func TestInstalledIsWhatTheScriptNeeds(t *testing.T) {
	script, err := scripts.ReadFile("testdata/start-local-slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"for c in " + strings.Join(needed, " ") + "; do",
		"PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin",
	} {
		if !strings.Contains(string(script), "\n"+line+"\n") {
			t.Errorf("the script has no line %q", line)
		}
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range needed {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := installed(); err != nil {
		t.Errorf("all is there, but %v", err)
	}
	whole := needed
	t.Cleanup(func() { needed = whole })
	needed = append(slices.Clip(needed), "a-command-of-slurm-that-is-nowhere")
	if err := installed(); err == nil {
		t.Error("a command is missing, and Slurm is said to be installed")
	}
}
