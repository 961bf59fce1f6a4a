//go:build linux

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/session"
)

// strategic changes the source of a strategy while its tasks wait, and removes it before the rest is
// submitted: tasks run the code that the run keeps.
func (g *field) strategic() {
	begun(g.T, "aggregator", "mine", "mine")
	file := filepath.Join("mine", "mine.toml")
	few := []string{"run", file, "--seeds", "2", "--set", "rounds=2"}
	g.hansa(append(few, "--dir", "mine here")...)
	want := contents(g.T, "mine here/results")
	g.partition("DOWN")
	g.hansa(append(few, "--dir", "mine there", "--on", "slurm", "--only", "seed=0")...)
	source := filepath.Join("mine", "mine.go")
	if err := os.WriteFile(source, []byte("this is no Go"), 0o666); err != nil {
		g.Fatal(err)
	}
	g.partition("UP")
	g.idle("mine there")
	if n := g.status("mine there"); n[session.StateDone] != len(want)/2 {
		g.Errorf("the source changed while tasks waited: %v\n%s", n, g.log("mine there", 0))
	}
	if err := os.RemoveAll("mine"); err != nil {
		g.Fatal(err)
	}
	g.hansa("resume", "mine there")
	g.idle("mine there")
	if got := contents(g.T, "mine there/results"); !maps.Equal(got, want) {
		g.Errorf("the source is gone: %d results, which are not the %d of a run here\n%s", len(got),
			len(want), g.log("mine there", 0))
	}
	if table := g.hansa("table", "mine there"); table != g.hansa("table", "mine here") {
		g.Errorf("the table is\n%s", table)
	}
}

// partition sets the state of the partition that tasks go to. While it is down they wait.
func (g *field) partition(state string) {
	g.Helper()
	cmd := exec.Command("scontrol", "update", "partitionname=main", "state="+state)
	if out, err := cmd.CombinedOutput(); err != nil {
		g.Fatalf("%v\n%s", err, out)
	}
}
