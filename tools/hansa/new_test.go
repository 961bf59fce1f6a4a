package main

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/plugins/draft"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// awkward are names of components that are no good names of Go packages or types: digits
// first, keywords, what the templates use themselves.
var awkward = []string{"my-rule", "a", "2nd", "ma-in", "range", "p", "len", "stats", "no-mine"}

// A new strategy of any kind meets the requirements of its kind; its experiment runs, and names it in the
// table.
func TestNewWorksAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, k := range strategyKinds(toolbox.Menu()) {
		name := strings.Repeat("a", i/len(awkward)) + awkward[i%len(awkward)]
		try(t, exitOK, "new", k.Name, name)
		found, _ := try(t, exitOK, "check", name)
		if meets := k.Name + " " + name + " meets "; !strings.Contains(found, meets) {
			t.Errorf("%s %s: checked:\n%s", k.Name, name, found)
		}
		file := filepath.Join(name, name+".toml")
		printed, _ := try(t, exitOK, "run", file, "--seeds", "1", "--set", "rounds=10",
			"--format", "csv")
		if !strings.Contains(printed, name) || strings.Contains(printed, "failed") {
			t.Errorf("%s %s: printed\n%s", k.Name, name, printed)
		}
	}
}

// A new strategy with state meets the requirements of its kind, keeps something from round to round,
// and its experiment runs. Its code, and that of the other template, is not the same.
func TestNewKeepsState(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, k := range statefulKinds(toolbox.Menu()) {
		name := "my-" + k.Name
		try(t, exitOK, "new", k.Name, name, "--state")
		found, _ := try(t, exitOK, "check", name)
		if meets := k.Name + " " + name + " meets "; !strings.Contains(found, meets) {
			t.Errorf("%s: checked:\n%s", name, found)
		}
		file := filepath.Join(name, name)
		printed, _ := try(t, exitOK, "run", file+".toml", "--seeds", "1", "--set", "rounds=10",
			"--format", "csv")
		if !strings.Contains(printed, name) || strings.Contains(printed, "failed") {
			t.Errorf("%s: printed\n%s", name, printed)
		}
		if out, err := vetOffline(name); err != nil {
			t.Errorf("%s: go vet: %v\n%s", name, err, out)
		}
		code := contents(t, name)[name+".go"]
		try(t, exitOK, "new", k.Name, name, "--dir", name+"/plain")
		plain := contents(t, name+"/plain")[name+".go"]
		if !strings.Contains(code, "State.") || code == plain {
			t.Errorf("%s keeps no state:\n%s", name, code)
		}
		wellFormed(t, file+".go")
	}
}

// Whatever it is called, a strategy is formatted Go that the compiler accepts beside the
// framework itself, and its experiment resolves. TestNewWorksAsItIs examines every kind, and every
// name.
func TestNewCompilesByAnyName(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	overlay := map[string]map[string]string{"Replace": {}}
	args := []string{"build", "-overlay", "overlay.json"}
	var experiments []string
	for _, k := range strategyKinds(toolbox.Menu()) {
		for _, name := range awkward {
			dir := k.Name + "-" + name
			begun(t, k.Name, name, dir)
			file, err := filepath.Abs(filepath.Join(dir, name+".go"))
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, file)
			overlay["Replace"][filepath.Join(top, "plugins", "drafts", dir, "x.go")] = file
			args = append(args, symbols.Path+"/plugins/drafts/"+dir)
			experiments = append(experiments, filepath.Join(dir, name+".toml"))
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if args[2], err = filepath.Abs(args[2]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[2], text, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
	try(t, exitOK, slices.Concat([]string{"check", "--quiet"}, experiments)...)
}

// begun makes a folder of what a draft has of its own: what all have alike takes longer.
func begun(t *testing.T, kind, name, dir string) {
	t.Helper()
	d, err := newDraft(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := d.Strategy()
	if err == nil {
		err = draft.MakeFolder(dir, files)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wellFormed refuses a Go file that gofmt would change.
func wellFormed(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
		t.Errorf("%s: %v\n%s", file, err, text)
	}
}

// What lies beside a new strategy lets go vet read it without a network, and find mistakes.
func TestNewIsReadOffline(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, k := range strategyKinds(toolbox.Menu()) {
		name := "my-" + k.Name
		try(t, exitOK, "new", k.Name, name)
		if out, err := vetOffline(name); err != nil {
			t.Errorf("%s: go vet: %v\n%s", k.Name, err, out)
		}
	}
	file := filepath.Join("my-aggregator", "my-aggregator.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(text), "r.CombineDeltas(w)", "r.CombineDelta(w)", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := vetOffline("my-aggregator")
	if want := "r.CombineDelta undefined"; err == nil || !strings.Contains(out, want) {
		t.Errorf("a misspelt method: %v\n%s", err, out)
	}
}

func vetOffline(dir string) (string, error) {
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Where a folder cannot be made, nothing is left of it, nor of the folders that it lies in.
func TestNewLeavesNothingBehind(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := draft.MakeFolder("deep/down", map[string]string{"a": "", "a/b": ""}); err == nil {
		t.Error("a file was made that is a folder, too")
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) > 0 {
		t.Errorf("%v lies there, %v", left, err)
	}
	files := map[string]string{"a": "x", ".b/c": "y"}
	if err := draft.MakeFolder("deep/down", files); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, "."); fmt.Sprint(got) != "map[deep/down/.b/c:y deep/down/a:x]" {
		t.Errorf("%v", got)
	}
}
