package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// What is not needed is listed, and then removed, but not while a process is at work. The table
// stays as it is.
func TestGC(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "run", "eight.toml")
	want, _ := try(t, exitOK, "run", "eight.toml", "--seeds", "2")
	kept := contents(t, "runs/eight/results")
	if printed, said := try(t, exitOK, "gc", "eight"); said != "" ||
		printed != "there is nothing to remove in runs/eight\n" {
		t.Errorf("of nothing:\n%s%s", printed, said)
	}
	litter(t, "runs/eight/quarantine/x.json")
	litter(t, "runs/eight/checkpoints/zz/zz.ckpt")

	printed, _ := try(t, exitOK, "gc", "eight", "--dry-run", "--orphans", "--quarantine")
	for _, line := range []string{
		"checkpoints of training runs that are not in the plan: 1 (4 B)\n  runs/eight/checkpoints/zz/zz.ckpt (4 B)\n",
		"files in quarantine: 1 (4 B)\n", "results of training runs that are not in the plan: 4 (",
		"attempts of training runs that are not in the plan: 4 (", "\nwould remove "} {
		if !strings.Contains(printed, line) {
			t.Errorf("it does not say %q:\n%s", line, printed)
		}
	}
	note := fmt.Sprintf("{\n  \"host\": "+`"node7", "process": 5, "since": %q}`, "2026-01-02T03:04:05Z")
	if err := os.MkdirAll("runs/eight/busy", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("runs/eight/busy/node7-5.json", []byte(note), 0o666); err != nil {
		t.Fatal(err)
	}
	printed, said := try(t, exitFailed, "gc", "eight", "--orphans")
	if printed != "" || !strings.HasPrefix(said, "hansa: process 5 of node7, since 2026-01-02 ") ||
		!strings.HasSuffix(said, " is at work on runs/eight, and nothing was removed; wait, or use --force\n") {
		t.Errorf("at work:\n%s%s", printed, said)
	}
	if !maps.Equal(contents(t, "runs/eight/results"), kept) {
		t.Error("it removed results while a process was at work")
	}
	printed, _ = try(t, exitOK, "gc", "eight", "--orphans", "--quarantine", "--force")
	if !strings.Contains(printed, "\nremoved ") || strings.Contains(printed, "zz.ckpt") {
		t.Errorf("removing:\n%s", printed)
	}
	for pattern, n := range map[string]int{"results/*/*": 4, "attempts/*/*": 4, "busy/*": 0,
		"checkpoints/*/*": 0, "quarantine/*": 0} {
		if found := glob(t, filepath.Join("runs/eight", pattern)); len(found) != n {
			t.Errorf("of %s there are %v", pattern, found)
		}
	}
	if printed, _ := try(t, exitOK, "table", "eight"); printed != want {
		t.Errorf("the table is now\n%s\nand was\n%s", printed, want)
	}
	if at := (store.Run{Dir: "runs/eight"}).AtWork(); len(at) > 0 {
		t.Errorf("at work: %v", at)
	}
}

// litter writes a file of four bytes.
func litter(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("abcd"), 0o666); err != nil {
		t.Fatal(err)
	}
}
