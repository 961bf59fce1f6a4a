package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const top = "../.."

func TestDocsUpToDate(t *testing.T) {
	stale, err := run(top, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("%v are not what go run ./tools/docs makes of them", stale)
	}
}

// blocks returns the fenced blocks of a language in the READMEs.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	form := regexp.MustCompile("(?s)```" + language + "\n(.*?)```")
	var list []string
	for _, name := range readmes {
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

// Every experiment in a README resolves.
func TestTomlBlocksResolve(t *testing.T) {
	for i, block := range blocks(t, "toml") {
		file := filepath.Join(t.TempDir(), "readme.toml")
		if err := os.WriteFile(file, []byte(block), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", "./tools/hansa", "check", "--quiet", file)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("block %d: %v\n%s", i+1, err, out)
		}
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
	for i, block := range blocks(t, "go") {
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
	c, err := newConsole(top)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	got, err := c.replay("$ ls\nwhatever\n$ hansa list selection\nold\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "$ ls\nwhatever\n$ hansa list selection\nselection — ") || strings.Contains(got, "old") {
		t.Errorf("%s", got)
	}
}
