//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A cell that takes too long fails, here and in a worker process, costs no other cell anything,
// and goes on from where it was once it may take longer.
func TestCellTimeout(t *testing.T) {
	onPath(t)
	file, err := filepath.Abs(filepath.Join("testdata", "cluster", "grid.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	shell(t, "hansa run --dir whole "+file+" --seeds 1 --only method=SCAFFOLD")
	for _, where := range []string{"none", "process"} {
		line := "hansa run --dir " + where + " --isolation " + where + " " + file +
			" --seeds 1 --only method=SCAFFOLD"
		shell(t, "! "+line+" --cell-timeout 150ms 2> said")
		said := contents(t, ".")["said"]
		if !strings.Contains(said, "it took longer than its 150ms") {
			t.Errorf("%s: %s", where, said)
		}
		shell(t, line+" 2> said")
		if said := contents(t, ".")["said"]; !strings.Contains(said, " goes on from round ") {
			t.Errorf("%s: it began anew: %s", where, said)
		}
		whole, got := contents(t, "whole/results"), contents(t, where+"/results")
		for path, content := range whole {
			if got[path] != content {
				t.Errorf("%s: %s is another one", where, path)
			}
		}
	}
}
