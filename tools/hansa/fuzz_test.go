//go:build linux

package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session"
)

// hostiles is how many damaged runs are tried. Each is made from its number alone.
var hostiles = flag.Int("hostile", 25, "how many damaged runs all commands are called on")

// Whatever was done to the folder of a run — bits that are others, files that are cut, swapped, of
// another run, links, pipes or folders, numbers and names that cannot be, with and without the
// right checksum — no command that reads it panics, waits for ever, or ends with an exit code that
// is not documented; none touches a file outside of the run; and a table says what is true, or says
// that something is damaged or missing.
func TestHostileRuns(t *testing.T) {
	top := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(top, "cache"))
	origin := filepath.Join(top, "origin")
	if err := os.MkdirAll(origin, 0o777); err != nil {
		t.Fatal(err)
	}
	truth := hostileOrigin(t, origin)
	for k := range *hostiles {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			h := &hostileRun{T: t, top: t.TempDir(), truth: truth, rng: rand.New(rand.NewPCG(17, uint64(k)))}
			h.begin(origin)
			for range 1 + h.rng.IntN(3) {
				h.damage()
			}
			before := h.outside()
			commands := h.commands()
			h.rng.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
			for _, args := range commands[:min(len(commands), 9)] {
				h.call(args)
				if after := h.outside(); !maps.Equal(before, after) {
					t.Fatalf("%v\nhansa %v changed what is not of the run:\n%v", h.done, args, changedFiles(before, after))
				}
			}
			if t.Failed() {
				t.Logf("what was done:\n%s", strings.Join(h.done, "\n"))
			}
		})
	}
}

