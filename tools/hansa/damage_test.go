package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/study"
)

// readers are command lines that read a run called eight, and print or write something of it.
func readers(t *testing.T) [][]string {
	t.Helper()
	out := t.TempDir()
	return [][]string{{"table", "eight"}, {"compare", "eight"}, {"diff", "eight", "eight"},
		{"report", "eight", "-o", filepath.Join(out, "page.html")},
		{"plot", "eight", "curves", "-o", filepath.Join(out, "plot.svg")},
		{"export", "eight", "-o", filepath.Join(out, "export")}, {"collect", "eight"},
		{"audit", "eight.toml"}}
}

// A bit of the plan that is another one is seen by every command that reads it, which says what
// heals it; running the experiment again does, and keeps all results.
func TestDamagedPlansAreRefusedAndHealed(t *testing.T) {
	want, table := eightWhole(t)
	const plan = "runs/eight/plan.json"
	whole, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"another seed":  strings.Replace(string(whole), `"Seed": 0`, `"Seed": 4`, 1),
		"another label": strings.Replace(string(whole), `"Method": "FedAvg"`, `"Method": "FedAvh"`, 1),
		"half":          string(whole[:len(whole)/2]), "empty": "", "zeros": strings.Repeat("\x00", 99),
	} {
		if err := os.WriteFile(plan, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range append(readers(t)[:7], []string{"status", "eight"}, []string{"resume", "eight"},
			[]string{"gc", "eight"}, []string{"cancel", "eight"}, []string{"runs"}) {
			printed, said := try(t, exitFailed, args...)
			if !strings.Contains(said, plan+" is damaged: ") || !strings.Contains(said, "heals it") ||
				strings.Contains(printed, "FedAv") {
				t.Errorf("%s: %s says\n%s%s", name, args[0], printed, said)
			}
		}
		printed, said := try(t, exitOK, "run", "eight.toml")
		if printed != table || !strings.Contains(said, "it is written again from eight.toml") ||
			!strings.Contains(said, "nothing to run") || !maps.Equal(contents(t, "runs/eight/results"), want) {
			t.Errorf("%s: run says\n%s%s", name, printed, said)
		}
		if kept := contents(t, "runs/eight/quarantine"); !slices.Contains(slices.Collect(maps.Values(kept)), content) {
			t.Errorf("%s: the damaged plan is not kept: %v", name, slices.Collect(maps.Keys(kept)))
		}
		if is, err := os.ReadFile(plan); err != nil || string(is) != string(whole) {
			t.Errorf("%s: the plan is not what it was: %v", name, err)
		}
	}
}

// ids is where a plan lists its ids.
var ids = regexp.MustCompile(`(?s)"ids": \[.*?\]`)

// Ids that are not those of the cells are seen in plans that have no checksum, too, and the cell is
// named.
func TestIdsOfPlansAreThoseOfTheirCells(t *testing.T) {
	eightWhole(t)
	const plan = "runs/eight/plan.json"
	whole, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`"hansa/plan/2",\n  "sha256": "\w+"`).ReplaceAllString(string(whole), `"hansa/plan/1"`)
	swapped := strings.Replace(old, `"Seed": 1`, `"Seed": 2`, 1)
	outside := ids.ReplaceAllString(old, `"ids": [`+strings.Repeat(`"../../../../victim",`, 7)+`"../../x"]`)
	for content, named := range map[string]string{swapped: "FedAvg, seed 2", outside: "FedAvg, seed 0"} {
		if err := os.WriteFile(plan, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, said := try(t, exitFailed, "table", "eight"); !strings.Contains(said, "is damaged: "+named+": its id is not") {
			t.Errorf("it says\n%s", said)
		}
	}
	if err := os.WriteFile(plan, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, exitOK, "table", "eight")
}

