package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/plugins/compile"
)

// What is not part of a result is kept beside it, and nothing of the environment that was not
// asked for.
func TestAttempts(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SLURM_ARRAY_TASK_ID", "7")
	t.Setenv("SLURM_JWT", "secret")
	t.Setenv("GODEBUG", "panicnil=0")
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	digest, _ := host.Digest()
	tree, err := compile.Carried()
	if err != nil {
		t.Fatal(err)
	}
	numbers := fmt.Sprintf("source %s %s %s/%s %s kernels %s functions %s", tree.Digest,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, compile.Architecture(), kernel.ISA(), host.Functions())
	for _, where := range []string{"none", "process"} {
		before := time.Now().Add(-time.Second)
		try(t, exitOK, "run", "eight.toml", "--isolation", where, "--dir", where, "--seeds", "1",
			"--checkpoint", "1ns")
		run := store.Run{Dir: where}
		plan, err := run.LoadPlan()
		if err != nil {
			t.Fatal(err)
		}
		a, err := run.LoadAttempt(plan.IDs[0])
		if err != nil || a == nil || a.Environment == nil {
			t.Fatalf("%s: %+v, %v", where, a, err)
		}
		for _, at := range []string{a.Started, a.Ended} {
			when, err := time.Parse(time.RFC3339, at)
			if err != nil || when.Before(before) || when.After(time.Now()) {
				t.Errorf("%s: at %s, %v", where, at, err)
			}
		}
		text, err := json.Marshal(a)
		if err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s: it says\n%s\n%v", where, text, err)
		}
		e := a.Environment
		if e.Processors != runtime.GOMAXPROCS(0) || e.Program != digest || e.Source != tree.Digest ||
			e.Numerics != numbers || e.Host == "" ||
			e.Variables["SLURM_ARRAY_TASK_ID"] != "7" || e.Variables["GODEBUG"] != "panicnil=0" {
			t.Errorf("%s: it was in %+v", where, e)
		}
		if runtime.GOOS != "linux" {
			continue
		}
		if e.Kernel == "" || e.CPU == "" || e.Flags == "" {
			t.Errorf("%s: it was in %+v", where, e)
		}
		if u := a.Usage; u == nil || u.Memory < 1<<20 || u.User < 0 || u.System < 0 || u.Checkpoints < 1 {
			t.Errorf("%s: it took %+v", where, u)
		}
	}
}

// A table of cells that came from different processors says so, once and beside it.
func TestTablesOfMixtures(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	want, _ := try(t, exitOK, "run", "eight.toml", "--dir", "mixed")
	run := store.Run{Dir: "mixed"}
	plan, err := run.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range plan.IDs[:3] {
		a, err := run.LoadAttempt(id)
		if err != nil {
			t.Fatal(err)
		}
		a.Environment.Numerics += " of old"
		if err := run.SaveAttempt(id, a); err != nil {
			t.Fatal(err)
		}
	}
	printed, said := try(t, exitOK, "table", "mixed")
	if printed != want {
		t.Errorf("the table is another one:\n%s\nwant\n%s", printed, want)
	}
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "hansa: mixed: training runs come "+
		"from 2 kinds of arithmetic (5 runs: ") || !strings.Contains(said, "; 3 runs: ") {
		t.Errorf("it says\n%s", said)
	}
}