// hostileOrigin makes two runs with all that a run can have, and returns the rows of their tables.
func hostileOrigin(t *testing.T, dir string) map[string][]string {
	t.Helper()
	t.Chdir(dir)
	file := strings.Replace(eight, `["loss"]`, `["loss", "seconds", "upload"]`, 1)
	file = strings.Replace(file, "[setting]", "[report]\nbaseline = \"FedAvg\"\nmetrics = [\"loss\", \"seconds\"]\n\n[setting]", 1)
	truth := map[string][]string{}
	for name, text := range map[string]string{"eight": file,
		"other": strings.NewReplacer("seeds = 4", "seeds = 2", "0.02", "0.03").Replace(file)} {
		if err := os.WriteFile(name+".toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		try(t, exitOK, "export-jobs", name+".toml", "--tasks", "2", "-o", filepath.Join(t.TempDir(), "jobs"))
		try(t, exitOK, "run", name+".toml", "--checkpoint", "1ns", "--keep")
		printed, _ := try(t, exitOK, "table", name, "--format", "csv")
		for key, row := range rowsOf(t, printed) {
			truth[key] = row
		}
	}
	for _, program := range glob(t, "runs/*/bin/*/hansa") { // which is large, and copied for each
		if err := os.Chmod(program, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	id := glob(t, "runs/eight/results/*/*.json")[0]
	saved := filepath.Join("runs/eight/checkpoints", filepath.Base(id)[:2], filepath.Base(id))
	for path, content := range map[string]string{strings.TrimSuffix(saved, ".json") + ".ckpt": "hansa/checkpoint/2\nx",
		"runs/eight/busy/elsewhere-7.json": "{\n  \"host\": \"elsewhere\",\n  \"process\": 7}",
		"runs/eight/quarantine/x.json":     "{"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return truth
}

// rowsOf returns the rows of a table in CSV by what they are of.
func rowsOf(t *testing.T, text string) map[string][]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("the table is no CSV: %v\n%s", err, text)
	}
	rows := map[string][]string{}
	for _, r := range records[min(1, len(records)):] {
		column := func(name string) string { return r[slices.Index(records[0], name)] }
		key := strings.Join([]string{column("title"), column("method"), column("metric")}, " · ")
		rows[key] = []string{column("state"), column("mean"), column("sd"), column("n"), column("planned")}
	}
	return rows
}

// A hostileRun is a copy of two runs, the first of which is damaged.
type hostileRun struct {
	*testing.T
	top   string
	truth map[string][]string
	rng   *rand.Rand
	done  []string // to the run, in words
	ran   bool     // cells may have been run again
	lies  bool     // some of it has a right checksum, so that nothing tells it from the truth
}

// begin copies the runs, and lays out what is not to be touched.
func (h *hostileRun) begin(origin string) {
	h.Helper()
	if err := os.CopyFS(filepath.Join(h.top, "work"), os.DirFS(origin)); err != nil {
		h.Fatal(err)
	}
	id := filepath.Base(glob(h.T, filepath.Join(origin, "runs/eight/results/*/*.json"))[0])
	for _, name := range []string{id, id[:2] + "/" + id, "hansa", "aaaa/hansa", "table.txt", ".x.json.h.1073741825.x"} {
		path := filepath.Join(h.top, "victim", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			h.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			h.Fatal(err)
		}
	}
	h.Chdir(filepath.Join(h.top, "work"))
}

// outside returns the contents of all files that no command may touch.
func (h *hostileRun) outside() map[string]string {
	all := map[string]string{}
	for _, dir := range []string{"victim", "work/runs/other"} {
		maps.Copy(all, contents(h.T, filepath.Join(h.top, dir)))
	}
	for _, name := range []string{"eight.toml", "other.toml"} {
		content, err := os.ReadFile(filepath.Join(h.top, "work", name))
		if err != nil {
			h.Fatal(err)
		}
		all[name] = string(content)
	}
	return all
}

func changedFiles(a, b map[string]string) (names []string) {
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// commands are the command lines that read a run.
func (h *hostileRun) commands() [][]string {
	out := filepath.Join(h.top, "out")
	tasks := glob(h.T, "runs/eight/submissions/*")
	submission := "none"
	if len(tasks) > 0 {
		submission = filepath.Base(tasks[0])
	}
	list := [][]string{{"table", "eight", "--format", "csv"}, {"table", "eight"}, {"compare", "eight", "other"},
		{"status", "eight", "--all"}, {"status", "eight", "--format", "json"}, {"collect", "eight"}, {"runs"},
		{"diff", "eight", "other"}, {"diff", "eight", "eight", "--format", "json"}, {"gc", "eight", "--force"},
		{"gc", "eight", "--force", "--orphans", "--quarantine"}, {"resume", "eight", "-j", "1"},
		{"audit", "eight"}, {"export", "eight", "-o", filepath.Join(out, "export")},
		{"export-jobs", "eight", "-o", filepath.Join(out, "jobs")},
		{"report", "eight", "-o", filepath.Join(out, "page.html")},
		{"task", "--run", "runs/eight", "--submission", submission, "--index", "0"},
		{"table", "eight", "--format", "latex"}, {"run", "eight.toml", "-j", "1", "--format", "csv"}}
	for _, kind := range []string{"curves", "bars", "forest", "weights", "participation", "partition", "ranks"} {
		list = append(list, []string{"plot", "eight", kind, "-o", filepath.Join(out, kind+".svg")})
	}
	return list
}

// mostTime is when a command is said to hang.
const mostTime = 2 * time.Minute

// call runs a command line and holds it to what must be, whatever the run is.
func (h *hostileRun) call(args []string) {
	h.Helper()
	if err := os.MkdirAll(filepath.Join(h.top, "out"), 0o777); err != nil {
		h.Fatal(err)
	}
	var out, said bytes.Buffer
	code, panicked := -1, any(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { panicked = recover() }()
		code = hansa(h.Context(), &out, &said, args)
	}()
	select {
	case <-ended:
	case <-time.After(mostTime):
		h.Fatalf("%v\nhansa %v does not end", h.done, args)
	}
	documented := []int{exitOK, exitFailed}
	if _, err := os.Lstat("runs/eight/plan.json"); err != nil || h.lies || args[0] == "plot" {
		documented = append(documented, exitUsage)
	}
	if strings.Contains(said.String(), "eight holds the run of other.toml, not of eight.toml") {
		documented = append(documented, exitUsage) // a plan that is whole, of another run
	}
	if args[0] == "task" {
		documented = append(documented, launch.ExitPlan, launch.ExitStorage, launch.ExitResume)
	}
	if panicked != nil || !slices.Contains(documented, code) {
		h.Fatalf("%v\nhansa %v: exit code %d, panic %v\n%s", h.done, args, code, panicked, &said)
	}
	inStates := strings.Contains(out.String(), session.StateCorrupt) || strings.Contains(out.String(), session.StateUnreadable)
	if code != exitOK && said.Len() == 0 && !inStates {
		h.Errorf("hansa %v: exit code %d, and nothing is said", args, code)
	}
	h.ran = h.ran || slices.Contains([]string{"run", "resume", "task"}, args[0])
	if csv := slices.Contains(args, "csv"); csv && out.Len() > 0 && !h.lies {
		h.judge(args, out.String(), said.String())
	}
}

// judge wants the rows of a table to be true, as far as they say that they are complete.
func (h *hostileRun) judge(args []string, printed, said string) {
	h.Helper()
	for key, row := range rowsOf(h.T, printed) {
		want, known := h.truth[key]
		if !known {
			h.Errorf("hansa %v prints a row %q that there is not\n%s%s", args, key, printed, said)
			continue
		}
		timed := strings.HasSuffix(key, " · seconds") && h.ran // which takes another time
		if row[3] == row[4] && !slices.Equal(row, want) && !timed {
			h.Errorf("hansa %v prints %v of %q, not %v\n%s%s", args, row, key, want, printed, said)
		}
	}
}
