package main

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const top = "../.."

// programs is the folder of hansa, once a test has asked for it. No test runs beside another.
var programs string

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(programs); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// hansa returns the path of the program.
func hansa(t *testing.T) string {
	t.Helper()
	if programs == "" {
		dir, err := build(top)
		if err != nil {
			t.Fatal(err)
		}
		programs = dir
	}
	return filepath.Join(programs, "hansa")
}

// consoleOf returns a console for a test.
func consoleOf(t *testing.T) *console {
	t.Helper()
	c, err := newConsole(top, filepath.Dir(hansa(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

func TestDocsUpToDate(t *testing.T) {
	stale, err := run(top, true, readmes)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("%v are not what go run ./tools/docs makes of them", stale)
	}
}

// One page is compared alone: hansa is built for a page with commands only.
func TestOnePage(t *testing.T) {
	t.Setenv("HANSA_PROGRAM", "")
	t.Setenv("PATH", t.TempDir()) // without Go
	if stale, err := run(top, true, []string{claimPage}); err != nil || len(stale) > 0 {
		t.Errorf("%v, %v", stale, err)
	}
	if _, err := run(top, true, []string{results}); err == nil {
		t.Errorf("%s has commands, and they ran without hansa", results)
	}
	if known(claimPage) != nil || known("CLAIMS.md") == nil {
		t.Error("pages are named from the top folder on")
	}
}

// blocks returns the fenced blocks of a language in READMEs.
func blocks(t *testing.T, language string, in ...string) []string {
	t.Helper()
	form := regexp.MustCompile("(?s)```" + language + "\n(.*?)```")
	var list []string
	for _, name := range in {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range form.FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1])
		}
	}
	if len(list) == 0 {
		t.Fatalf("there is no block of %s: is this test looking in the right place?", language)
	}
	return list
}

// Every experiment in a README resolves, beside the strategy of the guide.
func TestTomlBlocksResolve(t *testing.T) {
	strategy := blocks(t, "go", guide)[0]
	for i, block := range blocks(t, "toml", readmes...) {
		if strings.HasPrefix(block, "[slurm]") {
			continue // a site profile, which is for tests of tools/hansa
		}
		file := write(t, "readme.toml", block, "mine.go", strategy)
		if out, err := checked(t, file); err != nil {
			t.Errorf("block %d: %v\n%s", i+1, err, out)
		}
	}
}

// Every strategy of the guide is formatted, and meets its requirements.
func TestStrategyBlocksKeepTheContract(t *testing.T) {
	for i, block := range blocks(t, "go", guide, "README.md") {
		if formatted, err := format.Source([]byte(block)); err != nil || string(formatted) != block {
			t.Errorf("block %d: %v, formatted:\n%s", i+1, err, formatted)
		}
		if out, err := checked(t, write(t, "mine.go", block)); err != nil {
			t.Errorf("block %d: %v\n%s", i+1, err, out)
		}
	}
}

// write writes files, by names and texts, into a new folder, and returns the path of the first.
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

// checked returns what hansa check says.
func checked(t *testing.T, file string) (string, error) {
	cmd := exec.Command(hansa(t), "check", "--quiet", file)
	cmd.Dir = top
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A table of the dialect cannot be made of what is not refused, of what is wrong in two ways, or
// of an alternative that is refused.
func TestRefusalsAreChecked(t *testing.T) {
	for _, r := range []refusal{
		{no: snippet{shown: "n = 3"}},
		{no: snippet{shown: "go done(a); rounds++"}},
		{no: snippet{shown: "go done(a)"}, yes: snippet{shown: "rounds++"}},
	} {
		if said, err := r.check(); err == nil {
			t.Errorf("%v: %s", r, said)
		}
	}
	if _, err := refusalsOf("== here\n", "there"); err == nil {
		t.Error("a part that is not there is a table")
	}
}

// examination is laid over builtin/ to examine what a README adds to it.
const examination = `package builtin

import (
	"testing"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

func TestReadme(t *testing.T) {
	r := new(registry.Registry)
	if err := r.Aggregators.Add(aggregator.%s); err != nil {
		t.Fatal(err)
	}
	for _, v := range contract.Examine(r, contract.Options{Seed: 1}) {
		t.Error(v)
	}
}
`

// Every component in a README compiles where it says it belongs, and passes its contract.
func TestGoBlocksPassTheContract(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^var (\w+) = fl\.AggregatorEntry`)
	home, err := filepath.Abs(filepath.Join(top, "builtin"))
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range blocks(t, "go", components) {
		name := entry.FindStringSubmatch(block)
		if name == nil {
			t.Errorf("block %d has no entry of an aggregator", i+1)
			continue
		}
		dir := t.TempDir()
		overlay := map[string]map[string]string{"Replace": {}}
		for target, text := range map[string]string{
			filepath.Join(home, "aggregator", "readme.go"): block,
			filepath.Join(home, "readme_test.go"):          fmt.Sprintf(examination, name[1]),
		} {
			file := filepath.Join(dir, filepath.Base(target))
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay["Replace"][target] = file
		}
		text, err := json.Marshal(overlay)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "test", "-overlay", file, "-run", "^TestReadme$", "-v", "./builtin")
		cmd.Dir = top
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestReadme") {
			t.Errorf("block %d: %v\n%s", i+1, err, out)
		}
	}
}

func TestBrokenBlocksAreErrors(t *testing.T) {
	for _, text := range []string{
		"<!-- generated: mneu -->\n<!-- end -->", "<!-- generated: menu -->\nno end",
	} {
		if _, err := replaceBlocks(text, top); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	var c console
	if _, err := c.replaceOutputs("```console\n$ hansa"); err == nil {
		t.Error("a console block without an end is taken")
	}
}

// Commands of other programs keep what stands behind them; those of hansa are run again.
func TestConsole(t *testing.T) {
	c := consoleOf(t)
	got, err := c.replay("$ ls\nwhatever\n$ hansa list selection\nold\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "$ ls\nwhatever\n$ hansa list selection\nselection — ") || strings.Contains(got, "old") {
		t.Errorf("%s", got)
	}
}