// resealed returns a result file with another content and the right checksum.
func resealed(file string, old, new string) string {
	const neck, tail = `","result":`, "}\n"
	_, rest, _ := strings.Cut(file, neck)
	payload := strings.Replace(strings.TrimSuffix(rest, tail), old, new, 1)
	return fmt.Sprintf(`{"sha256":"%x%s%s%s`, sha256.Sum256([]byte(payload)), neck, payload, tail)
}

// A result that no cell can have is refused as damaged though its checksum is right: nothing that
// is made of results relies on what is not there, and no command panics.
func TestResultsThatCannotBe(t *testing.T) {
	want, table := eightWhole(t)
	path := slices.Sorted(maps.Keys(want))[0]
	file, whole := filepath.Join("runs/eight/results", path), want[path]
	values := regexp.MustCompile(`"values":\[[^\]]*\]`).FindString(whole)
	seed := regexp.MustCompile(`"seed":\d+`).FindString(whole)
	for _, lie := range [][2]string{
		{"[0,1,2,3,4,5]", "[0,1,2,3,4,null]"}, {"[0,1,2,3,4,5]", "[0,1,2,34,5]"},
		{"[0,1,2,3,4,5]", "[0,3,2,3,4,5]"}, {"[0,1,2,3,4,5]", "[0,1,2,3,99999999999999,5]"},
		{"[0,1,2,3,4,5]", "[]"}, {"[0,1,2,3,4,5]", "null"}, {"[0,1,2,3,4,5]", "[0,2,5]"},
		{"[0,1,2,3,4,5]", "[-1,1,2,3,4,5]"}, {"[0,1,2,3,4,5]", "[0,1,2,3,4,6]"},
		{values, `"values":[]`}, {values, `"values":null`}, {values, `"values":[1,2,3]`},
		{values, `"values":[1,2,3,4,5,6,7]`}, {`"key":"loss"`, `"key":"accuracy"`}, {`"key":"loss"`, `"key":""`},
		{`"series":[`, `"series":[],"was":[`}, {seed, `"seed":77`}, {`"skipped":0`, `"skipped":-1`},
		{`"skipped":0`, `"skipped":6`}, {`"mean":`, `"mean":-`}, {`"samples":`, `"samples":-`},
		{`"parameters":`, `"parameters":-`}, {`"cohorts":`, `"cohorts":-1`},
	} {
		content := resealed(whole, lie[0], lie[1])
		if content == resealed(whole, "", "") {
			t.Fatalf("%q is not in %s", lie[0], whole)
		}
		for _, args := range readers(t) {
			if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			printed, said := try(t, exitFailed, args...)
			if !strings.Contains(said, file+" did not verify: ") || printed == table {
				t.Errorf("%q: %s says\n%s%s", lie[1], args[0], printed, said)
			}
		}
		if printed, _ := try(t, exitOK, "run", "eight.toml"); printed != table {
			t.Errorf("%q: after it is run again\n%s", lie[1], printed)
		}
	}
}

// Every cell of every experiment has, after it was stored, the identity that it had, so that a plan
// is never taken for damaged that is not.
func TestCellsOfAllExperimentsAreStored(t *testing.T) {
	files := append(glob(t, "../../experiments/*.toml"), glob(t, "../../experiments/*/*.toml")...)
	files = append(append(files, glob(t, "../../plugins/samples/*/*.toml")...), glob(t, "testdata/*/*/*.toml")...)
	stored := 0
	for _, file := range files {
		x, err := session.Read(file, &session.Overrides{Seeds: "1"})
		if err != nil {
			continue // it is one with mistakes
		}
		for i, c := range x.Cells {
			text, err := json.Marshal(c)
			var back study.Cell
			if err := errors.Join(err, json.Unmarshal(text, &back)); err != nil || back.ID() != x.IDs[i] {
				t.Errorf("%s: %s: %v\n%s\n%s", file, c.Label(), err, c.Canonical(), back.Canonical())
				break
			}
			stored++
		}
	}
	if stored < 300 {
		t.Errorf("only %d cells were stored", stored)
	}
}
